// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The totals of a workout, as given by a program or an import.
package struct WorkoutTotals: Sendable, Equatable {
    package var energy: HKQuantity?
    package var distance: HKQuantity?
    package var strokes: HKQuantity?
    package var flights: HKQuantity?

    package init(
        energy: HKQuantity? = nil, distance: HKQuantity? = nil, strokes: HKQuantity? = nil, flights: HKQuantity? = nil
    ) {
        self.energy = energy
        self.distance = distance
        self.strokes = strokes
        self.flights = flights
    }

    /// Creates the totals from the sums of statistics.
    package init(_ statistics: WorkoutStatistics, of activity: HKWorkoutActivityType) {
        energy = statistics.total(of: [.activeEnergyBurned])
        distance = statistics.total(of: WorkoutTypes.distances(of: activity))
        strokes = statistics.total(of: [.swimmingStrokeCount])
        flights = statistics.total(of: [.flightsClimbed])
    }

    /// Returns the totals as sums of statistics. The distance of a `swimBikeRun` workout has no type and is left out.
    package func statistics(of activity: HKWorkoutActivityType) -> WorkoutStatistics {
        var found = WorkoutStatistics()
        func put(_ total: HKQuantity?, _ type: HKQuantityTypeIdentifier) {
            if let total { found[type.rawValue] = WorkoutStatistic(sum: total) }
        }
        put(energy, .activeEnergyBurned)
        let types = WorkoutTypes.distances(of: activity)
        if types.count == 1 { put(distance, types[0]) }
        put(strokes, .swimmingStrokeCount)
        put(flights, .flightsClimbed)
        return found
    }
}

/// The stored properties of a workout.
package struct WorkoutContent: Sendable, Equatable {
    package var activity: HKWorkoutActivityType
    /// The name of an activity type that is unknown to this version; nil for a known type. Exports write the name
    /// again.
    package var unknownActivity: String?
    /// The duration in seconds, without pauses.
    package var duration: TimeInterval
    /// The events in ascending order.
    package var events: [HKWorkoutEvent]
    /// The activities in ascending order, at least one.
    package var activities: [WorkoutActivity]
    package var statistics: WorkoutStatistics
    package var totals: WorkoutTotals
    /// The time in zones, for types with zones and samples.
    package var zones: WorkoutZones

    package init(
        activity: HKWorkoutActivityType, unknownActivity: String? = nil, duration: TimeInterval,
        events: [HKWorkoutEvent] = [], activities: [WorkoutActivity], statistics: WorkoutStatistics,
        totals: WorkoutTotals, zones: WorkoutZones = [:]
    ) {
        self.activity = activity
        self.unknownActivity = unknownActivity
        self.duration = duration
        self.events = events
        self.activities = activities
        self.statistics = statistics
        self.totals = totals
        self.zones = zones
    }

    /// The content of a deleted workout whose data is erased.
    package static var erased: WorkoutContent {
        WorkoutContent(
            activity: .other, duration: 0, activities: [], statistics: [:], totals: WorkoutTotals())
    }
}

/// A workout: an activity type with a duration, events, activities and statistics.
///
/// Create workouts with `HKWorkoutBuilder`, which computes the statistics from samples. The deprecated initialisers
/// create workouts with totals only.
public final class HKWorkout: HKSample, @unchecked Sendable {
    package let content: WorkoutContent

    /// Creates a workout read from a store.
    package init(header: ObjectHeader, start: Date, end: Date, content: WorkoutContent) {
        self.content = content
        super.init(header: header, type: HKObjectType.workoutType(), start: start, end: end)
    }

    /// Encodes all properties of the workout.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(WorkoutContentRecord(content), record: "workout")
    }

    /// Decodes a workout that `encode(with:)` encoded; nil if the archive has no workout.
    public required init?(coder: NSCoder) {
        guard let content = coder.decode(WorkoutContentRecord.self, record: "workout")?.content else { return nil }
        self.content = content
        super.init(coder: coder)
        if !(sampleType is HKWorkoutType) { return nil }
    }

    /// The activity type of the workout; `.other` for a type unknown to this version.
    public var workoutActivityType: HKWorkoutActivityType { content.activity }
    /// The events in ascending order; nil without events.
    public var workoutEvents: [HKWorkoutEvent]? { content.events.isEmpty ? nil : content.events }
    /// The activities of the workout in ascending order. A workout without explicit activities has one, which lasts as
    /// long as the workout.
    public var workoutActivities: [HKWorkoutActivity] {
        content.activities.map { HKWorkoutActivity($0, events: content.events, now: endDate) }
    }
    /// The duration in seconds, without pauses.
    public var duration: TimeInterval { content.duration }

    /// The active energy; nil if unknown.
    @available(*, deprecated, message: "use statistics(for:) with activeEnergyBurned")
    public var totalEnergyBurned: HKQuantity? { content.totals.energy }
    /// The distance of the activity; nil if unknown. For `swimBikeRun` the sum of swimming, cycling and running.
    public var totalDistance: HKQuantity? { content.totals.distance }
    /// The number of swimming strokes; nil if unknown.
    @available(*, deprecated, message: "use statistics(for:) with swimmingStrokeCount")
    public var totalSwimmingStrokeCount: HKQuantity? { content.totals.strokes }
    /// The number of flights of stairs; nil if unknown.
    @available(*, deprecated, message: "use statistics(for:) with flightsClimbed")
    public var totalFlightsClimbed: HKQuantity? { content.totals.flights }

    /// The statistics of all types with samples in the workout. See ``statistics(for:)``.
    public var allStatistics: [HKQuantityType: HKStatistics] { content.statistics.all(start: startDate, end: endDate) }

    /// Returns the statistics of a type over the samples of the workout; nil without samples of the type.
    ///
    /// A cumulative type has a sum; a discrete type has average, minimum, maximum and most recent value. Statistics of
    /// an imported workout may lack some of these. The values are stored with the workout: no samples are decoded.
    public func statistics(for quantityType: HKQuantityType) -> HKStatistics? {
        content.statistics.statistics(for: quantityType, start: startDate, end: endDate)
    }

    /// The time in the zones of each type with zones; nil for a workout without zones.
    public var zoneGroupsByType: [HKQuantityType: HKWorkoutZoneGroup]? { content.zones.groups }

    /// Returns the time in the zones of a type; nil for a type without zones, or without samples in the workout.
    ///
    /// The times are stored with the workout: no samples are decoded.
    public func zoneGroup(for quantityType: HKQuantityType) -> HKWorkoutZoneGroup? {
        content.zones.group(for: quantityType)
    }

    /// The activity type, the times and the identity.
    public override var description: String { "HKWorkout \(content.activity) \(times) \(uuid)" }
}
