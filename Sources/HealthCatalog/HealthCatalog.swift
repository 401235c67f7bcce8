// SPDX-License-Identifier: Apache-2.0

// HealthCatalog: the health layer's tables in the engine's catalog: sources, devices, metadata, and every object of a
// health store that is not a sample.

package import Catalog
internal import SQLiteConnection

/// Reads and writes the health layer's tables. Every call runs inside a transaction of the catalog, so that samples and
/// the rows that belong to them are committed and read as one unit.
///
/// The caller assigns ids; they are positive and never reused. It keeps sources, devices and provenances in memory,
/// starting from a `HealthSnapshot`.
///
/// - Requires: the closure of a scan does not start the same scan.
package enum HealthCatalog {
    /// Creates the tables, or adds the tables that an earlier format lacks. Throws if a table has another definition.
    ///
    /// - Requires: a commit.
    package static func prepare(_ transaction: CatalogTransaction) throws {
        let isPrepared = try isPrepared(transaction)
        let format = try transaction.format()
        if isPrepared, format >= CatalogTransaction.objectFormat { return }
        try transaction.raiseFormat(to: CatalogTransaction.objectFormat)
        if !isPrepared {
            for part in HealthSchema.parts(of: CatalogTransaction.objectFormat) { try transaction.run(part.sql) }
            return
        }
        let provenances = try HealthSnapshot.provenances(transaction, format: format)
        try transaction.run("DROP TABLE provenance")
        for part in HealthSchema.objectParts { try transaction.run(part.sql) }
        try insert(provenances, transaction)
    }

    /// Whether the tables exist, as the catalog's format defines them.
    package static func isPrepared(_ transaction: CatalogTransaction) throws -> Bool {
        let parts = HealthSchema.parts(of: try transaction.format())
        var expected: [String: String] = [:]
        for part in parts { expected[part.name] = part.sql }
        try transaction.scan("SELECT name,sql FROM sqlite_schema") { row in
            let name = try row.text(0)
            guard let sql = expected[name] else { return }
            guard try row.optionalText(1) == sql else {
                throw CatalogError(
                    .corrupt, "\(name) has a definition of another format", path: transaction.path)
            }
            expected[name] = nil
        }
        if expected.count == parts.count { return false }
        guard expected.isEmpty else {
            throw CatalogError(.corrupt, "\(expected.keys.min() ?? "a table") is missing", path: transaction.path)
        }
        return true
    }

    /// Returns the violated rules that the schema does not enforce; empty for sound tables.
    package static func problems(_ transaction: CatalogTransaction) throws -> [String] {
        guard try isPrepared(transaction) else { return [] }
        var rules = [
            (
                "SELECT count(*) FROM(SELECT 1 FROM source GROUP BY name,bundle HAVING count(*)>1)",
                "two sources have the same name and bundle"
            ),
            (
                "SELECT count(*) FROM(SELECT 1 FROM metadata GROUP BY hash,body HAVING count(*)>1)",
                "two metadata rows have the same body"
            ),
            ("SELECT count(*) FROM object WHERE kind<1 OR died<=born", "an object has no kind, or died before birth"),
        ]
        if try transaction.format() >= CatalogTransaction.objectFormat {
            rules += [
                (
                    """
                    SELECT count(*) FROM health_object WHERE kind<1 OR died<=born OR start>"end" OR length(uuid)<>16 \
                    OR metadata<-1 OR(metadata<0 AND died IS NULL)
                    """, "a health object has no kind or identity, died before its birth, or ends before it starts"
                ),
                (
                    """
                    SELECT count(*) FROM(SELECT 1 FROM health_object WHERE died IS NULL GROUP BY uuid \
                    HAVING count(*)>1)
                    """, "two health objects have the same identity"
                ),
                ("SELECT count(*) FROM sync_identifier WHERE length(uuid)<>16", "a sync identifier has no identity"),
            ]
        }
        var found: [String] = []
        for (query, what) in rules {
            try transaction.scan(query) { row in if try row.int(0) != 0 { found.append(what) } }
        }
        return found
    }
}

extension CatalogTransaction {
    /// Returns a value for each row of a query, in order.
    func all<T>(_ sql: String, _ arguments: StatementArguments = [], _ value: (RowReader) throws -> T) throws -> [T] {
        var found: [T] = []
        try scan(sql, arguments) { found.append(try value($0)) }
        return found
    }

    /// Returns the value of a query's last row; nil without rows.
    func last<T>(_ sql: String, _ arguments: StatementArguments = [], _ value: (RowReader) throws -> T) throws -> T? {
        var found: T?
        try scan(sql, arguments) { found = try value($0) }
        return found
    }

    func hasRows(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
        try last(sql, arguments) { _ in true } ?? false
    }
}
