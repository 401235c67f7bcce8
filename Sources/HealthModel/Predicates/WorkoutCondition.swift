// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A condition on a workout, or on one of its activities.
package enum WorkoutCondition: Hashable, Sendable {
    /// A total of a workout.
    package enum Total: Hashable, Sendable {
        case energy, distance, strokes, flights
    }

    /// A value of the statistics of a type.
    package enum Value: Hashable, Sendable {
        case sum, minimum, maximum, average
    }

    case activity(HKWorkoutActivityType)
    /// In seconds.
    case duration(HealthComparison, Double)
    case total(Total, HealthComparison, HKQuantity)
    /// The statistics of a quantity type, by identifier.
    case statistic(String, Value, HealthComparison, HKQuantity)
    /// A time window; nil is an open bound.
    case time(start: Date?, end: Date?, options: HKQueryOptions)

    /// The properties that conditions compare.
    package struct Subject {
        package var activity: HKWorkoutActivityType
        package var duration: TimeInterval
        package var totals: WorkoutTotals
        package var start: Date
        package var end: Date
        package var statistics: WorkoutStatistics

        package init(_ workout: WorkoutContent, start: Date, end: Date) {
            activity = workout.activity
            duration = workout.duration
            totals = workout.totals
            statistics = workout.statistics
            self.start = start
            self.end = end
        }

        package init(_ part: WorkoutActivity, of workout: WorkoutContent, end: Date) {
            activity = part.configuration.activity
            duration = part.duration(workout.events, now: end)
            totals = WorkoutTotals()
            statistics = part.statistics
            start = part.start
            self.end = part.end ?? end
        }
    }

    /// Returns whether the condition holds. It never holds for a missing total or statistic.
    package func matches(_ subject: Subject) -> Bool {
        switch self {
        case .activity(let activity): subject.activity == activity
        case .duration(let comparison, let seconds): comparison.holds(subject.duration, seconds)
        case .total(let total, let comparison, let quantity):
            subject.totals[total].map { SamplePredicate.compares($0, comparison, quantity) } ?? false
        case .statistic(let type, let value, let comparison, let quantity):
            subject.statistics[type].flatMap { $0.quantity($0[value]) }
                .map { SamplePredicate.compares($0, comparison, quantity) } ?? false
        case .time(let start, let end, let options):
            options.matches(subject.start, subject.end, start: start, end: end)
        }
    }

    /// The text for logs.
    var text: String {
        switch self {
        case .activity(let activity): "workoutActivityType = \(activity)"
        case .duration(let comparison, let seconds): "duration \(comparison.sign) \(seconds) s"
        case .total(let total, let comparison, let quantity): "total \(total) \(comparison.sign) \(quantity)"
        case .statistic(let type, let value, let comparison, let quantity):
            "\(value) of \(type) \(comparison.sign) \(quantity)"
        case .time(let start, let end, let options):
            "\(options.words) \(DateText.text(start)) ..< \(DateText.text(end))"
        }
    }
}

extension WorkoutTotals {
    fileprivate subscript(total: WorkoutCondition.Total) -> HKQuantity? {
        switch total {
        case .energy: energy
        case .distance: distance
        case .strokes: strokes
        case .flights: flights
        }
    }
}

extension WorkoutStatistic {
    fileprivate subscript(value: WorkoutCondition.Value) -> Double? {
        switch value {
        case .sum: sum
        case .minimum: minimum
        case .maximum: maximum
        case .average: average
        }
    }
}

// Conditions on activities hold for one activity of a workout, so their compounds are evaluated activity by activity.
extension SamplePredicate {
    /// Whether a condition on an activity stands outside of a predicate for workouts.
    var hasStrayActivityCondition: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains(where: \.hasStrayActivityCondition)
        case .not(let part): part.hasStrayActivityCondition
        case .activity: true
        default: false
        }
    }

    /// Whether all conditions are on activities.
    private var hasOnlyActivityConditions: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.allSatisfy(\.hasOnlyActivityConditions)
        case .not(let part): part.hasOnlyActivityConditions
        case .activity, .always: true
        default: false
        }
    }

    /// Returns the condition that an activity of a workout fulfils a predicate.
    static func someActivity(_ predicate: NSPredicate) -> SamplePredicate {
        let inner: SamplePredicate
        do throws(HKError) { inner = try readParts(predicate) } catch { return .refused(error) }
        guard inner.hasOnlyActivityConditions else {
            return .refused(
                HKError(
                    .errorInvalidArgument, reason: "the predicate has conditions that are not on activities",
                    place: "predicateForWorkouts(activityPredicate:)",
                    advice: "use predicateForWorkoutActivities, and combine it with other predicates outside"))
        }
        return .someActivity(inner)
    }

    static let strayActivityCondition = HKError(
        .errorInvalidArgument, reason: "a condition on workout activities matches no sample",
        place: "predicateForWorkoutActivities", advice: "pass the predicate to predicateForWorkouts(activityPredicate:)"
    )

    /// Returns whether an activity of a workout fulfils a predicate that has only conditions on activities.
    func holds(_ subject: WorkoutCondition.Subject) -> Bool {
        switch self {
        case .always(let all): all
        case .and(let parts): parts.allSatisfy { $0.holds(subject) }
        case .or(let parts): parts.contains { $0.holds(subject) }
        case .not(let part): !part.holds(subject)
        case .activity(let condition): condition.matches(subject)
        default: false
        }
    }

    /// Returns whether a workout has an activity that fulfils a predicate.
    package static func someActivity(
        of workout: WorkoutContent, endingAt end: Date, fulfils predicate: SamplePredicate
    ) -> Bool {
        workout.activities.contains { predicate.holds(WorkoutCondition.Subject($0, of: workout, end: end)) }
    }
}
