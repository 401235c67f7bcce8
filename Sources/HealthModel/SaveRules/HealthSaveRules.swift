// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Whether an object may be saved: what HealthKit checks when an object is made or saved, as one pure function.
///
/// HealthKit raises an exception, which ends the program, for most of this while an object is made. Here objects are
/// always made, and `save` refuses with ``HKError/Code/errorInvalidArgument``; ``check(_:)`` says the same beforehand,
/// and the initialisers `init(validating:…)` throw it. `Docs/HealthObjects.md` lists the rules.
public enum HealthSaveRules {
    /// The most bytes of UTF-8 that a text may have: a key or a string of metadata, data of metadata, all texts of a
    /// device or a source revision together, an identifier. The longest attribute that an import reads has as many.
    public static let maximumTextBytes = 1 << 20
    /// The most bytes that keys and values of an object's metadata may have together.
    public static let maximumMetadataBytes = 4 << 20
    /// The most samples of a correlation.
    public static let maximumMembers = 1_000_000

    /// Throws for an object that no store takes.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` with what is wrong, where, and what to do.
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

    /// Throws for the first of several objects that no store takes. A save takes all objects or none.
    public static func check(_ objects: [HKObject]) throws(HKError) {
        for object in objects { try check(object) }
    }

    /// What is wrong, before it is known which object of the caller's it is about.
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
}

// Dates.
extension HealthSaveRules {
    /// The earliest and the latest time that a store can hold: the engine's `TimeLimits`, which this room does not
    /// know, so they are written down again; a test of the store compares them.
    static let bounds: ClosedRange<Date> =
        Date(timeIntervalSince1970: -9_200_000_000)...Date(timeIntervalSince1970: 9_200_000_000)
    /// The first of the bounds.
    package static var earliestStorableDate: Date { bounds.lowerBound }
    /// The days that lie wholly within the bounds, as advice names them.
    package static let storableDays = "1678-06-19 to 2261-07-14"

    static func checkDates(_ sample: HKSample) throws(Violation) {
        try checkInBounds(sample.startDate, "startDate")
        let type = sample.sampleType
        if sample.hasUndeterminedDuration {
            guard type.allowsUndeterminedDuration else {
                throw Violation(
                    "the end is open (Date.distantFuture), which samples of this type may not be",
                    "give the end; save the sample when it is known", property: "endDate")
            }
            return
        }
        try checkInBounds(sample.endDate, "endDate")
        guard sample.startDate <= sample.endDate else {
            throw Violation(
                "the end (\(sample.endDate)) is before the start (\(sample.startDate))",
                "swap them, or correct one", property: "endDate")
        }
        let length = sample.endDate.timeIntervalSince(sample.startDate)
        guard length <= type.maximumAllowedDuration else {
            throw Violation(
                "the sample is \(NumberText.shortest(length)) s long, and this type allows "
                    + "\(NumberText.shortest(type.maximumAllowedDuration)) s",
                "save shorter samples", property: "endDate")
        }
        guard length >= type.minimumAllowedDuration else {
            throw Violation(
                "the sample is \(NumberText.shortest(length)) s long, and this type asks for "
                    + "\(NumberText.shortest(type.minimumAllowedDuration)) s",
                "save longer samples", property: "endDate")
        }
    }

    static func checkInBounds(_ date: Date, _ property: String) throws(Violation) {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else {
            throw Violation("the time is not a number", "give a date", property: property)
        }
        // Dates and no seconds since 1970, which are rounded at this distance.
        guard bounds.contains(date) else {
            throw Violation(
                "the time (\(NumberText.shortest(seconds)) s since 1970) is outside of what a store holds",
                "give a date from \(storableDays)", property: property)
        }
    }
}

// What the classes hold.
extension HealthSaveRules {
    private static func checkSample(_ sample: HKSample) throws(Violation) {
        try checkMadeByPrograms(sample)
        try checkType(sample.sampleType)
        try checkDates(sample)
        try checkContents(sample)
        try checkRequiredMetadata(sample)
    }

    /// A class takes every identifier; a store finds the class by the identifier again.
    private static func checkType(_ type: HKSampleType) throws(Violation) {
        if type.facts.isKnown { return }
        try checkText(type.identifier.utf8.count, "the identifier of the type", property: "sampleType")
        let expected = TypeFacts.find(type.identifier).kind
        guard !type.identifier.utf8.contains(0) else {
            throw Violation(
                "the identifier of the type has a NUL character", "give one without", property: "sampleType")
        }
        guard !type.identifier.isEmpty, expected == type.facts.kind else {
            let advice = type.facts.kind.prefix.map { "give one that begins with \($0)" } ?? "use the type's factory"
            throw Violation(
                "'\(type.identifier)' is no identifier of a type of this class (\(type.facts.kind.rawValue))", advice,
                property: "sampleType")
        }
    }

    /// Refuses texts that are too long.
    private static func checkText(_ bytes: Int, _ what: String, property: String) throws(Violation) {
        guard bytes > maximumTextBytes else { return }
        throw Violation(
            "\(what) has \(bytes) bytes, and a store keeps \(maximumTextBytes)", "give a shorter one",
            property: property)
    }

    /// Throws for a program whose name, identifier, version and system are too long together to be stored.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument``.
    package static func check(_ revision: HKSourceRevision) throws(HKError) {
        let texts = [revision.source.name, revision.source.bundleIdentifier, revision.version, revision.productType]
        let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        guard bytes > maximumTextBytes else { return }
        throw HKError(
            .errorInvalidArgument,
            reason: "the texts of the source have \(bytes) bytes, and a store keeps "
                + "\(maximumTextBytes)", place: "sourceRevision", advice: "give shorter ones")
    }

    private static func checkDevice(_ device: HKDevice?) throws(Violation) {
        try checkText(device?.textBytes ?? 0, "all texts of the device together", property: "device")
        if let device, !device.isStorable {
            throw Violation("a text of the device has a NUL character", "give it without", property: "device")
        }
    }

    /// Series and electrocardiograms come from builders and devices.
    private static func checkMadeByPrograms(_ sample: HKSample) throws(Violation) {
        switch sample {
        case is HKSeriesSample:
            throw Violation("a series cannot be saved as an object", "make it with the builder of its series")
        case is HKElectrocardiogram:
            throw Violation(
                "an electrocardiogram cannot be saved as an object", "make it with HealthElectrocardiogramBuilder")
        case let sample as HKQuantitySample where sample.count != 1:
            throw Violation(
                "a series of \(sample.count) quantities cannot be saved as an object",
                "make it with HKQuantitySeriesSampleBuilder", property: "count")
        default: return
        }
    }

    private static func checkContents(_ sample: HKSample) throws(Violation) {
        switch sample {
        case let sample as HKQuantitySample: try checkQuantity(sample)
        case let sample as HKCategorySample: try checkCategory(sample)
        case let sample as HKCorrelation: try checkCorrelation(sample)
        default: return
        }
    }

    private static func checkQuantity(_ sample: HKQuantitySample) throws(Violation) {
        let (type, quantity) = (sample.quantityType, sample.quantity)
        guard quantity.value.isFinite else {
            throw Violation(
                "the quantity is \(quantity.value), which is no amount", "give a finite number", property: "quantity")
        }
        guard type.is(compatibleWith: quantity.unit) else {
            let right = type.canonicalUnit.map { "give it in \($0), or a unit that converts to it" }
            throw Violation(
                "samples of this type cannot be measured in \(quantity.unit)", right ?? "make a quantity sample of it",
                property: "quantity")
        }
    }

    private static func checkCategory(_ sample: HKCategorySample) throws(Violation) {
        guard sample.value.magnitude <= 1 << 53 else {
            throw Violation(
                "\(sample.value) is greater than what a store keeps of a whole number",
                "give one from -9007199254740992 to 9007199254740992", property: "value")
        }
        let identifier = HKCategoryTypeIdentifier(rawValue: sample.sampleType.identifier)
        guard HealthCategoryValues.isValid(sample.value, for: identifier) else {
            let valid = Set(HealthCategoryValues.values(of: identifier).map(\.rawValue)).sorted()
            throw Violation(
                "\(sample.value) is no value of this type",
                "give one of \(valid.map(String.init).joined(separator: ", "))",
                property: "value")
        }
    }

    private static func checkCorrelation(_ sample: HKCorrelation) throws(Violation) {
        guard !sample.objects.isEmpty else {
            throw Violation("the correlation is empty", "give its samples", property: "objects")
        }
        guard sample.objects.count <= maximumMembers else {
            throw Violation(
                "the correlation has \(sample.objects.count) samples, and a store keeps \(maximumMembers)",
                "make several of it", property: "objects")
        }
        for member in sample.objects.sorted(by: { $0.uuid.uuidString < $1.uuid.uuidString }) {
            try checkMember(member)
        }
        guard sample.sampleType.identifier == HKCorrelationTypeIdentifier.bloodPressure.rawValue else { return }
        let expected = [HKQuantityTypeIdentifier.bloodPressureDiastolic, .bloodPressureSystolic].map(\.rawValue)
        guard sample.objects.map(\.sampleType.identifier).sorted() == expected else {
            throw Violation(
                "a blood pressure has one systolic and one diastolic sample, and this one has others",
                "give one sample of each of the two types", property: "objects")
        }
    }

    private static func checkMember(_ member: HKSample) throws(Violation) {
        do throws(Violation) {
            guard member is HKQuantitySample || member is HKCategorySample else {
                throw Violation("it is no quantity and no category sample", "save it beside the correlation")
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
