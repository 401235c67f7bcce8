// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The properties common to all objects: identity, source, device and metadata.
package struct ObjectHeader: Sendable {
    package var uuid: UUID
    package var sourceRevision: HKSourceRevision
    package var device: HKDevice?
    package var metadata: HealthMetadataValues?
    /// Whether the object is stored as a member of a correlation.
    package var isCorrelated = false

    /// Creates the header of a stored object; the objects of a store share revision, device and metadata.
    package init(
        uuid: UUID, sourceRevision: HKSourceRevision, device: HKDevice?, metadata: HealthMetadataValues?,
        isCorrelated: Bool = false
    ) {
        self.uuid = uuid
        self.sourceRevision = sourceRevision
        self.device = device
        self.metadata = metadata
        self.isCorrelated = isCorrelated
    }

    /// Creates the header of a new object with a new identity; the source is this program until the object is saved.
    init(device: HKDevice?, metadata: [String: Any]?) {
        uuid = ObjectIdentity.next()
        sourceRevision = ThisProgram.revision
        self.device = device
        self.metadata = metadata.map { HealthMetadataValues($0) }
    }
}

/// The base class of all objects in a health store.
///
/// Objects are immutable and may be shared between threads. Two objects are equal if their ``uuid`` is equal.
///
/// The subclasses are marked `@unchecked Sendable`, because the compiler can check final classes only. All their stored
/// properties are constant and `Sendable`, and other modules cannot subclass them.
public class HKObject: NSObject, NSSecureCoding, @unchecked Sendable {
    package let header: ObjectHeader

    package init(header: ObjectHeader) {
        self.header = header
        super.init()
    }

    /// The identity of the object, assigned at creation and kept by the store.
    ///
    /// Objects created one after the other have consecutive identities of version 8.
    public var uuid: UUID { header.uuid }

    /// The source that saved the object. The store sets it; for an unsaved object it is this program.
    public var sourceRevision: HKSourceRevision { header.sourceRevision }

    /// The program or device that saved the object: an older accessor of ``sourceRevision``'s source.
    public var source: HKSource { header.sourceRevision.source }

    /// The device that recorded the data; nil if unknown.
    public var device: HKDevice? { header.device }

    /// The metadata of the object: strings, numbers, Booleans, dates, quantities and data under predefined keys
    /// (`HKMetadataKeyWasUserEntered`) or custom keys.
    ///
    /// Numbers and Booleans are `NSNumber` objects, as in HealthKit: `as? Int`, `as? Double` and `as? Bool` succeed for
    /// a number that the type can represent exactly. Values of other types are dropped, and the object cannot be saved.
    public var metadata: [String: Any]? { header.metadata.map(\.anyValues) }

    // MARK: Archives

    /// Always true.
    public class var supportsSecureCoding: Bool { true }

    /// Encodes all properties of the object.
    public func encode(with coder: NSCoder) { coder.encode(ObjectRecord(header), record: "object") }

    /// Decodes an object that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let header = coder.decode(ObjectRecord.self, record: "object")?.header else { return nil }
        self.header = header
        super.init()
    }

    /// The hash of the identity.
    public override var hash: Int { uuid.hashValue }

    /// Returns whether the other object has the same identity.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKObject else { return false }
        return other === self || other.uuid == uuid
    }

    /// The class and the identity.
    public override var description: String { "\(type(of: self)) \(uuid)" }
}

/// The record of a deleted object.
public final class HKDeletedObject: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The identity of the deleted object.
    public let uuid: UUID
    private let values: HealthMetadataValues?

    package init(uuid: UUID, metadata: HealthMetadataValues?) {
        self.uuid = uuid
        values = metadata
    }

    /// The object's `HKMetadataKeySyncIdentifier` and `HKMetadataKeySyncVersion`, if present.
    public var metadata: [String: Any]? { values.map(\.anyValues) }

    /// Returns the record itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes identity and metadata.
    public func encode(with coder: NSCoder) {
        coder.encode([uuid], record: "uuid")
        coder.encode(values, named: "metadata")
    }

    /// Decodes a record that `encode(with:)` encoded; nil if the archive has no record.
    public convenience init?(coder: NSCoder) {
        guard let uuid = coder.decode([UUID].self, record: "uuid")?.first else { return nil }
        self.init(uuid: uuid, metadata: coder.decodeMetadata(named: "metadata"))
    }

    /// The hash of the identity.
    public override var hash: Int { uuid.hashValue }

    /// Returns whether the other record belongs to the same object.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKDeletedObject)?.uuid == uuid }

    /// The class and the identity.
    public override var description: String { "HKDeletedObject \(uuid)" }
}
