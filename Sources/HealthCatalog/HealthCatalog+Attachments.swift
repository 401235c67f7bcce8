// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import SQLiteConnection

/// A file that is attached to a saved object. The bytes are in the attached file with the same identity.
package struct AttachmentRow: Sendable, Hashable {
    /// The identity of the attachment and of its file, 16 bytes.
    package var uuid: [UInt8]
    /// The identity of the object, 16 bytes.
    package var object: [UInt8]
    /// The name that the program gave.
    package var name: String
    /// The identifier of the type of the content: `public.png`.
    package var type: String
    /// The number of content bytes.
    package var bytes: Int64
    /// The time of the addition, in nanoseconds since 1970-01-01 UTC.
    package var created: Int64
    /// The metadata in the caller's encoding; nil for none.
    package var metadata: [UInt8]?

    package init(
        uuid: [UInt8], object: [UInt8], name: String, type: String, bytes: Int64, created: Int64,
        metadata: [UInt8]? = nil
    ) {
        self.uuid = uuid
        self.object = object
        self.name = name
        self.type = type
        self.bytes = bytes
        self.created = created
        self.metadata = metadata
    }
}

// Attachments of saved objects, in a table beside the formats: programs that do not know it ignore it. The first
// attachment creates it.
extension HealthCatalog {
    private static func hasAttachments(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["attachment"])
    }

    static let attachmentColumns = "uuid,object,name,type,bytes,created,metadata"

    /// Reads a row of the id and the columns.
    static func attachment(_ row: RowReader) throws -> AttachmentRow {
        AttachmentRow(
            uuid: try row.blob(1, count: 16, "the identity of an attachment"),
            object: try row.blob(2, count: 16, "the object of an attachment"), name: try row.text(3),
            type: try row.text(4), bytes: try row.int(5, in: 0...1 << 40, "the length of an attachment"),
            created: try row.int(6), metadata: row.isNull(7) ? nil : try row.blob(7))
    }

    private static let attachmentQuery = "SELECT id,\(attachmentColumns) FROM attachment"

    /// Returns the attachments of an object, or of all objects, oldest first.
    ///
    /// - Parameter object: the identity of the object; nil for all objects.
    /// - Complexity: O(attachments of the object).
    package static func attachments(
        of object: [UInt8]?, _ transaction: CatalogTransaction
    ) throws -> [AttachmentRow] {
        guard try hasAttachments(transaction) else { return [] }
        guard let object else { return try transaction.all(attachmentQuery + " ORDER BY id", [], attachment) }
        return try transaction.all(attachmentQuery + " WHERE object=? ORDER BY id", [object], attachment)
    }

    /// Returns attachments after an id that were added in a range of commits, or whose objects were saved there, by id,
    /// with the commits that added them.
    package static func attachments(
        after id: Int64, bornAfter first: Int64, upTo last: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [(id: Int64, born: Int64, row: AttachmentRow)] {
        guard try hasAttachments(transaction) else { return [] }
        let born = "(SELECT born FROM attached_file WHERE uuid=attachment.uuid)"
        let sql = """
            SELECT id,\(attachmentColumns),\(born) AS added,(SELECT max(born) FROM health_object \
            WHERE uuid=attachment.object AND died IS NULL) AS saved FROM attachment \
            WHERE id>?1 AND(added>?2 AND added<=?3 OR saved>?2 AND saved<=?3)ORDER BY id LIMIT ?4
            """
        return try transaction.all(sql, [id, first, last, limit]) {
            (try $0.int(0), try $0.int(8), try attachment($0))
        }
    }

    /// Returns the attachment with an identity; nil if there is none.
    package static func attachment(_ uuid: [UInt8], _ transaction: CatalogTransaction) throws -> AttachmentRow? {
        guard try hasAttachments(transaction) else { return nil }
        return try transaction.last(attachmentQuery + " WHERE uuid=?", [uuid], attachment)
    }

    /// Inserts an attachment.
    ///
    /// - Requires: the same commit inserts its attached file.
    package static func insert(_ row: AttachmentRow, _ transaction: CatalogTransaction) throws {
        if try !hasAttachments(transaction) {
            for part in HealthSchema.attachmentParts { try transaction.run(part.sql) }
        }
        try transaction.run(
            "INSERT INTO attachment(\(attachmentColumns))VALUES(?,?,?,?,?,?,?)",
            [
                row.uuid, row.object, transaction.plain(row.name), transaction.plain(row.type), row.bytes, row.created,
                row.metadata,
            ])
    }

    /// Removes an attachment and retires its file.
    ///
    /// - Returns: whether the object had the attachment.
    package static func remove(
        attachment uuid: [UInt8], of object: [UInt8], _ transaction: CatalogTransaction
    ) throws -> Bool {
        guard try hasAttachments(transaction),
            try transaction.run("DELETE FROM attachment WHERE uuid=? AND object=?", [uuid, object]) > 0
        else { return false }
        try transaction.retire(attachedFiles: [uuid])
        return true
    }

    /// Removes an attachment of any object and retires its file, if there is one.
    package static func remove(attachment uuid: [UInt8], _ transaction: CatalogTransaction) throws {
        guard let row = try attachment(uuid, transaction) else { return }
        _ = try remove(attachment: uuid, of: row.object, transaction)
    }

    /// Removes the attachments of saved objects and retires their files, in the commit that retires the objects.
    static func removeAttachments(
        ofSaved ids: [Int64], isNoted: Bool, _ transaction: CatalogTransaction
    ) throws {
        guard !ids.isEmpty, try hasAttachments(transaction) else { return }
        for id in ids {
            let sql = "SELECT uuid FROM attachment WHERE object=(SELECT uuid FROM health_object WHERE id=?)"
            let gone = try transaction.all(sql, [id]) { try $0.blob(0, count: 16, "the identity of an attachment") }
            for uuid in gone { try transaction.run("DELETE FROM attachment WHERE uuid=?", [uuid]) }
            if isNoted { try noteRemoved(attachments: gone, transaction) }
            try transaction.retire(attachedFiles: gone)
        }
    }

    /// Notes removed attachments for peers, which may have moved them to a newer version of the object.
    package static func noteRemoved(attachments uuids: [[UInt8]], _ transaction: CatalogTransaction) throws {
        guard try !uuids.isEmpty && hasPeers(transaction) else { return }
        try insert(uuids.map { SyncDeletionRow(uuid: $0, type: "", start: 0, isOwn: true) }, transaction)
    }

    /// Moves the attachments of an object to the object that replaces it.
    package static func moveAttachments(
        of object: [UInt8], to other: [UInt8], _ transaction: CatalogTransaction
    ) throws {
        guard try hasAttachments(transaction) else { return }
        try transaction.run("UPDATE attachment SET object=? WHERE object=?", [other, object])
    }

    /// Returns the number of attachments, and of their content bytes.
    package static func attachmentCount(
        _ transaction: CatalogTransaction
    ) throws -> (count: Int64, bytes: Int64) {
        guard try hasAttachments(transaction) else { return (0, 0) }
        return try transaction.last("SELECT count(*),ifnull(sum(bytes),0) FROM attachment") {
            (try $0.int(0), try $0.int(1))
        } ?? (0, 0)
    }
}
