// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The conditions of a query as a value that a store can evaluate; HealthKit's predicate functions carry this value.
package indirect enum SamplePredicate: Hashable, Sendable {
    /// Every object, or no object.
    case always(Bool)
    /// All of these conditions; every object if the list is empty.
    case and([SamplePredicate])
    /// At least one of these conditions; no object if the list is empty.
    case or([SamplePredicate])
    case not(SamplePredicate)

    /// A time window; nil is an open bound.
    case time(start: Date?, end: Date?, options: HKQueryOptions)
    case uuids(Set<UUID>)
    case sources(Set<HKSource>)
    case revisions(Set<HKSourceRevision>)
    /// Objects of devices with exactly these properties.
    case devices(Set<HKDevice>)
    /// One of these texts; if the set is empty, devices without the property.
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
    /// Samples of the classes that a store keeps as fields.
    case field(FieldCondition)
    /// Medications in the list of a person; no sample.
    case medication(MedicationCondition)
    /// Workouts.
    case workout(WorkoutCondition)
    /// An activity of a workout; only inside `someActivity`.
    case activity(WorkoutCondition)
    /// Workouts with an activity that fulfils a predicate, which consists of conditions on activities.
    case someActivity(SamplePredicate)
    /// The samples of a workout; a store replaces it by `identities` or by conditions on source and time.
    case members(of: UUID)
    /// The effort samples of a workout, or of one of its activities; a store replaces it by `uuids`.
    case effort(of: UUID, activity: UUID?)
    /// Objects with one of these identities, which start in a range.
    case identities(IdentityRuns)
    /// Activity summaries of days; no sample.
    case days(PredicateDays)
    /// A condition that cannot be evaluated; running the query throws this error.
    case refused(HKError)
}

/// The operators of predicates. Names and raw values are those of `NSComparisonPredicate.Operator`, which is deprecated
/// outside Apple's systems; `.equalTo` and the other names compile with both types.
public enum HealthComparison: UInt, Hashable, Sendable, CaseIterable {
    /// Less.
    case lessThan = 0
    /// Less or equal.
    case lessThanOrEqualTo = 1
    /// Greater.
    case greaterThan = 2
    /// Greater or equal.
    case greaterThanOrEqualTo = 3
    /// Equal.
    case equalTo = 4
    /// Not equal.
    case notEqualTo = 5
    /// The string begins with the other.
    case beginsWith = 8
    /// The string ends with the other.
    case endsWith = 9
    /// The string contains the other.
    case contains = 99

    /// Returns whether the comparison holds for two values in this order.
    package func holds(_ order: ComparisonResult) -> Bool {
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
        // NaN has no order, so no comparison holds.
        return a == b && holds(.orderedSame)
    }
}
