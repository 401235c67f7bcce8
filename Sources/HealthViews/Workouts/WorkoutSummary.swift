// SPDX-License-Identifier: Apache-2.0

/// The pulse of a range of time, in beats per minute.
public struct PulseRange: Sendable, Hashable {
    /// The mean of the samples; nil if unknown.
    public var average: Double?
    /// The least sample; nil if unknown.
    public var least: Double?
    /// The greatest sample; nil if unknown.
    public var greatest: Double?
}

/// A workout in a list: the activity, the time and the totals.
public struct WorkoutSummary: Sendable, Hashable {
    /// The identity of the workout.
    public let id: SampleIdentity
    /// The activity type; `.other` for a type that is unknown to this version.
    public let activity: HKWorkoutActivityType
    /// HealthKit's name of the activity type, such as `HKWorkoutActivityTypeCycling`, also of an unknown type.
    public let activityName: String
    /// The start in nanoseconds since 1970-01-01 UTC.
    public let start: Int64
    /// The end in nanoseconds since 1970-01-01 UTC.
    public let end: Int64
    /// The duration in seconds, without pauses.
    public let duration: Double
    /// The distance in metres; nil if unknown.
    public let distance: Double?
    /// The active energy in kilocalories; nil if unknown.
    public let energy: Double?
    /// The number of swimming strokes; nil if unknown.
    public let strokes: Double?
    /// The number of flights of stairs; nil if unknown.
    public let flights: Double?
    /// Whether the workout took place indoors; nil if unknown.
    public let isIndoor: Bool?
    /// The name of the source.
    public let source: String
    /// The pulse; nil without samples. For a workout without stored statistics the pulse comes from the samples of its
    /// source.
    public internal(set) var pulse: PulseRange?
    /// Whether the workout has a route.
    public internal(set) var hasRoute = false

    /// The average speed without pauses, in metres per second; nil without a distance or a duration.
    public var speed: Double? {
        guard let distance, distance > 0, duration > 0 else { return nil }
        return distance / duration
    }

    /// Creates the summary of a workout.
    ///
    /// - Parameters:
    ///   - start: the exact start in nanoseconds since 1970-01-01 UTC.
    ///   - end: the exact end.
    init(_ workout: HKWorkout, start: Int64, end: Int64) {
        let content = workout.content
        id = SampleIdentity(workout.uuid)
        activity = content.activity
        activityName = content.unknownActivity ?? content.activity.name
        (self.start, self.end) = (start, max(start, end))
        duration = content.duration
        distance = content.totals.distance?.number(.meter())
        energy = content.totals.energy?.number(.kilocalorie())
        strokes = content.totals.strokes?.number(.count())
        flights = content.totals.flights?.number(.count())
        let metadata = workout.header.metadata
        switch WorkoutConfiguration(content.activity, metadata: metadata).location {
        case .indoor: isIndoor = true
        case .outdoor: isIndoor = false
        case .unknown: isIndoor = nil
        }
        source = workout.sourceRevision.source.name
        pulse = PulseRange(content.statistics)
    }
}

extension PulseRange {
    /// Creates the pulse from stored statistics; nil if they have no heart rate.
    init?(_ statistics: WorkoutStatistics) {
        guard let stored = statistics[HKQuantityTypeIdentifier.heartRate.rawValue] else { return nil }
        func number(_ value: Double?) -> Double? { stored.quantity(value)?.number(Self.unit) }
        self.init(
            average: number(stored.average), least: number(stored.minimum), greatest: number(stored.maximum))
        if average == nil, least == nil, greatest == nil { return nil }
    }

    /// Beats per minute.
    static let unit = HKUnit.count().unitDivided(by: .minute())
}

extension HKQuantity {
    /// Returns the number in a unit; nil if the quantity does not convert, or is not finite.
    func number(_ unit: HKUnit) -> Double? {
        guard self.is(compatibleWith: unit) else { return nil }
        let number = doubleValue(for: unit)
        return number.isFinite ? number : nil
    }
}
