// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Which objects a query means, as a value that a store can read: what `NSPredicate`s of HealthKit's factories carry.
package indirect enum SamplePredicate: Hashable, Sendable {
    /// Every object, or none.
    case always(Bool)
    /// All of these; every object, if there are none.
    case and([SamplePredicate])
    /// One of these at least; no object, if there are none.
    case or([SamplePredicate])
    case not(SamplePredicate)

    /// By time; an open bound is nil.
    case time(start: Date?, end: Date?, options: HKQueryOptions)
    case uuids(Set<UUID>)
    case sources(Set<HKSource>)
    case revisions(Set<HKSourceRevision>)
    /// Devices that say exactly this.
    case devices(Set<HKDevice>)
    /// One of these texts; with none, devices that do not say it.
    case device(HealthDeviceProperty, Set<String>)
    case hasMetadata(String)
    case metadataIn(String, [HealthMetadataValue])
    case metadata(String, HealthComparison, HealthMetadataValue)
    case quantity(HealthComparison, HKQuantity)
    case category(HealthComparison, Int)
    case categoryIn(Set<Int>)
    case withoutCorrelation
    case classification(HKElectrocardiogram.Classification)
    case symptoms(HKElectrocardiogram.SymptomsStatus)
    /// Summaries of days; no sample.
    case days(PredicateDays)
    /// What was asked for cannot be; the query that is given it says why.
    case refused(HKError)
}

/// How a predicate compares. Names and raw values are those of `NSComparisonPredicate.Operator`, which is deprecated
/// outside of Apple's systems; `.equalTo` and the like compile for both.
public enum HealthComparison: UInt, Hashable, Sendable, CaseIterable {
    /// Less.
    case lessThan = 0
    /// Less or the same.
    case lessThanOrEqualTo = 1
    /// Greater.
    case greaterThan = 2
    /// Greater or the same.
    case greaterThanOrEqualTo = 3
    /// The same.
    case equalTo = 4
    /// Not the same.
    case notEqualTo = 5
    /// The string begins with the other.
    case beginsWith = 8
    /// The string ends with the other.
    case endsWith = 9
    /// The string contains the other.
    case contains = 99
}

extension HealthComparison {
    /// Whether two things in this order fulfil the comparison.
    func holds(_ order: ComparisonResult) -> Bool {
        switch self {
        case .lessThan: order == .orderedAscending
        case .lessThanOrEqualTo: order != .orderedDescending
        case .greaterThan: order == .orderedDescending
        case .greaterThanOrEqualTo: order != .orderedAscending
        case .equalTo: order == .orderedSame
        case .notEqualTo: order != .orderedSame
        case .beginsWith, .endsWith, .contains: false
        }
    }

    func holds<T: Comparable>(_ a: T, _ b: T) -> Bool {
        if a < b { return holds(.orderedAscending) }
        if b < a { return holds(.orderedDescending) }
        // What is not a number has no order, and nothing holds of it.
        return a == b && holds(.orderedSame)
    }
}
