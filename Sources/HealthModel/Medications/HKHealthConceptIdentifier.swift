// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of health concepts. The raw value is HealthKit's; any other text is valid too.
public struct HKHealthConceptDomain: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored name: `HKHealthConceptDomainMedication`.
    public let rawValue: String

    /// Creates the domain with this name, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The domain of medications.
    public static let medication = HKHealthConceptDomain(rawValue: "HKHealthConceptDomainMedication")

    /// The stored name.
    public var description: String { rawValue }
}

/// The identifier of a health concept, such as a medication. It is unique within its domain.
public final class HKHealthConceptIdentifier: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The domain of the concept.
    public let domain: HKHealthConceptDomain
    /// The identity of the concept.
    package let uuid: UUID

    /// Creates an identifier for `HealthMedicationStore`. HealthKit has no such initialiser. Never fails.
    ///
    /// - Parameter uuid: the identity of the concept. Use the same one for the same medication.
    public init(domain: HKHealthConceptDomain, uuid: UUID = UUID()) {
        self.domain = domain
        self.uuid = uuid
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the domain and the identity.
    public func encode(with coder: NSCoder) { coder.encode(FieldsArchive(fields), record: "concept") }

    /// Decodes an identifier that `encode(with:)` encoded; nil if the archive has none.
    public convenience init?(coder: NSCoder) {
        guard let archive = coder.decode(FieldsArchive.self, record: "concept"),
            let known = try? HKHealthConceptIdentifier(fields: archive.fields)
        else { return nil }
        self.init(domain: known.domain, uuid: known.uuid)
    }

    /// The values as fields: 1 domain, 2 identity as a text.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, domain.rawValue)
        fields.put(2, uuid.uuidString)
        return fields
    }

    /// Creates the identifier of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        let domain = try required(fields.text(1), "the domain of a concept")
        let uuid = try required(fields.text(2).flatMap { UUID(uuidString: $0) }, "the identity of a concept")
        self.init(domain: HKHealthConceptDomain(rawValue: domain), uuid: uuid)
    }

    /// The hash of the identity.
    public override var hash: Int { uuid.hashValue }

    /// Returns whether the other identifier has the same domain and the same identity.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKHealthConceptIdentifier else { return false }
        return uuid == other.uuid && domain == other.domain
    }

    /// The identity.
    public override var description: String { uuid.uuidString }
}

/// A code in a coding system, such as a code of RxNorm for a medication.
public final class HKClinicalCoding: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The coding system, usually an address: `http://www.nlm.nih.gov/research/umls/rxnorm`.
    public let system: String
    /// The version of the coding system; nil if unknown.
    public let version: String?
    /// The code.
    public let code: String

    /// Creates a code. Never fails.
    public init(system: String, version: String?, code: String) {
        self.system = system
        self.version = version
        self.code = code
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) { coder.encode(FieldsArchive(fields), record: "coding") }

    /// Decodes a code that `encode(with:)` encoded; nil if the archive has none.
    public convenience init?(coder: NSCoder) {
        guard let archive = coder.decode(FieldsArchive.self, record: "coding"),
            let known = try? HKClinicalCoding(fields: archive.fields)
        else { return nil }
        self.init(system: known.system, version: known.version, code: known.code)
    }

    /// The values as fields: 1 system, 2 version, 3 code.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, system)
        fields.put(2, version)
        fields.put(3, code)
        return fields
    }

    /// Creates the code of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        self.init(
            system: try required(fields.text(1), "the system of a code"), version: try fields.text(2),
            code: try required(fields.text(3), "the code"))
    }

    /// The hash of the code.
    public override var hash: Int { code.hashValue }

    /// Returns whether all properties of the other code are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKClinicalCoding else { return false }
        return code == other.code && system == other.system && version == other.version
    }

    /// The system and the code.
    public override var description: String { "\(system) \(code)" }
}
