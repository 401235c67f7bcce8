// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A medication in the list of a person, with what the person added to it.
///
/// Stores return the medications of `HealthMedicationStore`.
public final class HKUserAnnotatedMedication: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name that the person gave to the medication; nil without one.
    public let nickname: String?
    /// Whether the person does not take the medication any more.
    public let isArchived: Bool
    /// Whether the person takes the medication at fixed times.
    public let hasSchedule: Bool
    /// The medication.
    public let medication: HKMedicationConcept

    /// Creates a medication for `HealthMedicationStore`. HealthKit has no such initialiser. Never fails.
    public init(
        medication: HKMedicationConcept, nickname: String? = nil, isArchived: Bool = false, hasSchedule: Bool = false
    ) {
        self.medication = medication
        self.nickname = nickname
        self.isArchived = isArchived
        self.hasSchedule = hasSchedule
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
            let known = try? HKUserAnnotatedMedication(fields: archive.fields)
        else { return nil }
        self.init(
            medication: known.medication, nickname: known.nickname, isArchived: known.isArchived,
            hasSchedule: known.hasSchedule)
    }

    /// The values as fields: 1 medication, 2 nickname, 3 archived (0 or 1), 4 scheduled (0 or 1).
    package var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, medication.fields)
        fields.put(2, nickname)
        fields.put(3, isArchived ? 1 : 0)
        fields.put(4, hasSchedule ? 1 : 0)
        return fields
    }

    /// Creates the medication of its fields.
    package convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        self.init(
            medication: try HKMedicationConcept(fields: required(fields.part(1), "the medication")),
            nickname: try fields.text(2), isArchived: try fields.integer(3) == 1,
            hasSchedule: try fields.integer(4) == 1)
    }

    /// The identifiers and texts of the medication together, in UTF-8 bytes.
    package var textBytes: Int {
        var texts = [medication.displayText, medication.generalForm.rawValue, medication.identifier.domain.rawValue]
        texts.append(nickname ?? "")
        for code in medication.relatedCodings { texts += [code.system, code.code, code.version ?? ""] }
        return texts.reduce(0) { $0 + $1.utf8.count }
    }

    /// The hash of the medication.
    public override var hash: Int { medication.hash }

    /// Returns whether all properties of the other medication are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKUserAnnotatedMedication else { return false }
        return medication == other.medication && nickname == other.nickname && isArchived == other.isArchived
            && hasSchedule == other.hasSchedule
    }

    /// The nickname, else the name.
    public override var description: String { nickname ?? medication.displayText }
}
