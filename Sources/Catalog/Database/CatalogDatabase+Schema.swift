// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import SQLiteConnection

extension CatalogDatabase {
    /// Applies the settings that must precede the first written page.
    static func prepareEmpty(_ database: Database, formatVersion: Int, path: String, _ files: CatalogFile) throws {
        if formatVersion < checkedFormat { database.upgradePages(CSQ_UPGRADE_NEVER) }
        try database.scan("PRAGMA page_size=\(CatalogSchema.pageSize)", path: path) { _ in }
        try database.scan("PRAGMA auto_vacuum=NONE", path: path) { _ in }
        let reserved = unsafe csq_sqlite_reserve_bytes(database.handle, files.reservedBytes)
        guard reserved == files.reservedBytes else {
            throw CatalogError(.other, "SQLite reserves \(reserved) bytes a page", path: path)
        }
        try CatalogPragmas.apply(to: database, readOnly: false, path: path)
        // A rollback journal on the disk would hold plain pages. An unfinished file is deleted.
        if files.keys != nil { try database.scan("PRAGMA journal_mode=MEMORY", path: path) { _ in } }
        try CatalogPragmas.requireWAL(database, readOnly: false, path: path)
    }

    /// Creates the tables and the row of `meta`.
    static func fill(
        _ database: Database, storeID: [UInt8], homeZone: String, formatVersion: Int, path: String
    ) throws {
        try database.inTransaction(.immediate) {
            for table in CatalogSchema.tables(of: formatVersion) { try database.execute(sql: table.sql) }
            if formatVersion >= historyFormat { try database.execute(sql: CatalogSchema.firstHorizon) }
            try database.execute(
                sql: "INSERT INTO meta(id,store,zone,commit_seq)VALUES(1,?,?,0)",
                arguments: [storeID, homeZone])
            try database.execute(sql: "PRAGMA application_id=\(CatalogSchema.applicationID)")
            try database.execute(sql: "PRAGMA user_version=\(version(of: formatVersion))")
        }
        try requireChecks(database, path: path)
        let pageSize = try database.oneInt("PRAGMA page_size", path: path)
        guard pageSize == CatalogSchema.pageSize else {
            throw CatalogError(.other, "SQLite uses pages of \(pageSize) bytes", path: path)
        }
    }

    /// Throws unless the database is a catalog, of a supported format, with exactly the schema of that format. Format
    /// and schema are read in one transaction, because another process may raise the format.
    static func checkIdentity(_ database: Database, path: String) throws {
        try database.inTransaction(.deferred) {
            try checkSchema(database, path: path)
        }
    }

    private static func checkSchema(_ database: Database, path: String) throws {
        let application = try database.oneInt("PRAGMA application_id", path: path)
        guard application == CatalogSchema.applicationID else {
            throw CatalogError(.notADatabase, "a SQLite database, but not a Kymograph catalog", path: path)
        }
        let version = try database.oneInt("PRAGMA user_version", path: path)
        guard version <= Int64(newestVersion) else {
            throw CatalogError(
                .newerFormat(found: Int(version)),
                "the catalog has version \(version); this program reads up to \(newestVersion)", path: path)
        }
        guard version > 0 else { throw CatalogError(.corrupt, "the version is \(version)", path: path) }
        let format = Self.format(ofVersion: version)
        var expected: [String: String] = [:]
        for table in CatalogSchema.tables(of: Int(format)) { expected[table.name] = table.sql }
        let later = Set(CatalogSchema.tables(of: newestFormat).map(\.name)).subtracting(expected.keys)
        try database.scan("SELECT type,name,sql FROM sqlite_schema", path: path) { row in
            let type = try row.text(0)
            let name = try row.text(1)
            guard type == "table" || type == "index" else {
                throw CatalogError(.corrupt, "the schema has an unknown \(type), \(name)", path: path)
            }
            guard !later.contains(name) else {
                throw CatalogError(.corrupt, "table \(name) exists, but format \(format) does not have it", path: path)
            }
            if let sql = tablesBeside[name], try type != "table" || row.optionalText(2) != sql {
                throw CatalogError(.corrupt, "table \(name) has an unexpected definition", path: path)
            }
            guard type == "table", let sql = expected.removeValue(forKey: name) else { return }
            guard try row.optionalText(2) == sql else {
                throw CatalogError(.corrupt, "table \(name) has a definition of another format", path: path)
            }
        }
        if let name = expected.keys.min() {
            throw CatalogError(.corrupt, "table \(name) is missing", path: path)
        }
    }
}
