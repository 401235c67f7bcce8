// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

// Attached files, in a table outside the formats: earlier programs that do not know the table ignore it. The first file
// creates it.

extension CatalogDatabase {
    static let attachedFilesTable = "attached_file"
    static let attachedFilesSQL = """
        CREATE TABLE attached_file(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL UNIQUE,bytes INTEGER NOT NULL,\
        born INTEGER NOT NULL,died INTEGER)STRICT
        """
}

extension CatalogTransaction {
    private var hasAttachedFiles: Bool {
        get throws {
            var isThere = false
            let name = CatalogDatabase.attachedFilesTable
            try scan("SELECT 1 FROM sqlite_schema WHERE name=?", [name]) { _ in isThere = true }
            return isThere
        }
    }

    /// Returns the attached files, in the order of their addition.
    ///
    /// - Parameter isDead: true for retired files, false for live ones, nil for both.
    /// - Complexity: O(attached files).
    package func attachedFiles(isDead: Bool? = nil) throws -> [AttachedFileRow] {
        guard try hasAttachedFiles else { return [] }
        var found: [AttachedFileRow] = []
        try scan("SELECT id,\(AttachedFileRow.columns) FROM attached_file ORDER BY id") { row in
            let one = try AttachedFileRow(row)
            if isDead.map({ $0 == (one.died != nil) }) ?? true { found.append(one) }
        }
        return found
    }

    /// Returns the live attached file with an identity; nil if there is none.
    package func attachedFile(_ uuid: [UInt8]) throws -> AttachedFileRow? {
        guard try hasAttachedFiles else { return nil }
        var found: AttachedFileRow?
        let sql = "SELECT id,\(AttachedFileRow.columns) FROM attached_file WHERE uuid=? AND died IS NULL"
        try scan(sql, [uuid]) { found = try AttachedFileRow($0) }
        return found
    }

    /// Adds a file that is durable. A birth of 0 stands for this commit.
    package func insert(attachedFile row: AttachedFileRow) throws {
        guard row.uuid.count == 16, CatalogSchema.attachedBytes.contains(row.bytes) else {
            throw CatalogError(.other, "an attached file has no identity or an impossible length", path: path)
        }
        if try !hasAttachedFiles { try run(CatalogDatabase.attachedFilesSQL) }
        let born = row.born > 0 ? row.born : seq
        try run("INSERT INTO attached_file(uuid,bytes,born)VALUES(?,?,?)", [row.uuid, row.bytes, born])
    }

    /// Marks files as retired by this commit. They are deleted when no snapshot of an earlier commit is held.
    package func retire(attachedFiles uuids: [[UInt8]]) throws {
        guard !uuids.isEmpty, try hasAttachedFiles else { return }
        for uuid in uuids {
            try run("UPDATE attached_file SET died=? WHERE uuid=? AND died IS NULL", [seq, uuid])
        }
    }

    /// Removes the rows of retired files that are deleted.
    package func forget(attachedFiles uuids: [[UInt8]]) throws {
        guard !uuids.isEmpty, try hasAttachedFiles else { return }
        for uuid in uuids { try run("DELETE FROM attached_file WHERE uuid=? AND died IS NOT NULL", [uuid]) }
    }
}
