// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What every object has: its identity, where it is from, and what was said about it.
package struct ObjectHeader: Sendable {
    package var uuid: UUID
    package var sourceRevision: HKSourceRevision
    package var device: HKDevice?
    package var metadata: HealthMetadataValues?
    /// Whether a store keeps the object as a member of a correlation.
    package var isCorrelated = false

    /// Of an object that a store kept; the store shares revision, device and metadata among its objects.
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

    /// Of a new object: a new identity, and this program as the source until a store saves it.
    init(device: HKDevice?, metadata: [String: Any]?) {
        uuid = ObjectIdentity.next()
        sourceRevision = ThisProgram.revision
        self.device = device
        self.metadata = metadata.map { HealthMetadataValues($0) }
    }
}

/// The root of all that a health store keeps.
///
/// Objects never change and may be shared between threads. Two are equal when their ``uuid`` is.
///
/// The classes below this one are marked `@unchecked Sendable`, because the compiler checks classes without subclasses
/// only. All that they store is constant and `Sendable`, and nobody outside this module can subclass.
public class HKObject: NSObject, @unchecked Sendable {
    package let header: ObjectHeader

    package init(header: ObjectHeader) {
        self.header = header
        super.init()
    }

    /// The object's identity, from the moment that it is made; a store keeps it.
    ///
    /// Objects made one after the other have consecutive ones, of version 8.
    public var uuid: UUID { header.uuid }

    /// Who saved the object. A store stamps it; before that it is this program.
    public var sourceRevision: HKSourceRevision { header.sourceRevision }

    /// The program or device that saved the object: the older name of a part of ``sourceRevision``.
    public var source: HKSource { header.sourceRevision.source }

    /// The device that made the data, if it is known.
    public var device: HKDevice? { header.device }

    /// What was said about the object: strings, numbers, Booleans, dates, quantities and data under predefined keys
    /// (`HKMetadataKeyWasUserEntered`) or others.
    ///
    /// A value comes back with the type that it was given with, but that whole numbers of all widths come back as `Int`
    /// (as `UInt` beyond `Int.max`) and a `Float` as `Double`. What is none of these is not kept, and the object cannot
    /// be saved.
    public var metadata: [String: Any]? { header.metadata.map(\.anyValues) }

    /// Hashes the identity.
    public override var hash: Int { uuid.hashValue }

    /// Whether the other object has the same identity.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKObject else { return false }
        return other === self || other.uuid == uuid
    }

    /// The class and the identity.
    public override var description: String { "\(type(of: self)) \(uuid)" }
}

/// What is left of an object that was deleted.
public final class HKDeletedObject: NSObject, Sendable {
    /// The identity that the object had.
    public let uuid: UUID
    private let values: HealthMetadataValues?

    package init(uuid: UUID, metadata: HealthMetadataValues?) {
        self.uuid = uuid
        values = metadata
    }

    /// The object's `HKMetadataKeySyncIdentifier` and `HKMetadataKeySyncVersion`, if it had them.
    public var metadata: [String: Any]? { values.map(\.anyValues) }

    /// Hashes the identity.
    public override var hash: Int { uuid.hashValue }

    /// Whether the other object is the trace of the same object.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKDeletedObject)?.uuid == uuid }

    /// The class and the identity.
    public override var description: String { "HKDeletedObject \(uuid)" }
}
