// SPDX-License-Identifier: Apache-2.0

/// An activity of a workout with several activities, such as the swim of a triathlon.
public struct WorkoutPart: Sendable, Hashable {
    /// The activity type.
    public let activity: HKWorkoutActivityType
    /// HealthKit's name of the activity type.
    public let activityName: String
    /// The time in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The duration in seconds, without pauses.
    public let duration: Double
    /// The distance in metres; nil if unknown.
    public let distance: Double?
    /// The active energy in kilocalories; nil if unknown.
    public let energy: Double?
    /// The pulse; nil if unknown.
    public let pulse: PulseRange?
}

/// A lap of a workout.
public struct WorkoutLap: Sendable, Hashable {
    /// The time in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The duration in seconds.
    public let duration: Double
    /// The stroke style of a swim; nil for a lap of another activity, `.unknown` for a rest.
    public let style: HKSwimmingStrokeStyle?
    /// The SWOLF score: the number of strokes plus the duration in seconds; nil for a rest, and if unknown.
    public let swolf: Double?

    /// The number of strokes; nil if unknown.
    public var strokes: Double? { swolf.map { max(0, ($0 - duration).rounded()) } }
}

/// A part of a workout with a fixed distance, such as the third kilometre.
public struct WorkoutSplit: Sendable, Hashable {
    /// The distance in metres. The last split may be shorter than the others.
    public let distance: Double
    /// The time in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The duration in seconds, without pauses.
    public let duration: Double
    /// The mean pulse in beats per minute; nil without samples.
    public internal(set) var pulse: Double?
}

/// A workout with its activities, pauses, laps, splits and route.
public struct WorkoutDetails: Sendable {
    /// The totals.
    public let summary: WorkoutSummary
    /// The device; nil if unknown.
    public let device: String?
    /// The activities in order; empty for a workout with one activity.
    public let parts: [WorkoutPart]
    /// The pauses in order, without overlaps.
    public let pauses: [TimeRange]
    /// The laps in order.
    public let laps: [WorkoutLap]
    /// The time in zones, ascending by the identifier of the type; empty for a workout without zones.
    public let zones: [HKWorkoutZoneGroup]
    /// The length of one lap in a pool, in metres; nil if unknown.
    public let lapLength: Double?
    /// The mean SWOLF score of the laps; nil if no lap has a score.
    public let swolf: Double?
    /// The splits in order; empty if a stored distance is longer than a split on average.
    public internal(set) var splits: [WorkoutSplit] = []
    /// The ascent in metres that the device recorded, or else the ascent of the route; nil if unknown.
    public internal(set) var climb: Double?
    /// The route; nil without a route.
    public internal(set) var route: RouteOutline?
    /// The outline of the pulse; nil without samples.
    package internal(set) var pulseCurve: TypeCurve?

    /// Creates the details from the values that are stored with a workout.
    init(_ workout: HKWorkout, _ summary: WorkoutSummary) {
        let content = workout.content
        let metadata = workout.header.metadata
        self.summary = summary
        device = workout.device?.name
        let whole = TimeRange(summary.start, summary.end)
        pauses = WorkoutPauses(content.events).pauses.compactMap { pause in
            let start = StoredTime.nanoseconds(pause.start) ?? whole.start
            let end = pause.end.flatMap { StoredTime.nanoseconds($0) } ?? whole.end
            let range = TimeRange(max(start, whole.start), min(end, whole.end))
            return range.start < range.end ? range : nil
        }
        parts = content.activities.count < 2 ? [] : content.activities.map { WorkoutPart($0, content, whole) }
        laps = WorkoutLap.all(content.events, from: whole.start)
        zones = content.zones.sorted { $0.key < $1.key }.map { HKWorkoutZoneGroup($0.value) }
        lapLength = WorkoutConfiguration(content.activity, metadata: metadata).lapLength?.number(.meter())
        let scores = laps.compactMap(\.swolf)
        swolf = scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)
        if case .quantity(let climb)? = metadata?[HKMetadataKeyElevationAscended] {
            self.climb = climb.number(.meter())
        }
    }

    /// Returns the seconds of a range outside of all pauses.
    func activeSeconds(_ range: TimeRange) -> Double {
        let paused = pauses.reduce(UInt64(0)) { sum, pause in
            let (start, end) = (max(pause.start, range.start), min(pause.end, range.end))
            return start < end ? sum + UInt64(bitPattern: end &- start) : sum
        }
        let whole = UInt64(bitPattern: range.end &- range.start)
        return whole > paused ? Double(whole - paused) / 1e9 : 0
    }
}

extension WorkoutPart {
    init(_ part: WorkoutActivity, _ content: WorkoutContent, _ whole: TimeRange) {
        activity = part.configuration.activity
        activityName = activity.name
        let start = StoredTime.nanoseconds(part.start) ?? whole.start
        range = TimeRange(start, max(start, part.end.flatMap { StoredTime.nanoseconds($0) } ?? whole.end))
        duration = part.duration(content.events, now: StoredTime.date(whole.end))
        let totals = WorkoutTotals(part.statistics, of: activity)
        distance = totals.distance?.number(.meter())
        energy = totals.energy?.number(.kilocalorie())
        pulse = PulseRange(part.statistics)
    }
}

extension WorkoutLap {
    /// Returns the laps of a workout. A lap without a duration starts at the end of the preceding lap.
    static func all(_ events: [HKWorkoutEvent], from start: Int64) -> [WorkoutLap] {
        var last = start
        return events.filter { $0.type == .lap }.compactMap { event in
            guard let first = StoredTime.nanoseconds(event.start), let end = StoredTime.nanoseconds(event.end) else {
                return nil
            }
            let range = TimeRange(first < end ? first : min(last, end), end)
            last = end
            var style: HKSwimmingStrokeStyle?
            if case .integer(let raw)? = event.values?[HKMetadataKeySwimmingStrokeStyle] {
                style = HKSwimmingStrokeStyle(rawValue: raw)
            }
            return WorkoutLap(
                range: range, duration: Double(UInt64(bitPattern: range.end &- range.start)) / 1e9, style: style,
                swolf: SwimmingScore.score(of: event))
        }
    }
}
