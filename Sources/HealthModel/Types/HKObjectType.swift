// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What kind of thing a health store keeps: the root of all types.
///
/// Types are values: two are equal when their identifiers are, and they may be shared between threads. They are made by
/// their class (`HKQuantityType(.heartRate)`) or by a factory (`HKObjectType.workoutType()`).
///
/// The classes below this one are marked `@unchecked Sendable`, because the compiler checks classes without subclasses
/// only. They have one stored property, a constant `Sendable` reference, and nobody outside this module can subclass.
public class HKObjectType: NSObject, NSSecureCoding, @unchecked Sendable {
    let facts: TypeFacts

    init(facts: TypeFacts) {
        self.facts = facts
        super.init()
    }

    /// What the class's own types are; nil for classes that have none of their own.
    class var kind: ObjectTypeKind? { nil }

    /// The identifier as it is stored and exported: `HKQuantityTypeIdentifierStepCount`.
    public var identifier: String { facts.identifier }

    /// Whether a person decides on reading object by object: prescriptions and medications.
    public func requiresPerObjectAuthorization() -> Bool {
        switch facts.kind {
        case .prescription, .medicationDoseEvent, .userAnnotatedMedication: true
        default: false
        }
    }

    /// The identifier.
    public override var description: String { identifier }

    /// Hashes the identifier.
    public override var hash: Int { facts.hash }

    /// Whether the other object is the same type.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKObjectType else { return false }
        return facts.isSame(as: other.facts)
    }

    // MARK: Archives

    /// True.
    public class var supportsSecureCoding: Bool { true }

    /// Writes the identifier and the kind.
    public func encode(with coder: NSCoder) {
        coder.encode(NSString(string: identifier), forKey: "identifier")
        coder.encode(NSString(string: facts.kind.rawValue), forKey: "kind")
    }

    /// Reads what ``encode(with:)`` wrote; nil if that was another class of types, or no type at all.
    public required init?(coder: NSCoder) {
        // A coder stops the process where it is asked for what it does not have.
        guard coder.containsValue(forKey: "identifier"), coder.containsValue(forKey: "kind"),
            let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let text = coder.decodeObject(of: NSString.self, forKey: "kind"),
            let kind = ObjectTypeKind(rawValue: text.description)
        else { return nil }
        facts = TypeFacts.of(identifier.description, kind)
        super.init()
        guard Self.kind == kind else { return nil }
    }
}

/// The type of a fact about a person that does not change with time, such as the date of birth.
public final class HKCharacteristicType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .characteristic }

    /// The type with this identifier, known or not.
    public convenience init(_ identifier: HKCharacteristicTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .characteristic))
    }
}

/// The type of the summary of a day's activity.
public final class HKActivitySummaryType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .activitySummary }
}

/// The type of a medication that a person tracks.
public final class HKUserAnnotatedMedicationType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .userAnnotatedMedication }
}
