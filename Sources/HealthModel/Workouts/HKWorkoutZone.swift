// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A range of heart rates or cycling powers with about the same effort.
public struct HKWorkoutZone: Sendable, Hashable {
    /// The position among the zones of its configuration, from 0 for the lowest zone.
    public let index: Int
    /// The least value of the zone; nil for the lowest zone, which has no lower bound.
    public let minimum: HKQuantity?
    /// The upper bound, which belongs to the next zone; nil for the highest zone, which has no upper bound.
    public let maximum: HKQuantity?
}

/// The time of a workout in one zone.
public struct HKWorkoutZoneDuration: Sendable, Hashable {
    /// The zone.
    public let zone: HKWorkoutZone
    /// The time in seconds, without pauses.
    public let duration: TimeInterval
}

/// The time of a workout in each zone of a type.
public struct HKWorkoutZoneGroup: Sendable, Hashable {
    /// The zones.
    public let configuration: HKWorkoutZoneConfiguration
    /// The time in each zone, from the lowest zone to the highest.
    public let zoneDurations: [HKWorkoutZoneDuration]

    package init(_ times: WorkoutZoneTimes) {
        configuration = times.configuration
        zoneDurations = zip(times.configuration.zones, times.nanoseconds).map { zone, time in
            HKWorkoutZoneDuration(zone: zone, duration: Double(time) / 1e9)
        }
    }
}

/// The stored time of a workout or activity in each zone of a type.
package struct WorkoutZoneTimes: Sendable, Equatable {
    package var configuration: HKWorkoutZoneConfiguration
    /// The time in each zone in nanoseconds; one element for each zone.
    package var nanoseconds: [Int64]

    package init(_ configuration: HKWorkoutZoneConfiguration, nanoseconds: [Int64]) {
        self.configuration = configuration
        self.nanoseconds = nanoseconds
    }

    /// Whether no zone has time.
    package var isEmpty: Bool { nanoseconds.allSatisfy { $0 == 0 } }
}

/// The times in zones by the identifier of the quantity type.
package typealias WorkoutZones = [String: WorkoutZoneTimes]

extension WorkoutZones {
    /// Returns the times of a type as HealthKit's value; nil without zones of the type.
    func group(for type: HKQuantityType) -> HKWorkoutZoneGroup? { self[type.identifier].map { HKWorkoutZoneGroup($0) } }

    /// The times of all types as HealthKit's values; nil without zones.
    var groups: [HKQuantityType: HKWorkoutZoneGroup]? {
        if isEmpty { return nil }
        var found: [HKQuantityType: HKWorkoutZoneGroup] = [:]
        for times in values { found[times.configuration.quantityType] = HKWorkoutZoneGroup(times) }
        return found
    }
}
