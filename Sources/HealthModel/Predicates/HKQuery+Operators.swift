// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Foundation on Linux marks `NSComparisonPredicate` as deprecated, although its operators are usable. These overloads
// take variables of that type. A literal such as `.greaterThan` selects the functions with `HealthComparison`.
extension HealthComparison {
    /// Creates the comparison of Foundation's operator; nil for an operator of other predicates, such as `matches`.
    @available(
        *, deprecated, message: "NSComparisonPredicate is deprecated on Linux; use the cases of HealthComparison"
    )
    public init?(_ operatorType: NSComparisonPredicate.Operator) {
        // The raw values of `contains` differ: 99 in HealthKit, 11 in Foundation on Linux.
        switch operatorType {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqualTo
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
        case .equalTo: self = .equalTo
        case .notEqualTo: self = .notEqualTo
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .contains: self = .contains
        default: return nil
        }
    }
}

@available(*, deprecated, message: "NSComparisonPredicate is deprecated on Linux; pass a HealthComparison")
extension HKQuery {
    private static func with(
        _ operatorType: NSComparisonPredicate.Operator, _ predicate: (HealthComparison) -> NSPredicate
    ) -> NSPredicate {
        HealthComparison(operatorType).map(predicate)
            ?? HealthPredicate(
                .refused(
                    HKError(
                        .errorInvalidArgument, reason: "the operator \(operatorType.rawValue) is not a comparison",
                        place: "HKQuery predicate", advice: "use a comparison, for example greaterThan")))
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForObjects(
        withMetadataKey key: String, operatorType: NSComparisonPredicate.Operator, value: Any
    ) -> NSPredicate {
        with(operatorType) { predicateForObjects(withMetadataKey: key, operatorType: $0, value: value) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForQuantitySamples(
        with operatorType: NSComparisonPredicate.Operator, quantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) { predicateForQuantitySamples(with: $0, quantity: quantity) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForCategorySamples(
        with operatorType: NSComparisonPredicate.Operator, value: Int
    ) -> NSPredicate {
        with(operatorType) { predicateForCategorySamples(with: $0, value: value) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        with operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkouts(with: $0, duration: duration) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForStatesOfMind(
        withValence valence: Double, operatorType: NSComparisonPredicate.Operator
    ) -> NSPredicate {
        with(operatorType) { predicateForStatesOfMind(withValence: valence, operatorType: $0) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        with operatorType: NSComparisonPredicate.Operator, totalEnergyBurned: HKQuantity
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkouts(with: $0, totalEnergyBurned: totalEnergyBurned) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        with operatorType: NSComparisonPredicate.Operator, totalDistance: HKQuantity
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkouts(with: $0, totalDistance: totalDistance) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        with operatorType: NSComparisonPredicate.Operator, totalSwimmingStrokeCount: HKQuantity
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkouts(with: $0, totalSwimmingStrokeCount: totalSwimmingStrokeCount) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        with operatorType: NSComparisonPredicate.Operator, totalFlightsClimbed: HKQuantity
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkouts(with: $0, totalFlightsClimbed: totalFlightsClimbed) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkouts(operatorType: $0, quantityType: quantityType, sumQuantity: sumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkouts(operatorType: $0, quantityType: quantityType, minimumQuantity: minimumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkouts(operatorType: $0, quantityType: quantityType, maximumQuantity: maximumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkouts(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, averageQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkouts(operatorType: $0, quantityType: quantityType, averageQuantity: averageQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkoutActivities(
        operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
    ) -> NSPredicate {
        with(operatorType) { predicateForWorkoutActivities(operatorType: $0, duration: duration) }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkoutActivities(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkoutActivities(operatorType: $0, quantityType: quantityType, sumQuantity: sumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkoutActivities(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkoutActivities(
                operatorType: $0, quantityType: quantityType, minimumQuantity: minimumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkoutActivities(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkoutActivities(
                operatorType: $0, quantityType: quantityType, maximumQuantity: maximumQuantity)
        }
    }

    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForWorkoutActivities(
        operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, averageQuantity: HKQuantity
    ) -> NSPredicate {
        with(operatorType) {
            predicateForWorkoutActivities(
                operatorType: $0, quantityType: quantityType, averageQuantity: averageQuantity)
        }
    }
}

@available(*, deprecated, message: "NSComparisonPredicate is deprecated on Linux; pass a HealthComparison")
extension HKCategoryValuePredicateProviding {
    /// See the function with the same labels and a ``HealthComparison``.
    @_disfavoredOverload
    public static func predicateForSamples(
        _ operatorType: NSComparisonPredicate.Operator, value: Self
    ) -> NSPredicate {
        HKQuery.predicateForCategorySamples(with: operatorType, value: value.rawValue)
    }
}
