// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The rules that an object must fulfil to be saved: HealthKit's checks at creation and at saving as one pure function.
///
/// For most violations HealthKit raises an exception at creation, which ends the program. Here creation always
/// succeeds, and `save` throws ``HKError/Code/errorInvalidArgument``. ``check(_:)-(HKObject)`` reports the same error
/// beforehand, and the initialisers `init(validating:…)` throw it. `Docs/Guide/HealthData.md` lists the rules.
public enum HealthSaveRules {
    /// The maximum length of a text in UTF-8 bytes: a metadata key, a metadata string or data value, an identifier, or
    /// all texts of a device or a source revision together. Equal to the longest attribute that an import reads.
    public static let maximumTextBytes = 1 << 20
    /// The maximum length of all keys and values of an object's metadata together, in bytes.
    public static let maximumMetadataBytes = 4 << 20
    /// The maximum number of samples in a correlation.
    public static let maximumMembers = 1_000_000

    /// Throws if no store accepts the object.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` with the reason, the place and advice.
    /// - Complexity: O(metadata + members of a correlation).
    public static func check(_ object: HKObject) throws(HKError) {
        do throws(Violation) {
            try checkMetadata(object.header.metadata)
            try checkDevice(object.header.device)
            guard let sample = object as? HKSample else { return }
            try checkSample(sample)
        } catch {
            throw HKError(
                .errorInvalidArgument, reason: error.reason, place: error.path(from: name(object)),
                advice: error.advice)
        }
    }

    /// Throws for the first object that no store accepts. A save stores all objects or none.
    public static func check(_ objects: [HKObject]) throws(HKError) {
        for object in objects { try check(object) }
    }

    /// A violated rule, before the object is known to which it belongs.
    struct Violation: Error {
        let reason: String
        let advice: String
        var property: String?
        var member: String?

        init(_ reason: String, _ advice: String, property: String? = nil) {
            self.reason = reason
            self.advice = advice
            self.property = property
        }

        func path(from object: String) -> String {
            [object, member, property].compactMap(\.self).joined(separator: ", ")
        }
    }

    static func name(_ object: HKObject) -> String {
        guard let sample = object as? HKSample else { return "\(object)" }
        let type = sample.sampleType.identifier
        return "\(type.utf8.count > 1_000 ? type.prefix(100) + "…" : type[...]) \(sample.uuid)"
    }

    // Dates.

    /// The earliest and latest storable time: a copy of the engine's `TimeLimits`, which this target does not import. A
    /// test of the store compares the two.
    static let bounds: ClosedRange<Date> =
        Date(timeIntervalSince1970: -9_200_000_000)...Date(timeIntervalSince1970: 9_200_000_000)
    package static var earliestStorableDate: Date { bounds.lowerBound }
    /// The days completely within the bounds, for advice in errors.
    package static let storableDays = "1678-06-19 to 2261-07-14"

    static func checkDates(_ sample: HKSample) throws(Violation) {
        try checkInBounds(sample.startDate, "startDate")
        let type = sample.sampleType
        if sample.hasUndeterminedDuration {
            guard type.allowsUndeterminedDuration else {
                throw Violation(
                    "the end is open (Date.distantFuture); samples of this type need an end",
                    "give the end; save the sample when the end is known", property: "endDate")
            }
            return
        }
        try checkInBounds(sample.endDate, "endDate")
        guard sample.startDate <= sample.endDate else {
            throw Violation(
                "the end (\(sample.endDate)) is before the start (\(sample.startDate))",
                "swap the two dates, or correct one", property: "endDate")
        }
        let length = sample.endDate.timeIntervalSince(sample.startDate)
        guard length <= type.maximumAllowedDuration else {
            throw Violation(
                "the sample is \(NumberText.shortest(length)) s long; the maximum of this type is "
                    + "\(NumberText.shortest(type.maximumAllowedDuration)) s",
                "save shorter samples", property: "endDate")
        }
        guard length >= type.minimumAllowedDuration else {
            throw Violation(
                "the sample is \(NumberText.shortest(length)) s long; the minimum of this type is "
                    + "\(NumberText.shortest(type.minimumAllowedDuration)) s",
                "save longer samples", property: "endDate")
        }
    }

    static func checkInBounds(_ date: Date, _ property: String) throws(Violation) {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else {
            throw Violation("the time is not a number", "give a date", property: property)
        }
        // Compares dates, not seconds since 1970, which are rounded at this distance.
        guard bounds.contains(date) else {
            throw Violation(
                "the time (\(NumberText.shortest(seconds)) s since 1970) is outside the range of a store",
                "give a date from \(storableDays)", property: property)
        }
    }

    // Types and contents.

    private static func checkSample(_ sample: HKSample) throws(Violation) {
        try checkMadeByPrograms(sample)
        try checkType(sample.sampleType)
        try checkDates(sample)
        try checkContents(sample)
        try checkRequiredMetadata(sample)
    }

    /// A class accepts every identifier, but a store derives the class from the identifier.
    private static func checkType(_ type: HKSampleType) throws(Violation) {
        if type.facts.isKnown { return }
        try checkText(type.identifier.utf8.count, "the identifier of the type", property: "sampleType")
        let expected = TypeFacts.find(type.identifier).kind
        guard !type.identifier.utf8.contains(0) else {
            throw Violation(
                "the identifier of the type has a NUL character", "remove the character", property: "sampleType")
        }
        guard !type.identifier.isEmpty, expected == type.facts.kind else {
            let advice = type.facts.kind.prefix.map { "use the prefix \($0)" } ?? "use the type's factory"
            throw Violation(
                "'\(type.identifier)' does not identify a type of this class (\(type.facts.kind.rawValue))", advice,
                property: "sampleType")
        }
    }

    /// Throws if texts are too long.
    static func checkText(_ bytes: Int, _ what: String, property: String) throws(Violation) {
        guard bytes > maximumTextBytes else { return }
        throw Violation(
            "\(what) has \(bytes) bytes, the limit is \(maximumTextBytes)", "shorten it",
            property: property)
    }

    /// Throws if name, identifier, version and product of a program are together too long for a store.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument``.
    package static func check(_ revision: HKSourceRevision) throws(HKError) {
        let texts = [revision.source.name, revision.source.bundleIdentifier, revision.version, revision.productType]
        let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        guard bytes > maximumTextBytes else { return }
        throw HKError(
            .errorInvalidArgument,
            reason: "the texts of the source have \(bytes) bytes; the limit is "
                + "\(maximumTextBytes)", place: "sourceRevision", advice: "shorten them")
    }

    private static func checkDevice(_ device: HKDevice?) throws(Violation) {
        try checkText(device?.textBytes ?? 0, "all texts of the device together", property: "device")
        if let device, !device.isStorable {
            throw Violation("a text of the device has a NUL character", "remove the character", property: "device")
        }
    }

    /// Throws for objects that only builders, devices and makers of records create.
    private static func checkMadeByPrograms(_ sample: HKSample) throws(Violation) {
        switch sample {
        case is HKSeriesSample:
            throw Violation("a series cannot be saved as an object", "create it with the builder of its series")
        case is HKElectrocardiogram:
            throw Violation(
                "an electrocardiogram cannot be saved as an object", "create it with HealthElectrocardiogramBuilder")
        case is HKClinicalRecord:
            throw Violation("a clinical record cannot be saved as an object", "save it with HealthRecordStore")
        case is HKVerifiableClinicalRecord:
            throw Violation("a verifiable record cannot be saved as an object", "save it with HealthRecordStore")
        case is HKMedicationDoseEvent:
            throw Violation("a dose event cannot be saved as an object", "save it with HealthMedicationStore")
        case let sample as HKQuantitySample where sample.count != 1:
            throw Violation(
                "a series of \(sample.count) quantities cannot be saved as an object",
                "create it with HKQuantitySeriesSampleBuilder", property: "count")
        default: return
        }
    }

    private static func checkContents(_ sample: HKSample) throws(Violation) {
        switch sample {
        case let sample as HKQuantitySample: try checkQuantity(sample)
        case let sample as HKCategorySample: try checkCategory(sample)
        case let sample as HKCorrelation: try checkCorrelation(sample)
        case let workout as HKWorkout: try checkWorkout(workout)
        default: try checkFields(sample)
        }
    }

    private static func checkQuantity(_ sample: HKQuantitySample) throws(Violation) {
        let (type, quantity) = (sample.quantityType, sample.quantity)
        guard quantity.value.isFinite else {
            throw Violation(
                "the quantity is \(quantity.value), which is not finite", "give a finite number", property: "quantity")
        }
        guard type.is(compatibleWith: quantity.unit) else {
            let right = type.canonicalUnit.map { "give it in \($0) or a convertible unit" }
            throw Violation(
                "samples of this type cannot be measured in \(quantity.unit)", right ?? "create a quantity sample",
                property: "quantity")
        }
    }

    private static func checkCategory(_ sample: HKCategorySample) throws(Violation) {
        guard sample.value.magnitude <= 1 << 53 else {
            throw Violation(
                "\(sample.value) is outside the integers that a store can hold exactly",
                "give a value from -9007199254740992 to 9007199254740992", property: "value")
        }
        let identifier = HKCategoryTypeIdentifier(rawValue: sample.sampleType.identifier)
        guard HealthCategoryValues.isValid(sample.value, for: identifier) else {
            let valid = Set(HealthCategoryValues.values(of: identifier).map(\.rawValue)).sorted()
            throw Violation(
                "\(sample.value) is not a value of this type",
                "use one of \(valid.map(String.init).joined(separator: ", "))",
                property: "value")
        }
    }

    private static func checkCorrelation(_ sample: HKCorrelation) throws(Violation) {
        guard !sample.objects.isEmpty else {
            throw Violation("the correlation is empty", "add samples", property: "objects")
        }
        guard sample.objects.count <= maximumMembers else {
            throw Violation(
                "the correlation has \(sample.objects.count) samples; the limit is \(maximumMembers)",
                "split the correlation", property: "objects")
        }
        for member in sample.objects.sorted(by: { $0.uuid.uuidString < $1.uuid.uuidString }) {
            try checkMember(member)
        }
        guard sample.sampleType.identifier == HKCorrelationTypeIdentifier.bloodPressure.rawValue else { return }
        let expected = [HKQuantityTypeIdentifier.bloodPressureDiastolic, .bloodPressureSystolic].map(\.rawValue)
        guard sample.objects.map(\.sampleType.identifier).sorted() == expected else {
            throw Violation(
                "a blood pressure must have exactly one systolic and one diastolic sample",
                "give one sample of each of the two types", property: "objects")
        }
    }

    private static func checkMember(_ member: HKSample) throws(Violation) {
        do throws(Violation) {
            guard member is HKQuantitySample || member is HKCategorySample else {
                throw Violation("a member must be a quantity or category sample", "save the sample separately")
            }
            try checkMetadata(member.header.metadata)
            try checkDevice(member.header.device)
            try checkSample(member)
        } catch {
            var violation = error
            violation.member = "member \(name(member))"
            throw violation
        }
    }
}
