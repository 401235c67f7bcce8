// SPDX-License-Identifier: Apache-2.0

/// The totals of some workouts, for example of all rides of a year.
public struct ActivityTotals: Sendable, Hashable {
    /// The activity type of the first workout.
    public let activity: HKWorkoutActivityType
    /// HealthKit's name of this activity type.
    public let activityName: String
    /// The number of workouts.
    public let count: Int
    /// The duration in seconds, without pauses.
    public let duration: Double
    /// The total distance in metres of the workouts with a distance; nil if no workout has a distance.
    public let distance: Double?
    /// The total active energy in kilocalories of the workouts with an energy; nil if no workout has an energy.
    public let energy: Double?
    /// The workout with the greatest distance; without distances the workout with the greatest duration.
    public let longest: WorkoutSummary
    /// The workout with the greatest average speed among the workouts of at least one kilometre, or 200 m for
    /// a swim; nil without such a workout.
    public let fastest: WorkoutSummary?

    /// The least distance in metres of a workout whose speed is compared. Shorter workouts are often mistakes.
    private static let leastDistance = 1_000.0
    /// The least distance in metres of a swim.
    private static let leastSwim = 200.0

    /// Creates the totals of some workouts; nil without workouts.
    public init?(_ workouts: [WorkoutSummary]) {
        guard let first = workouts.first else { return nil }
        (activity, activityName) = (first.activity, first.activityName)
        count = workouts.count
        duration = workouts.reduce(0) { $0 + $1.duration }
        func sum(_ values: [Double?]) -> Double? {
            let present = values.compactMap { $0 }
            return present.isEmpty ? nil : present.reduce(0, +)
        }
        distance = sum(workouts.map(\.distance))
        energy = sum(workouts.map(\.energy))
        longest = workouts.dropFirst().reduce(first) { best, one in
            (best.distance ?? 0, best.duration) < (one.distance ?? 0, one.duration) ? one : best
        }
        var fastest: WorkoutSummary?
        for one in workouts {
            let least = one.activity == .swimming ? Self.leastSwim : Self.leastDistance
            guard let speed = one.speed, (one.distance ?? 0) >= least else { continue }
            if speed > fastest?.speed ?? 0 { fastest = one }
        }
        self.fastest = fastest
    }
}

/// The workouts of a week.
package struct WorkoutWeek: Sendable {
    /// The first day of the week, a Monday.
    package let monday: CalendarDate
    /// The total duration of the week's workouts in seconds, by HealthKit's name of the activity type.
    package let seconds: [String: Double]
}

extension WorkoutList {
    /// Returns all weeks of a span in order, including weeks without a workout. A workout belongs to the day on which
    /// it starts.
    package func weeks(_ span: DaySpan) -> [WorkoutWeek] {
        func monday(_ date: CalendarDate) -> CalendarDate { date.adding(1 - date.weekday) }
        let (first, last) = (monday(span.first), monday(span.last))
        var weeks = [[String: Double]](repeating: [:], count: Int(last.number - first.number) / 7 + 1)
        for one in all where span.bounds.contains(one.start) {
            let place = Int(CalendarDate(containing: one.start, in: span.zone).number - first.number) / 7
            if weeks.indices.contains(place) { weeks[place][one.activityName, default: 0] += one.duration }
        }
        return weeks.enumerated().map { WorkoutWeek(monday: first.adding($0.offset * 7), seconds: $0.element) }
    }
}
