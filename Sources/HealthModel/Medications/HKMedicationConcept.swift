// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The form in which a medication is made. HealthKit's raw values are not public: here they are the names of its
/// constants. Any other text is valid too.
public struct HKMedicationGeneralForm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored name: `HKMedicationGeneralFormTablet`.
    public let rawValue: String

    /// Creates the form with this name, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    private static let prefix = "HKMedicationGeneralForm"
    private init(_ name: String) { rawValue = Self.prefix + name }

    /// A capsule.
    public static let capsule = Self("Capsule")
    /// A cream.
    public static let cream = Self("Cream")
    /// A device.
    public static let device = Self("Device")
    /// Drops.
    public static let drops = Self("Drops")
    /// A foam.
    public static let foam = Self("Foam")
    /// A gel.
    public static let gel = Self("Gel")
    /// An inhaler.
    public static let inhaler = Self("Inhaler")
    /// An injection.
    public static let injection = Self("Injection")
    /// A liquid.
    public static let liquid = Self("Liquid")
    /// A lotion.
    public static let lotion = Self("Lotion")
    /// An ointment.
    public static let ointment = Self("Ointment")
    /// A patch.
    public static let patch = Self("Patch")
    /// A powder.
    public static let powder = Self("Powder")
    /// A spray.
    public static let spray = Self("Spray")
    /// A suppository.
    public static let suppository = Self("Suppository")
    /// A tablet.
    public static let tablet = Self("Tablet")
    /// A medication for the skin.
    public static let topical = Self("Topical")
    /// An unknown form.
    public static let unknown = Self("Unknown")

    /// The name without the prefix of the constants: `tablet`.
    public var description: String {
        rawValue.hasPrefix(Self.prefix) ? rawValue.dropFirst(Self.prefix.count).lowercased() : rawValue
    }
}

/// A medication: a product with codes, or a name that the person typed.
public final class HKMedicationConcept: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The identifier. Dose events refer to it.
    public let identifier: HKHealthConceptIdentifier
    /// The name for display.
    public let displayText: String
    /// The form of the medication.
    public let generalForm: HKMedicationGeneralForm
    /// The codes of the medication in coding systems, such as RxNorm.
    public let relatedCodings: Set<HKClinicalCoding>

    /// Creates a medication for `HealthMedicationStore`. HealthKit has no such initialiser. Never fails.
    public init(
        identifier: HKHealthConceptIdentifier = HKHealthConceptIdentifier(domain: .medication), displayText: String,
        generalForm: HKMedicationGeneralForm = .unknown, relatedCodings: Set<HKClinicalCoding> = []
    ) {
        self.identifier = identifier
        self.displayText = displayText
        self.generalForm = generalForm
        self.relatedCodings = relatedCodings
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) { coder.encode(FieldsArchive(fields), record: "medication") }

    /// Decodes a medication that `encode(with:)` encoded; nil if the archive has none.
    public convenience init?(coder: NSCoder) {
        guard let archive = coder.decode(FieldsArchive.self, record: "medication"),
            let known = try? HKMedicationConcept(fields: archive.fields)
        else { return nil }
        self.init(
            identifier: known.identifier, displayText: known.displayText, generalForm: known.generalForm,
            relatedCodings: known.relatedCodings)
    }

    /// The values as fields: 1 identifier, 2 name, 3 form, 4 each code.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, identifier.fields)
        fields.put(2, displayText)
        fields.put(3, generalForm.rawValue)
        // Equal medications have equal fields.
        let codes = relatedCodings.sorted {
            ($0.system, $0.code, $0.version ?? "") < ($1.system, $1.code, $1.version ?? "")
        }
        for code in codes { fields.put(4, code.fields) }
        return fields
    }

    /// Creates the medication of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        var codes: Set<HKClinicalCoding> = []
        for part in try fields.parts(4) { codes.insert(try HKClinicalCoding(fields: part)) }
        self.init(
            identifier: try HKHealthConceptIdentifier(
                fields: required(fields.part(1), "the identifier of a medication")),
            displayText: try required(fields.text(2), "the name of a medication"),
            generalForm: HKMedicationGeneralForm(rawValue: try fields.text(3) ?? ""), relatedCodings: codes)
    }

    /// The hash of the identifier.
    public override var hash: Int { identifier.hash }

    /// Returns whether all properties of the other medication are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKMedicationConcept else { return false }
        return identifier == other.identifier && displayText == other.displayText && generalForm == other.generalForm
            && relatedCodings == other.relatedCodings
    }

    /// The name.
    public override var description: String { displayText }
}
