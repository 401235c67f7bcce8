// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
import HealthModel
public import UniformTypeIdentifiers

/// A file that is attached to a saved object: a scan of a prescription, for example. ``HKAttachmentStore`` adds, lists
/// and removes attachments, and reads their bytes.
///
/// Attachments are immutable. Two attachments are equal if their ``identifier`` is equal.
public final class HKAttachment: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The identity, assigned when the attachment is added.
    public let identifier: UUID
    /// The name that the program gave.
    public let name: String
    /// The type of the content: an image or a PDF document.
    public let contentType: UTType
    /// The number of bytes.
    public let size: Int
    /// The time when the attachment was added.
    public let creationDate: Date
    private let values: HealthMetadataValues?

    init(_ row: AttachmentRow) throws(HealthStoreError) {
        identifier = SampleIdentity(row.uuid).uuid
        name = row.name
        contentType = UTType(known: row.type)
        size = Int(row.bytes)
        creationDate = StoredTime.date(row.created)
        values = if let body = row.metadata { try HealthMetadata(decoding: body).values } else { nil }
    }

    private init(_ record: Record, _ values: HealthMetadataValues?) {
        (identifier, name, size) = (record.identifier, record.name, record.size)
        contentType = record.contentType
        creationDate = record.creationDate
        self.values = values
    }

    /// The metadata that the program gave: strings, numbers and dates; nil without metadata. Numbers are `NSNumber`
    /// objects, as in ``HKObject/metadata``.
    public var metadata: [String: Any]? { values.map(\.anyValues) }

    /// Returns the attachment itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    private struct Record: Codable {
        let identifier: UUID
        let name: String
        let contentType: UTType
        let size: Int
        let creationDate: Date
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the properties of the attachment, without its bytes.
    public func encode(with coder: NSCoder) {
        let record = Record(
            identifier: identifier, name: name, contentType: contentType, size: size, creationDate: creationDate)
        coder.encode(record, record: "attachment")
        coder.encode(values, named: "metadata")
    }

    /// Decodes an attachment that ``encode(with:)`` encoded; nil if the archive has no attachment.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.decode(Record.self, record: "attachment") else { return nil }
        self.init(record, coder.decodeMetadata(named: "metadata"))
    }

    /// The hash of the identity.
    public override var hash: Int { identifier.hashValue }

    /// Returns whether the other object is an attachment with the same identity.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKAttachment)?.identifier == identifier
    }

    /// The class, the identity and the name.
    public override var description: String { "\(type(of: self)) \(identifier) \(name)" }
}
