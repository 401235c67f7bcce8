// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The identifier of the type of vision prescriptions.
public let HKVisionPrescriptionTypeIdentifier = "HKVisionPrescriptionTypeIdentifier"

/// The kind of a vision prescription. Raw values are HealthKit's.
public enum HKVisionPrescriptionType: UInt, Hashable, Sendable, CaseIterable {
    /// Glasses.
    case glasses = 1
    /// Contact lenses.
    case contacts = 2
}

/// A prescription of glasses or contact lenses. A store returns the subclass that was saved.
///
/// The start of the sample is the date of issue. The end is the expiration date, or `Date.distantFuture` for a
/// prescription that does not expire.
public class HKVisionPrescription: HKSample, @unchecked Sendable {
    /// The kind of the prescription.
    public let prescriptionType: HKVisionPrescriptionType

    init(header: ObjectHeader, _ type: HKVisionPrescriptionType, issued: Date, expires: Date?) {
        prescriptionType = type
        super.init(
            header: header, type: HKObjectType.visionPrescriptionType(), start: issued, end: expires ?? .distantFuture)
    }

    /// Decodes a prescription that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKVisionPrescription.self) else { return nil }
        prescriptionType = known.prescriptionType
        super.init(coder: coder)
    }

    /// Creates a prescription without the values of lenses. Never fails; `save` refuses an expiration before the issue.
    ///
    /// - Parameter expirationDate: nil if the prescription does not expire.
    public convenience init(
        type: HKVisionPrescriptionType, dateIssued: Date, expirationDate: Date?, device: HKDevice?,
        metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type, issued: dateIssued, expires: expirationDate)
    }

    /// The date of issue: the start of the sample.
    public var dateIssued: Date { startDate }
    /// The expiration date: the end of the sample; nil if the prescription does not expire.
    public var expirationDate: Date? { hasUndeterminedDuration ? nil : endDate }

    /// The values of the lenses by eye; empty for a prescription without values.
    package var lenses: [(eye: HKVisionEye, lens: HKLensSpecification)] { [] }

    package override var fields: HealthFields? {
        var fields = HealthFields()
        fields.put(1, 0)
        fields.put(2, Int(prescriptionType.rawValue))
        return fields
    }
}

/// A prescription of glasses.
public final class HKGlassesPrescription: HKVisionPrescription, @unchecked Sendable {
    /// The lens of the right eye; nil if none is prescribed.
    public let rightEye: HKGlassesLensSpecification?
    /// The lens of the left eye; nil if none is prescribed.
    public let leftEye: HKGlassesLensSpecification?

    package init(
        header: ObjectHeader, right: HKGlassesLensSpecification?, left: HKGlassesLensSpecification?, issued: Date,
        expires: Date?
    ) {
        rightEye = right
        leftEye = left
        super.init(header: header, .glasses, issued: issued, expires: expires)
    }

    /// Decodes a prescription that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKGlassesPrescription.self) else { return nil }
        rightEye = known.rightEye
        leftEye = known.leftEye
        super.init(coder: coder)
    }

    /// Creates a prescription of glasses. Never fails; `save` refuses values of another dimension.
    ///
    /// - Parameters:
    ///   - expirationDate: nil if the prescription does not expire.
    ///   - metadata: `HKMetadataKeyGlassesPrescriptionDescription` states the purpose, such as "reading".
    public convenience init(
        rightEyeSpecification: HKGlassesLensSpecification?, leftEyeSpecification: HKGlassesLensSpecification?,
        dateIssued: Date, expirationDate: Date?, device: HKDevice?, metadata: [String: Any]?
    ) {
        self.init(
            header: ObjectHeader(device: device, metadata: metadata), right: rightEyeSpecification,
            left: leftEyeSpecification, issued: dateIssued, expires: expirationDate)
    }

    package override var lenses: [(eye: HKVisionEye, lens: HKLensSpecification)] {
        [(.right, rightEye), (.left, leftEye)].compactMap { eye, lens in lens.map { (eye, $0) } }
    }

    package override var fields: HealthFields? {
        var fields = HealthFields()
        fields.put(1, 1)
        fields.put(3, rightEye?.fields)
        fields.put(4, leftEye?.fields)
        return fields
    }
}

/// A prescription of contact lenses.
public final class HKContactsPrescription: HKVisionPrescription, @unchecked Sendable {
    /// The lens of the right eye; nil if none is prescribed.
    public let rightEye: HKContactsLensSpecification?
    /// The lens of the left eye; nil if none is prescribed.
    public let leftEye: HKContactsLensSpecification?
    /// The brand of the lenses.
    public let brand: String

    package init(
        header: ObjectHeader, right: HKContactsLensSpecification?, left: HKContactsLensSpecification?, brand: String,
        issued: Date, expires: Date?
    ) {
        rightEye = right
        leftEye = left
        self.brand = brand
        super.init(header: header, .contacts, issued: issued, expires: expires)
    }

    /// Decodes a prescription that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKContactsPrescription.self) else { return nil }
        rightEye = known.rightEye
        leftEye = known.leftEye
        brand = known.brand
        super.init(coder: coder)
    }

    /// Creates a prescription of contact lenses. Never fails; `save` refuses values of another dimension.
    ///
    /// - Parameter expirationDate: nil if the prescription does not expire.
    public convenience init(
        rightEyeSpecification: HKContactsLensSpecification?, leftEyeSpecification: HKContactsLensSpecification?,
        brand: String, dateIssued: Date, expirationDate: Date?, device: HKDevice?, metadata: [String: Any]?
    ) {
        self.init(
            header: ObjectHeader(device: device, metadata: metadata), right: rightEyeSpecification,
            left: leftEyeSpecification, brand: brand, issued: dateIssued, expires: expirationDate)
    }

    package override var lenses: [(eye: HKVisionEye, lens: HKLensSpecification)] {
        [(.right, rightEye), (.left, leftEye)].compactMap { eye, lens in lens.map { (eye, $0) } }
    }

    package override var fields: HealthFields? {
        var fields = HealthFields()
        fields.put(1, 2)
        fields.put(3, rightEye?.fields)
        fields.put(4, leftEye?.fields)
        fields.put(5, brand)
        return fields
    }
}
