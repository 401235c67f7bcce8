// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

extension HealthCatalog {
    // MARK: - Documents

    /// Inserts a document with its contents, stored as given.
    package static func insert(
        _ document: DocumentRow, body: [UInt8], _ transaction: CatalogTransaction
    ) throws {
        let sql = "INSERT INTO document(id,path,digest,bytes,body)VALUES(?,?,?,?,?)"
        try transaction.run(
            sql, [document.id, transaction.plain(document.path), document.digest, document.bytes, body])
    }

    /// Returns all documents without their contents, ascending by id.
    package static func documents(_ transaction: CatalogTransaction) throws -> [DocumentRow] {
        try transaction.all("SELECT id,path,digest,bytes FROM document ORDER BY id") { row in
            DocumentRow(id: try row.int(0), path: try row.text(1), digest: try row.int(2), bytes: try row.int(3))
        }
    }

    /// Returns the stored contents of a document; nil if it does not exist.
    package static func documentBody(id: Int64, _ transaction: CatalogTransaction) throws -> [UInt8]? {
        try transaction.last("SELECT body FROM document WHERE id=?", [id]) { try $0.blob(0) }
    }

    // MARK: - Characteristics

    /// Returns the characteristics, which do not change with time: date of birth, blood type ...
    package static func characteristics(_ transaction: CatalogTransaction) throws -> [String: String] {
        var found: [String: String] = [:]
        try transaction.scan("SELECT key,value FROM characteristic") { found[try $0.text(0)] = try $0.text(1) }
        return found
    }

    /// Sets a characteristic; nil removes it.
    package static func set(
        characteristic key: String, to value: String?, _ transaction: CatalogTransaction
    ) throws {
        try noteChange(.characteristic, key, transaction)
        guard let value else {
            try transaction.run("DELETE FROM characteristic WHERE key=?", [key])
            return
        }
        let sql = "INSERT INTO characteristic(key,value)VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value"
        try transaction.run(sql, [transaction.plain(key), transaction.plain(value)])
    }

    // MARK: - Imports

    package static func append(_ row: ImportRow, _ transaction: CatalogTransaction) throws {
        let sql = """
            INSERT INTO import_log(id,file,digest,at,records,added,skipped,repaired,note)VALUES(?,?,?,?,?,?,?,?,?)
            """
        try transaction.run(
            sql,
            [
                row.id == 0 ? nil : row.id, transaction.plain(row.file), row.digest, row.at, row.records,
                row.added, row.skipped, row.repaired, transaction.plain(row.note),
            ])
    }

    /// Returns all imports, oldest first.
    package static func imports(_ transaction: CatalogTransaction) throws -> [ImportRow] {
        let sql = "SELECT id,file,digest,at,records,added,skipped,repaired,note FROM import_log ORDER BY id"
        return try transaction.all(sql) { row in
            ImportRow(
                id: try row.int(0), file: try row.text(1), digest: try row.blob(2), at: try row.int(3),
                records: try row.int(4), added: try row.int(5), skipped: try row.int(6), repaired: try row.int(7),
                note: try row.text(8))
        }
    }
}
