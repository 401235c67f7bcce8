// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Conditions on the window of ``HKQuery/predicateForSamples(withStart:end:options:)``. Raw values are HealthKit's.
public struct HKQueryOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The start of the sample must lie in the window.
    public static let strictStartDate = HKQueryOptions(rawValue: 1)
    /// The end of the sample must lie in the window.
    public static let strictEndDate = HKQueryOptions(rawValue: 2)
}

/// The base class of all queries; its static functions create the predicates of queries.
///
/// A predicate evaluates to false for anything but a health object. `NSCompoundPredicate` combines predicates.
///
/// Programs use the subclasses. They and this class are marked `@unchecked Sendable`, because the compiler can check
/// final classes only; this class stores only constants.
open class HKQuery: NSObject, @unchecked Sendable {
    /// The queried type; nil for a query over several types.
    public let objectType: HKObjectType?
    private let read: ReadPredicate
    /// The lifecycle state of the query.
    package let lifecycle = QueryLifecycle()

    /// Creates a query; called by subclasses.
    package init(objectType: HKObjectType?, predicate: NSPredicate?) {
        self.objectType = objectType
        read = ReadPredicate(predicate)
        super.init()
    }

    /// The queried type if its objects are samples.
    public var sampleType: HKSampleType? { objectType as? HKSampleType }

    /// The predicate; nil if none was given. An unreadable predicate is replaced by `NSPredicate(value: false)`.
    public var predicate: NSPredicate? { read.nsPredicate }

    /// The meaning of the predicate, or the error if a store cannot read the predicate.
    package var condition: Result<SamplePredicate, HKError> { read.condition }
}

extension HKQuery {
    private static func predicate(_ value: SamplePredicate) -> NSPredicate { HealthPredicate(value) }

    // MARK: Time

    /// Returns a predicate for samples in a window from `start`, inclusive, to `end`, exclusive; nil is an open bound.
    ///
    /// Without options, a sample matches if it overlaps the window; an instant matches if it lies in the window. With
    /// ``HKQueryOptions/strictStartDate`` the start must lie in the window, with ``HKQueryOptions/strictEndDate`` the
    /// end.
    public static func predicateForSamples(
        withStart startDate: Date?, end endDate: Date?, options: HKQueryOptions = []
    ) -> NSPredicate {
        predicate(.time(start: startDate, end: endDate, options: options))
    }

    // MARK: Identity and origin

    /// Returns a predicate for the object with this identity.
    public static func predicateForObject(with uuid: UUID) -> NSPredicate { predicate(.uuids([uuid])) }

    /// Returns a predicate for the objects with these identities.
    public static func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate { predicate(.uuids(uuids)) }

    /// Returns a predicate for the objects of a source.
    public static func predicateForObjects(from source: HKSource) -> NSPredicate { predicate(.sources([source])) }

    /// Returns a predicate for the objects of these sources.
    public static func predicateForObjects(from sources: Set<HKSource>) -> NSPredicate { predicate(.sources(sources)) }

    /// Returns a predicate for the objects of these revisions; `HKSourceRevisionAnyVersion` etc. match all values.
    public static func predicateForObjects(from sourceRevisions: Set<HKSourceRevision>) -> NSPredicate {
        predicate(.revisions(sourceRevisions))
    }

    /// Returns a predicate for the objects of these devices, compared property by property, nil included.
    public static func predicateForObjects(from devices: Set<HKDevice>) -> NSPredicate { predicate(.devices(devices)) }

    /// Returns a predicate for objects whose device property is one of these values; without values, for objects whose
    /// device does not have the property.
    ///
    /// A key other than `HKDevicePropertyKeyName` and similar matches no object.
    public static func predicateForObjects(
        withDeviceProperty key: String, allowedValues: Set<String>
    ) -> NSPredicate {
        predicate(HealthDeviceProperty(rawValue: key).map { .device($0, allowedValues) } ?? .always(false))
    }

    /// Returns a predicate for objects that are not part of a correlation.
    public static func predicateForObjectsWithNoCorrelation() -> NSPredicate { predicate(.withoutCorrelation) }

    // MARK: Metadata

    /// Returns a predicate for objects with a metadata value under this key.
    public static func predicateForObjects(withMetadataKey key: String) -> NSPredicate { predicate(.hasMetadata(key)) }

    /// Returns a predicate for objects with one of these metadata values under this key.
    public static func predicateForObjects(withMetadataKey key: String, allowedValues: [Any]) -> NSPredicate {
        predicate(.metadataIn(key, allowedValues.map { HealthMetadataValue($0) }))
    }

    /// Returns a predicate for objects whose metadata value under this key compares to `value` by the operator.
    ///
    /// An object without the key matches only `notEqualTo`.
    public static func predicateForObjects(
        withMetadataKey key: String, operatorType: HealthComparison, value: Any
    ) -> NSPredicate {
        predicate(.metadata(key, operatorType, HealthMetadataValue(value)))
    }

    // MARK: Values

    /// Returns a predicate for quantity samples whose quantity compares to `quantity` by the operator, in any unit.
    /// Samples of another dimension do not match.
    public static func predicateForQuantitySamples(
        with operatorType: HealthComparison, quantity: HKQuantity
    ) -> NSPredicate {
        predicate(.quantity(operatorType, quantity))
    }

    /// Returns a predicate for category samples whose value compares to `value` by the operator.
    public static func predicateForCategorySamples(
        with operatorType: HealthComparison, value: Int
    ) -> NSPredicate {
        predicate(.category(operatorType, value))
    }

    /// Returns a predicate for category samples with one of these values.
    public static func predicateForCategorySamples(equalTo values: Set<Int>) -> NSPredicate {
        predicate(.categoryIn(values))
    }

    // MARK: Electrocardiograms

    /// Returns a predicate for electrocardiograms with this classification.
    public static func predicateForElectrocardiograms(
        classification: HKElectrocardiogram.Classification
    ) -> NSPredicate {
        predicate(.classification(classification))
    }

    /// Returns a predicate for electrocardiograms with this symptoms status.
    public static func predicateForElectrocardiograms(
        symptomsStatus: HKElectrocardiogram.SymptomsStatus
    ) -> NSPredicate {
        predicate(.symptoms(symptomsStatus))
    }

    /// Returns a predicate for objects that a person recorded with an electrocardiogram, such as symptoms: samples that
    /// start within it. HealthKit does not publish its rule.
    public static func predicateForObjectsAssociated(electrocardiogram: HKElectrocardiogram) -> NSPredicate {
        let (start, end) = (electrocardiogram.startDate, electrocardiogram.endDate)
        let others = SamplePredicate.not(.uuids([electrocardiogram.uuid]))
        return predicate(.and([.time(start: start, end: end, options: .strictStartDate), others]))
    }
}
