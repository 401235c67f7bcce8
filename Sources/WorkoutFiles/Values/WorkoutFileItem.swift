// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// An item of a file, in the order of the file.
public enum WorkoutFileItem: Hashable, Sendable {
    /// Measurements of an instant.
    case point(WorkoutFilePoint)
    /// A lap, after its points.
    case lap(WorkoutFileLap)
    /// A length of a pool, or a rest.
    case length(SwimmingLap)
    /// An activity of the workout, usually after its points. Most files have one activity.
    case part(WorkoutFilePart)
    /// The device started or stopped its timer.
    case timer(isRunning: Bool, date: Date)
}

/// A lap that the device or the person marked.
public struct WorkoutFileLap: Hashable, Sendable {
    /// The start.
    public var start: Date
    /// The end.
    public var end: Date
    /// The distance in metres; nil if unknown.
    public var distance: Double?
    /// The energy in kilocalories; nil if unknown.
    public var energy: Double?

    /// Creates a lap.
    public init(start: Date, end: Date, distance: Double? = nil, energy: Double? = nil) {
        self.start = start
        self.end = end
        self.distance = distance
        self.energy = energy
    }
}

/// An activity of a workout: one sport, with its start, end and totals.
public struct WorkoutFilePart: Hashable, Sendable {
    /// The activity type; `.other` for an unknown type.
    public var activity: HKWorkoutActivityType
    /// The location.
    public var location = HKWorkoutSessionLocationType.unknown
    /// The place of a swim, a pool or open water.
    public var swimmingLocation = HKWorkoutSwimmingLocationType.unknown
    /// The length of the pool in metres; nil if unknown.
    public var poolLength: Double?
    /// The start.
    public var start: Date
    /// The end.
    public var end: Date
    /// The distance in metres; nil if unknown.
    public var distance: Double?
    /// The energy in kilocalories; nil if unknown.
    public var energy: Double?

    /// Creates an activity without totals.
    public init(activity: HKWorkoutActivityType, start: Date, end: Date) {
        self.activity = activity
        self.start = start
        self.end = max(start, end)
    }

    /// The configuration of a workout with this activity.
    public var configuration: HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = location
        guard activity == .swimming else { return configuration }
        if let poolLength, poolLength > 0, poolLength.isFinite {
            configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: poolLength)
            configuration.swimmingLocationType = .pool
        } else if swimmingLocation == .openWater {
            configuration.swimmingLocationType = .openWater
        }
        return configuration
    }
}
