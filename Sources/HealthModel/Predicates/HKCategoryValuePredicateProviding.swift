// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Values of category samples, which can be asked for by their names.
public protocol HKCategoryValuePredicateProviding: RawRepresentable, Hashable, Sendable where RawValue == Int {}

extension HKCategoryValuePredicateProviding {
    /// Category samples whose value compares so with one of the enumeration.
    public static func predicateForSamples(_ operatorType: HealthComparison, value: Self) -> NSPredicate {
        HKQuery.predicateForCategorySamples(with: operatorType, value: value.rawValue)
    }

    /// Category samples with one of these values.
    public static func predicateForSamples(equalTo values: Set<Self>) -> NSPredicate {
        HKQuery.predicateForCategorySamples(equalTo: Set(values.map(\.rawValue)))
    }
}

extension HKCategoryValueSleepAnalysis {
    /// Every value that means sleep, with a stage or without.
    public static var allAsleepValues: Set<Self> { [.asleepUnspecified, .asleepCore, .asleepDeep, .asleepREM] }
}
