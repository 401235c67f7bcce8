// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The kind of data in a health store: the base class of all types.
///
/// Types are values: two types are equal if their identifiers are equal, and threads may share them. Create a type with
/// its class (`HKQuantityType(.heartRate)`) or a factory (`HKObjectType.workoutType()`).
///
/// The subclasses are marked `@unchecked Sendable`, because the compiler can check final classes only. They have one
/// stored property, a constant `Sendable` reference, and other modules cannot subclass them.
public class HKObjectType: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let facts: TypeFacts

    init(facts: TypeFacts) {
        self.facts = facts
        super.init()
    }

    /// The kind of the class's types; nil for abstract classes.
    class var kind: ObjectTypeKind? { nil }

    /// The stored and exported identifier: `HKQuantityTypeIdentifierStepCount`.
    public var identifier: String { facts.identifier }

    /// Returns whether a person grants read access object by object: for prescriptions and medications.
    public func requiresPerObjectAuthorization() -> Bool {
        switch facts.kind {
        case .prescription, .medicationDoseEvent, .userAnnotatedMedication, .verifiableRecord: true
        default: false
        }
    }

    /// The identifier.
    public override var description: String { identifier }

    /// The hash of the identifier.
    public override var hash: Int { facts.hash }

    /// Returns whether the other object is the same type.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKObjectType else { return false }
        return facts.isSame(as: other.facts)
    }

    /// Returns the type itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Always true.
    public class var supportsSecureCoding: Bool { true }

    /// Encodes the identifier and the kind.
    public func encode(with coder: NSCoder) {
        coder.encode(NSString(string: identifier), forKey: "identifier")
        coder.encode(NSString(string: facts.kind.rawValue), forKey: "kind")
    }

    /// Decodes a type from `encode(with:)`; nil if the archive holds another class or no type.
    public required init?(coder: NSCoder) {
        // `NSCoder` ends the process on decoding a key that the archive does not contain.
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

/// The type of a characteristic: a property of a person that does not change, such as the date of birth.
public final class HKCharacteristicType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .characteristic }

    /// Creates the type with this identifier, which may be unknown.
    public convenience init(_ identifier: HKCharacteristicTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .characteristic))
    }
}

/// The type of activity summaries.
public final class HKActivitySummaryType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .activitySummary }
}

/// The type of a medication that a person tracks.
public final class HKUserAnnotatedMedicationType: HKObjectType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .userAnnotatedMedication }
}
