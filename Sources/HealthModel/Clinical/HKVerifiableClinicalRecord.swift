// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The type of a verifiable record. The raw value is HealthKit's; any other text is valid too.
public struct HKVerifiableClinicalRecordCredentialType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored text: `https://smarthealth.cards#immunization`.
    public let rawValue: String

    /// Creates the type with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Records about COVID-19.
    public static let covid19 = Self(rawValue: "https://smarthealth.cards#covid19")
    /// Vaccinations.
    public static let immunization = Self(rawValue: "https://smarthealth.cards#immunization")
    /// Laboratory results.
    public static let laboratory = Self(rawValue: "https://smarthealth.cards#laboratory")
    /// Recoveries from an infection.
    public static let recovery = Self(rawValue: "https://smarthealth.cards#recovery")

    /// The stored text.
    public var description: String { rawValue }
}

/// The format of a verifiable record. The raw value is HealthKit's; any other text is valid too.
public struct HKVerifiableClinicalRecordSourceType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored text: `SMARTHealthCard`.
    public let rawValue: String

    /// Creates the format with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SMART Health Card.
    public static let smartHealthCard = Self(rawValue: "SMARTHealthCard")
    /// An EU Digital COVID Certificate.
    public static let euDigitalCOVIDCertificate = Self(rawValue: "EUDigitalCOVIDCertificate")

    /// The stored text.
    public var description: String { rawValue }
}

/// The person of a verifiable record.
public final class HKVerifiableClinicalRecordSubject: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The full name.
    public let fullName: String
    /// Year, month and day of birth; nil if the record does not have them.
    public let dateOfBirthComponents: DateComponents?

    /// Creates a person for `HealthRecordStore`. HealthKit has no such initialiser. Never fails.
    ///
    /// - Parameter dateOfBirthComponents: only year, month and day are kept.
    public init(fullName: String, dateOfBirthComponents: DateComponents?) {
        self.fullName = fullName
        self.dateOfBirthComponents = dateOfBirthComponents.map {
            DateComponents(year: $0.year, month: $0.month, day: $0.day)
        }
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) { coder.encode(FieldsArchive(fields), record: "subject") }

    /// Decodes a person that `encode(with:)` encoded; nil if the archive has none.
    public convenience init?(coder: NSCoder) {
        guard let archive = coder.decode(FieldsArchive.self, record: "subject"),
            let known = try? HKVerifiableClinicalRecordSubject(fields: archive.fields)
        else { return nil }
        self.init(fullName: known.fullName, dateOfBirthComponents: known.dateOfBirthComponents)
    }

    /// The values as fields: 1 name, 2 whether there is a date of birth (0 or 1), 3 year, 4 month, 5 day.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, fullName)
        fields.put(2, dateOfBirthComponents == nil ? 0 : 1)
        fields.put(3, dateOfBirthComponents?.year)
        fields.put(4, dateOfBirthComponents?.month)
        fields.put(5, dateOfBirthComponents?.day)
        return fields
    }

    /// Creates the person of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        let birth = DateComponents(
            year: try fields.integer(3), month: try fields.integer(4), day: try fields.integer(5))
        self.init(
            fullName: try required(fields.text(1), "the name of the person"),
            dateOfBirthComponents: try fields.integer(2) == 1 ? birth : nil)
    }

    /// The hash of the name.
    public override var hash: Int { fullName.hashValue }

    /// Returns whether all properties of the other person are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKVerifiableClinicalRecordSubject)?.fields == fields
    }

    /// The name.
    public override var description: String { fullName }
}

/// A record that its issuer signed: a SMART Health Card or an EU Digital COVID Certificate.
///
/// Stores return the records of `HealthRecordStore`. The start and the end are the relevant date.
public final class HKVerifiableClinicalRecord: HKSample, @unchecked Sendable {
    /// The stored properties of a record.
    package struct Content: Sendable, Hashable {
        package var recordTypes: [String]
        package var issuer: String
        package var subject: HKVerifiableClinicalRecordSubject
        package var issued: Date
        package var relevant: Date
        package var expiration: Date?
        package var itemNames: [String]
        package var sourceType: String?
        package var data: Data

        package init(
            recordTypes: [String], issuer: String, subject: HKVerifiableClinicalRecordSubject, issued: Date,
            relevant: Date, data: Data
        ) {
            self.recordTypes = recordTypes
            self.issuer = issuer
            self.subject = subject
            self.issued = issued
            self.relevant = relevant
            self.data = data
            itemNames = []
        }
    }

    package let content: Content

    package init(header: ObjectHeader, date: Date, content: Content) {
        self.content = content
        super.init(header: header, type: VerifiableRecordType.only, start: date, end: date)
    }

    /// Decodes a record that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKVerifiableClinicalRecord.self) else { return nil }
        content = known.content
        super.init(coder: coder)
    }

    /// The types of the record, such as the raw value of ``HKVerifiableClinicalRecordCredentialType/immunization``.
    public var recordTypes: [String] { content.recordTypes }
    /// The identifier of the issuer.
    public var issuerIdentifier: String { content.issuer }
    /// The person.
    public var subject: HKVerifiableClinicalRecordSubject { content.subject }
    /// The date of the signature.
    public var issuedDate: Date { content.issued }
    /// The date that is relevant for the items, such as that of a vaccination.
    public var relevantDate: Date { content.relevant }
    /// The date from which the record is not valid any more; nil without one.
    public var expirationDate: Date? { content.expiration }
    /// The names of the items in the record.
    public var itemNames: [String] { content.itemNames }
    /// The format of the record; nil if unknown.
    public var sourceType: HKVerifiableClinicalRecordSourceType? {
        content.sourceType.map { HKVerifiableClinicalRecordSourceType(rawValue: $0) }
    }
    /// The signed record, byte for byte.
    public var dataRepresentation: Data { content.data }
    /// The signed record of a SMART Health Card.
    @available(*, deprecated, renamed: "dataRepresentation")
    public var jwsRepresentation: Data { content.data }

    package override var fields: HealthFields? { content.fields }
}

extension HKVerifiableClinicalRecord.Content {
    /// The properties as fields: 1 each type, 2 issuer, 3 person, 4 signature's date, 5 relevant date, 6 expiration,
    /// 7 each item, 8 format, 9 signed record.
    package var fields: HealthFields {
        var fields = HealthFields()
        for type in recordTypes { fields.put(1, type) }
        fields.put(2, issuer)
        fields.put(3, subject.fields)
        fields.put(4, issued)
        fields.put(5, relevant)
        fields.put(6, expiration)
        for name in itemNames { fields.put(7, name) }
        fields.put(8, sourceType)
        fields.put(9, data)
        return fields
    }

    /// Creates the properties of fields.
    package init(fields: HealthFields) throws(HealthFields.Fault) {
        self.init(
            recordTypes: try fields.texts(1), issuer: try fields.text(2) ?? "",
            subject: try HKVerifiableClinicalRecordSubject(fields: required(fields.part(3), "the person")),
            issued: try required(fields.date(4), "the date of the signature"),
            relevant: try required(fields.date(5), "the relevant date"), data: try fields.data(9) ?? Data())
        expiration = try fields.date(6)
        itemNames = try fields.texts(7)
        sourceType = try fields.text(8)
    }
}

/// The type of verifiable records. HealthKit has no public type for them: only a query of their own returns them.
package final class VerifiableRecordType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .verifiableRecord }

    /// The one type. Its identifier is not HealthKit's, which is not public.
    package static let only = VerifiableRecordType(
        facts: .of(ObjectTypeKind.verifiableRecord.prefix ?? "", .verifiableRecord))
}
