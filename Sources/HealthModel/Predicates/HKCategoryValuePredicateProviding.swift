// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Values of category samples that predicates can name.
public protocol HKCategoryValuePredicateProviding: RawRepresentable, Hashable, Sendable where RawValue == Int {}

extension HKCategoryValuePredicateProviding {
    /// Returns a predicate for category samples whose value compares to `value` by the operator.
    public static func predicateForSamples(_ operatorType: HealthComparison, value: Self) -> NSPredicate {
        HKQuery.predicateForCategorySamples(with: operatorType, value: value.rawValue)
    }

    /// Returns a predicate for category samples with one of these values.
    public static func predicateForSamples(equalTo values: Set<Self>) -> NSPredicate {
        HKQuery.predicateForCategorySamples(equalTo: Set(values.map(\.rawValue)))
    }
}

extension HKCategoryValueSleepAnalysis {
    /// All values that mean sleep, with or without a stage.
    public static var allAsleepValues: Set<Self> { [.asleepUnspecified, .asleepCore, .asleepDeep, .asleepREM] }
}
