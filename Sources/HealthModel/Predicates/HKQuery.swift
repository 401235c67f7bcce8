// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How the window of ``HKQuery/predicateForSamples(withStart:end:options:)`` is meant. Raw values are HealthKit's.
public struct HKQueryOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The sample's start lies in the window.
    public static let strictStartDate = HKQueryOptions(rawValue: 1)
    /// The sample's end lies in the window.
    public static let strictEndDate = HKQueryOptions(rawValue: 2)
}

/// The root of all queries; its factories make the predicates that queries take.
///
/// A predicate evaluates to false for what is no health object. Predicates are combined with `NSCompoundPredicate`.
///
/// A program uses the subclasses. They are marked `@unchecked Sendable`, as this one is, because the compiler checks
/// classes without subclasses only; this one stores constants.
open class HKQuery: NSObject, @unchecked Sendable {
    /// The type that is asked for; nil for a query over several.
    public let objectType: HKObjectType?
    private let read: ReadPredicate
    /// Where it is in its life.
    package let course = QueryLifecycle()

    /// A query of a subclass.
    package init(objectType: HKObjectType?, predicate: NSPredicate?) {
        self.objectType = objectType
        read = ReadPredicate(predicate)
        super.init()
    }

    /// The type that is asked for, if its objects are samples.
    public var sampleType: HKSampleType? { objectType as? HKSampleType }

    /// The predicate, nil where none was given; one that a store cannot read comes back as one that nothing fulfils.
    public var predicate: NSPredicate? { read.nsPredicate }

    /// What the predicate means; the error of one that a store cannot read.
    package var condition: Result<SamplePredicate, HKError> { read.condition }
}

extension HKQuery {
    private static func predicate(_ value: SamplePredicate) -> NSPredicate { HealthPredicate(value) }

    // MARK: Time

    /// Samples in a window of time from `start`, inclusive, to `end`, exclusive; nil is an open bound.
    ///
    /// Without options a sample that overlaps the window matches, a point in time if it lies in it. With
    /// ``HKQueryOptions/strictStartDate`` its start has to lie in the window, with ``HKQueryOptions/strictEndDate`` its
    /// end, with both, both.
    public static func predicateForSamples(
        withStart startDate: Date?, end endDate: Date?, options: HKQueryOptions = []
    ) -> NSPredicate {
        predicate(.time(start: startDate, end: endDate, options: options))
    }

    // MARK: Identity and origin

    /// The object with this identity.
    public static func predicateForObject(with uuid: UUID) -> NSPredicate { predicate(.uuids([uuid])) }

    /// The objects with these identities.
    public static func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate { predicate(.uuids(uuids)) }

    /// Objects of a source.
    public static func predicateForObjects(from source: HKSource) -> NSPredicate { predicate(.sources([source])) }

    /// Objects of these sources.
    public static func predicateForObjects(from sources: Set<HKSource>) -> NSPredicate { predicate(.sources(sources)) }

    /// Objects of these revisions; `HKSourceRevisionAnyVersion` and its like mean every one.
    public static func predicateForObjects(from sourceRevisions: Set<HKSourceRevision>) -> NSPredicate {
        predicate(.revisions(sourceRevisions))
    }

    /// Objects of these devices, which have to say the same, property by property, nil included.
    public static func predicateForObjects(from devices: Set<HKDevice>) -> NSPredicate { predicate(.devices(devices)) }

    /// Objects whose device says one of these of itself; with no value allowed, those whose device does not say it.
    ///
    /// A key that is none of `HKDevicePropertyKeyName` and its like matches no object.
    public static func predicateForObjects(
        withDeviceProperty key: String, allowedValues: Set<String>
    ) -> NSPredicate {
        predicate(HealthDeviceProperty(rawValue: key).map { .device($0, allowedValues) } ?? .always(false))
    }

    /// Objects that are in no correlation.
    public static func predicateForObjectsWithNoCorrelation() -> NSPredicate { predicate(.withoutCorrelation) }

    // MARK: Metadata

    /// Objects with a value under this key.
    public static func predicateForObjects(withMetadataKey key: String) -> NSPredicate { predicate(.hasMetadata(key)) }

    /// Objects with one of these values under this key.
    public static func predicateForObjects(withMetadataKey key: String, allowedValues: [Any]) -> NSPredicate {
        predicate(.metadataIn(key, allowedValues.map { HealthMetadataValue($0) }))
    }

    /// Objects whose value under this key compares so with another.
    ///
    /// An object without the key matches `notEqualTo` and nothing else.
    public static func predicateForObjects(
        withMetadataKey key: String, operatorType: HealthComparison, value: Any
    ) -> NSPredicate {
        predicate(.metadata(key, operatorType, HealthMetadataValue(value)))
    }

    // MARK: Values

    /// Quantity samples whose amount compares so with another, in whatever unit. Samples that measure something else do
    /// not match.
    public static func predicateForQuantitySamples(
        with operatorType: HealthComparison, quantity: HKQuantity
    ) -> NSPredicate {
        predicate(.quantity(operatorType, quantity))
    }

    /// Category samples whose value compares so with a number.
    public static func predicateForCategorySamples(
        with operatorType: HealthComparison, value: Int
    ) -> NSPredicate {
        predicate(.category(operatorType, value))
    }

    /// Category samples with one of these values.
    public static func predicateForCategorySamples(equalTo values: Set<Int>) -> NSPredicate {
        predicate(.categoryIn(values))
    }

    // MARK: Electrocardiograms

    /// Electrocardiograms that the device took for this.
    public static func predicateForElectrocardiograms(
        classification: HKElectrocardiogram.Classification
    ) -> NSPredicate {
        predicate(.classification(classification))
    }

    /// Electrocardiograms with or without symptoms.
    public static func predicateForElectrocardiograms(
        symptomsStatus: HKElectrocardiogram.SymptomsStatus
    ) -> NSPredicate {
        predicate(.symptoms(symptomsStatus))
    }
}
