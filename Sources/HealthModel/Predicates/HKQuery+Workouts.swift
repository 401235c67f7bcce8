// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Workouts are found by their stored totals and statistics: no samples are decoded.
extension HKQuery {
    private static func workouts(_ condition: WorkoutCondition) -> NSPredicate { HealthPredicate(.workout(condition)) }
    private static func activities(_ condition: WorkoutCondition) -> NSPredicate {
        HealthPredicate(.activity(condition))
    }

    // MARK: Workouts

    /// Returns a predicate for the samples of a workout, which its builder or `add(_:to:)` added, and its route.
    ///
    /// Exports do not state the samples of a workout. For an imported workout they are the samples of its source and
    /// device within its time, of the types of its statistics.
    public static func predicateForObjects(from workout: HKWorkout) -> NSPredicate {
        HealthPredicate(.members(of: workout.uuid))
    }

    /// Returns a predicate for the effort samples that `relateWorkoutEffortSample` related to a workout, or to one of
    /// its activities; nil means the workout itself, not its activities.
    public static func predicateForWorkoutEffortSamplesRelated(
        workout: HKWorkout, activity: HKWorkoutActivity?
    ) -> NSPredicate {
        HealthPredicate(.effort(of: workout.uuid, activity: activity?.uuid))
    }

    /// Returns a predicate for workouts of an activity.
    public static func predicateForWorkouts(with workoutActivityType: HKWorkoutActivityType) -> NSPredicate {
        workouts(.activity(workoutActivityType))
    }

    /// Returns a predicate for workouts whose duration in seconds, without pauses, compares to `duration`.
    public static func predicateForWorkouts(
        with operatorType: HealthComparison, duration: TimeInterval
    ) -> NSPredicate {
        workouts(.duration(operatorType, duration)).checked(operatorType)
    }

    /// Returns a predicate for workouts whose active energy compares to a quantity.
    @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
    public static func predicateForWorkouts(
        with operatorType: HealthComparison, totalEnergyBurned: HKQuantity
    ) -> NSPredicate {
        total(.energy, operatorType, totalEnergyBurned, .kilocalorie())
    }

    /// Returns a predicate for workouts whose distance compares to a quantity.
    public static func predicateForWorkouts(
        with operatorType: HealthComparison, totalDistance: HKQuantity
    ) -> NSPredicate {
        total(.distance, operatorType, totalDistance, .meter())
    }

    /// Returns a predicate for workouts whose number of strokes compares to a quantity.
    @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
    public static func predicateForWorkouts(
        with operatorType: HealthComparison, totalSwimmingStrokeCount: HKQuantity
    ) -> NSPredicate {
        total(.strokes, operatorType, totalSwimmingStrokeCount, .count())
    }

    /// Returns a predicate for workouts whose number of flights of stairs compares to a quantity.
    @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
    public static func predicateForWorkouts(
        with operatorType: HealthComparison, totalFlightsClimbed: HKQuantity
    ) -> NSPredicate {
        total(.flights, operatorType, totalFlightsClimbed, .count())
    }

    /// Returns a predicate for workouts whose sum of a cumulative type compares to a quantity. A workout without
    /// statistics of the type does not match.
    public static func predicateForWorkouts(
        operatorType: HealthComparison, quantityType: HKQuantityType, sumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.sum, quantityType, operatorType, sumQuantity, isOfActivity: false)
    }

    /// Returns a predicate for workouts whose minimum of a discrete type compares to a quantity.
    public static func predicateForWorkouts(
        operatorType: HealthComparison, quantityType: HKQuantityType, minimumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.minimum, quantityType, operatorType, minimumQuantity, isOfActivity: false)
    }

    /// Returns a predicate for workouts whose maximum of a discrete type compares to a quantity.
    public static func predicateForWorkouts(
        operatorType: HealthComparison, quantityType: HKQuantityType, maximumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.maximum, quantityType, operatorType, maximumQuantity, isOfActivity: false)
    }

    /// Returns a predicate for workouts whose average of a discrete type compares to a quantity.
    public static func predicateForWorkouts(
        operatorType: HealthComparison, quantityType: HKQuantityType, averageQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.average, quantityType, operatorType, averageQuantity, isOfActivity: false)
    }

    /// Returns a predicate for workouts with an activity that fulfils the whole predicate.
    ///
    /// - Parameter activityPredicate: a predicate of `predicateForWorkoutActivities`, or a compound of such predicates.
    public static func predicateForWorkouts(activityPredicate: NSPredicate) -> NSPredicate {
        HealthPredicate(.someActivity(activityPredicate))
    }

    // MARK: Activities of workouts

    /// Returns a predicate for activities of a type, for `predicateForWorkouts(activityPredicate:)`.
    public static func predicateForWorkoutActivities(workoutActivityType: HKWorkoutActivityType) -> NSPredicate {
        activities(.activity(workoutActivityType))
    }

    /// Returns a predicate for activities whose duration in seconds, without pauses, compares to `duration`.
    public static func predicateForWorkoutActivities(
        operatorType: HealthComparison, duration: TimeInterval
    ) -> NSPredicate {
        activities(.duration(operatorType, duration)).checked(operatorType)
    }

    /// Returns a predicate for activities in a window, which is that of `predicateForSamples(withStart:end:options:)`.
    public static func predicateForWorkoutActivities(
        start startDate: Date?, end endDate: Date?, options: HKQueryOptions = []
    ) -> NSPredicate {
        activities(.time(start: startDate, end: endDate, options: options))
    }

    /// Returns a predicate for activities whose sum of a cumulative type compares to a quantity.
    public static func predicateForWorkoutActivities(
        operatorType: HealthComparison, quantityType: HKQuantityType, sumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.sum, quantityType, operatorType, sumQuantity, isOfActivity: true)
    }

    /// Returns a predicate for activities whose minimum of a discrete type compares to a quantity.
    public static func predicateForWorkoutActivities(
        operatorType: HealthComparison, quantityType: HKQuantityType, minimumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.minimum, quantityType, operatorType, minimumQuantity, isOfActivity: true)
    }

    /// Returns a predicate for activities whose maximum of a discrete type compares to a quantity.
    public static func predicateForWorkoutActivities(
        operatorType: HealthComparison, quantityType: HKQuantityType, maximumQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.maximum, quantityType, operatorType, maximumQuantity, isOfActivity: true)
    }

    /// Returns a predicate for activities whose average of a discrete type compares to a quantity.
    public static func predicateForWorkoutActivities(
        operatorType: HealthComparison, quantityType: HKQuantityType, averageQuantity: HKQuantity
    ) -> NSPredicate {
        statistic(.average, quantityType, operatorType, averageQuantity, isOfActivity: true)
    }

    // MARK: Checks

    private static func total(
        _ total: WorkoutCondition.Total, _ comparison: HealthComparison, _ quantity: HKQuantity, _ unit: HKUnit
    ) -> NSPredicate {
        guard quantity.is(compatibleWith: unit) else {
            return refused("\(quantity) does not convert to \(unit)", "give a quantity in a unit such as \(unit)")
        }
        return workouts(.total(total, comparison, quantity)).checked(comparison)
    }

    private static func statistic(
        _ value: WorkoutCondition.Value, _ type: HKQuantityType, _ comparison: HealthComparison,
        _ quantity: HKQuantity, isOfActivity: Bool
    ) -> NSPredicate {
        let isCumulative = type.aggregationStyle == .cumulative
        guard isCumulative == (value == .sum) else {
            let which = isCumulative ? "cumulative" : "discrete"
            return refused(
                "\(type) is \(which) and has no \(value)",
                isCumulative ? "use sumQuantity" : "use averageQuantity, minimumQuantity or maximumQuantity")
        }
        guard type.is(compatibleWith: quantity.unit) else {
            return refused("\(quantity) is not a quantity of \(type)", "give a unit of the type")
        }
        let condition = WorkoutCondition.statistic(type.identifier, value, comparison, quantity)
        return (isOfActivity ? activities(condition) : workouts(condition)).checked(comparison)
    }

    private static func refused(_ reason: String, _ advice: String) -> NSPredicate {
        HealthPredicate(
            .refused(HKError(.errorInvalidArgument, reason: reason, place: "HKQuery predicate", advice: advice)))
    }
}

extension NSPredicate {
    /// Returns the predicate; a refused one for an operator of strings.
    fileprivate func checked(_ comparison: HealthComparison) -> NSPredicate {
        guard comparison.rawValue > HealthComparison.notEqualTo.rawValue else { return self }
        return HealthPredicate(
            .refused(
                HKError(
                    .errorInvalidArgument, reason: "\(comparison) compares strings, not numbers",
                    place: "HKQuery predicate", advice: "use one of the six comparisons, for example greaterThan")))
    }
}
