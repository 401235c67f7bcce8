// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The archived content of a workout.
struct WorkoutContentRecord: Codable {
    private let activity: UInt
    private let unknownActivity: String?
    private let duration: TimeInterval
    private let events: [EventRecord]
    private let activities: [WorkoutActivityRecord]
    private let statistics: [String: StatisticRecord]
    private let totals: [String: QuantityRecord]
    private let zones: [String: ZoneRecord]

    init(_ content: WorkoutContent) {
        activity = content.activity.rawValue
        unknownActivity = content.unknownActivity
        duration = content.duration
        events = content.events.map { EventRecord($0) }
        activities = content.activities.map { WorkoutActivityRecord($0) }
        statistics = content.statistics.mapValues { StatisticRecord($0) }
        let totals = content.totals
        self.totals = [
            "energy": totals.energy, "distance": totals.distance, "strokes": totals.strokes, "flights": totals.flights,
        ].compactMapValues { $0.map { QuantityRecord($0) } }
        zones = content.zones.mapValues { ZoneRecord($0) }
    }

    /// The content; nil if a part cannot be read.
    var content: WorkoutContent? {
        let events = events.compactMap(\.event)
        let activities = activities.compactMap(\.activity)
        guard events.count == self.events.count, activities.count == self.activities.count else { return nil }
        return WorkoutContent(
            activity: HKWorkoutActivityType(rawValue: activity) ?? .other, unknownActivity: unknownActivity,
            duration: duration, events: events, activities: activities,
            statistics: statistics.mapValues(\.statistic),
            totals: WorkoutTotals(
                energy: totals["energy"]?.quantity, distance: totals["distance"]?.quantity,
                strokes: totals["strokes"]?.quantity, flights: totals["flights"]?.quantity),
            zones: zones.compactMapValues(\.times))
    }
}

/// An archived event of a workout.
struct EventRecord: Codable {
    private let type: Int
    private let start: Date
    private let end: Date
    private let metadata: MetadataRecord?

    init(_ event: HKWorkoutEvent) {
        type = event.type.rawValue
        start = event.start
        end = event.end
        metadata = event.values.map { MetadataRecord($0) }
    }

    /// The event; nil for an unknown type or unreadable metadata.
    var event: HKWorkoutEvent? {
        let values = metadata?.values
        guard let type = HKWorkoutEventType(rawValue: type), metadata == nil || values != nil else { return nil }
        return HKWorkoutEvent(type, start: start, end: end, values: values)
    }
}

/// An archived activity of a workout.
struct WorkoutActivityRecord: Codable {
    private let uuid: UUID
    private let type: UInt
    private let location: Int
    private let swimming: Int
    private let lapLength: QuantityRecord?
    private let start: Date
    private let end: Date?
    private let metadata: MetadataRecord?
    private let statistics: [String: StatisticRecord]
    private let statedDuration: TimeInterval?
    private let zones: [String: ZoneRecord]

    init(_ activity: WorkoutActivity) {
        uuid = activity.uuid
        type = activity.configuration.activity.rawValue
        location = activity.configuration.location.rawValue
        swimming = activity.configuration.swimming.rawValue
        lapLength = activity.configuration.lapLength.map { QuantityRecord($0) }
        start = activity.start
        end = activity.end
        metadata = activity.metadata.map { MetadataRecord($0) }
        statistics = activity.statistics.mapValues { StatisticRecord($0) }
        statedDuration = activity.statedDuration
        zones = activity.zones.mapValues { ZoneRecord($0) }
    }

    /// The activity; nil for unreadable metadata.
    var activity: WorkoutActivity? {
        let values = metadata?.values
        if metadata != nil, values == nil { return nil }
        let configuration = WorkoutConfiguration(
            HKWorkoutActivityType(rawValue: type) ?? .other,
            HKWorkoutSessionLocationType(rawValue: location) ?? .unknown,
            swimming: HKWorkoutSwimmingLocationType(rawValue: swimming) ?? .unknown, lapLength: lapLength?.quantity)
        return WorkoutActivity(
            uuid: uuid, configuration: configuration, start: start, end: end, metadata: values,
            statistics: statistics.mapValues(\.statistic), statedDuration: statedDuration,
            zones: zones.compactMapValues(\.times))
    }
}

/// Archived statistics of one type.
struct StatisticRecord: Codable {
    private let unit: String
    private let sum: Double?
    private let average: Double?
    private let minimum: Double?
    private let maximum: Double?
    private let recent: Double?
    private let recentTimes: [Date]
    private let interval: [Date]

    init(_ statistic: WorkoutStatistic) {
        unit = statistic.unit.unitString
        sum = statistic.sum
        average = statistic.average
        minimum = statistic.minimum
        maximum = statistic.maximum
        recent = statistic.recent?.value
        recentTimes = statistic.recent.map { [$0.start, $0.end] } ?? []
        interval = statistic.interval.map { [$0.start, $0.end] } ?? []
    }

    var statistic: WorkoutStatistic {
        var found = WorkoutStatistic(unit: .stored(unit))
        found.sum = sum
        found.average = average
        found.minimum = minimum
        found.maximum = maximum
        if let recent, recentTimes.count == 2 {
            found.recent = WorkoutStatistic.Recent(value: recent, start: recentTimes[0], end: recentTimes[1])
        }
        if interval.count == 2 { found.interval = (interval[0], interval[1]) }
        return found
    }
}

/// The archived time in the zones of one type.
struct ZoneRecord: Codable {
    private let type: String
    private let boundaries: [Double]
    private let source: String
    private let nanoseconds: [Int64]

    init(_ times: WorkoutZoneTimes) {
        type = times.configuration.quantityType.identifier
        boundaries = times.configuration.boundaries
        source = "\(times.configuration.source)"
        nanoseconds = times.nanoseconds
    }

    /// The times; nil for boundaries that no configuration has.
    var times: WorkoutZoneTimes? {
        let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: type))
        let source = HKWorkoutZoneConfiguration.Source.allCases.first { "\($0)" == self.source } ?? .app
        guard let configuration = try? HKWorkoutZoneConfiguration(type, boundaries, source),
            configuration.zones.count == nanoseconds.count
        else { return nil }
        return WorkoutZoneTimes(configuration, nanoseconds: nanoseconds)
    }
}
