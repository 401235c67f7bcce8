// SPDX-License-Identifier: Apache-2.0

// HealthCatalog: the health layer's tables in the engine's catalog: who recorded a sample, what was said about it, and
// every object of a health store that is not a sample.

package import Catalog

/// Reads and writes of the health layer's tables. Every call runs inside a transaction of the catalog, so that samples
/// and what belongs to them are committed, and seen, as one.
///
/// Identifiers are chosen by the caller, positive and never used again: it interns in memory, starting from a
/// `HealthSnapshot`. A scan must not be started again from inside its own closure.
package enum HealthCatalog {
    /// Makes the tables, if they are not there yet; only a commit can. Tables of another definition are an error.
    package static func prepare(_ transaction: CatalogTransaction) throws {
        if try isPrepared(transaction) { return }
        for part in HealthSchema.parts { try transaction.run(part.sql) }
    }

    /// Whether the tables are there, as this version defines them.
    package static func isPrepared(_ transaction: CatalogTransaction) throws -> Bool {
        var expected: [String: String] = [:]
        for part in HealthSchema.parts { expected[part.name] = part.sql }
        try transaction.scan("SELECT name,sql FROM sqlite_schema") { row in
            let name = try row.text(0)
            guard let sql = expected[name] else { return }
            guard try row.optionalText(1) == sql else {
                throw CatalogError(
                    .corrupt, "\(name) is not defined as this version defines it", path: transaction.path)
            }
            expected[name] = nil
        }
        if expected.count == HealthSchema.parts.count { return false }
        guard expected.isEmpty else {
            throw CatalogError(.corrupt, "\(expected.keys.min() ?? "a table") is missing", path: transaction.path)
        }
        return true
    }

    /// The rules SQLite is not told, and what breaks them; empty for sound tables.
    package static func problems(_ transaction: CatalogTransaction) throws -> [String] {
        guard try isPrepared(transaction) else { return [] }
        let rules = [
            (
                "SELECT count(*) FROM(SELECT 1 FROM source GROUP BY name,bundle HAVING count(*)>1)",
                "two sources have the same name and bundle"
            ),
            (
                "SELECT count(*) FROM(SELECT 1 FROM metadata GROUP BY hash,body HAVING count(*)>1)",
                "two metadata rows have the same body"
            ),
            ("SELECT count(*) FROM object WHERE kind<1 OR died<=born", "an object has no kind, or died unborn"),
        ]
        var found: [String] = []
        for (query, what) in rules {
            try transaction.scan(query) { row in if try row.int(0) != 0 { found.append(what) } }
        }
        return found
    }
}

/// The tables and indexes as they stand in the file; `Docs/Format/Catalog.md` describes every column.
enum HealthSchema {
    /// Name and definition, in the order of creation.
    static let parts: [(name: String, sql: String)] = [
        ("source", "CREATE TABLE source(id INTEGER PRIMARY KEY,name TEXT NOT NULL,bundle TEXT)STRICT"),
        ("device", "CREATE TABLE device(id INTEGER PRIMARY KEY,text TEXT NOT NULL UNIQUE)STRICT"),
        (
            "provenance",
            """
            CREATE TABLE provenance(id INTEGER PRIMARY KEY,source INTEGER NOT NULL REFERENCES source(id),version TEXT,\
            device INTEGER REFERENCES device(id))STRICT
            """
        ),
        // NULLs are different from each other in a unique index; a blob and a zero stand for them.
        (
            "provenance_key",
            """
            CREATE UNIQUE INDEX provenance_key ON provenance(source,ifnull(version,x''),ifnull(device,0))
            """
        ),
        (
            "metadata",
            "CREATE TABLE metadata(id INTEGER PRIMARY KEY,hash INTEGER NOT NULL,body BLOB NOT NULL)STRICT"
        ),
        ("metadata_hash", "CREATE INDEX metadata_hash ON metadata(hash)"),
        (
            "object",
            """
            CREATE TABLE object(id INTEGER PRIMARY KEY,kind INTEGER NOT NULL,start INTEGER,"end" INTEGER,\
            digest INTEGER NOT NULL,born INTEGER NOT NULL,died INTEGER,body BLOB NOT NULL)STRICT
            """
        ),
        ("object_time", "CREATE INDEX object_time ON object(kind,start)"),
        (
            "document",
            """
            CREATE TABLE document(id INTEGER PRIMARY KEY,path TEXT NOT NULL,digest INTEGER NOT NULL,\
            bytes INTEGER NOT NULL,body BLOB NOT NULL)STRICT
            """
        ),
        (
            "characteristic",
            "CREATE TABLE characteristic(key TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID"
        ),
        (
            "import_log",
            """
            CREATE TABLE import_log(id INTEGER PRIMARY KEY,file TEXT NOT NULL,digest BLOB NOT NULL,at INTEGER NOT NULL,\
            records INTEGER NOT NULL,added INTEGER NOT NULL,skipped INTEGER NOT NULL,repaired INTEGER NOT NULL,\
            note TEXT NOT NULL)STRICT
            """
        ),
        // Deferred, so that a commit may remove a series before the closure that removes this row runs.
        (
            "health_series",
            """
            CREATE TABLE health_series(series INTEGER PRIMARY KEY REFERENCES series(id)DEFERRABLE INITIALLY DEFERRED,\
            type TEXT NOT NULL,source INTEGER NOT NULL REFERENCES source(id),unit TEXT)STRICT
            """
        ),
    ]
}
