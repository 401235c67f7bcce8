// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import FileSystem
internal import Foundation
internal import SQLiteConnection

/// A characteristic or a setting of the person, with the change that gave it its value.
package struct PersonValueRow: Sendable, Hashable {
    /// The raw values are a part of keys on disk.
    package enum Kind: String, Sendable, CaseIterable {
        case characteristic
        case setting
    }

    package var kind: Kind
    package var key: String
    /// Nil if the value was removed.
    package var value: String?
    /// The time of the change, in nanoseconds since 1970-01-01 UTC; 0 if it is unknown.
    package var at: Int64
    /// The id of the store in which it was changed, 16 bytes; empty for this store.
    package var store: [UInt8]

    package init(kind: Kind, key: String, value: String?, at: Int64, store: [UInt8]) {
        self.kind = kind
        self.key = key
        self.value = value
        self.at = at
        self.store = store
    }

    /// Whether this change counts if there is another one of the same value: by time, then store, then value.
    package func isLater(than other: PersonValueRow) -> Bool {
        if at != other.at { return at > other.at }
        if store != other.store { return other.store.lexicographicallyPrecedes(store) }
        return (other.value ?? "") < (value ?? "")
    }
}

/// A removal of all decisions about a client.
package struct AuthorizationResetRow: Sendable, Hashable {
    /// Empty for all clients.
    package var client: String
    /// In nanoseconds since 1970-01-01 UTC. Decisions of this time and earlier are removed.
    package var at: Int64

    package init(client: String, at: Int64) {
        self.client = client
        self.at = at
    }
}

// The changes of values that stores exchange, in tables beside the formats: programs that do not know them ignore them.
// The first change creates them.
extension HealthCatalog {
    /// The beginnings of the keys of settings that are the person's, and not those of one store or program.
    package static let personSettings = ["unit.", "goal.", "order.", "zone.home", "zones."]

    private static func hasChanges(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["person_change"])
    }

    /// Notes that this store changes a value now.
    static func noteChange(_ kind: PersonValueRow.Kind, _ key: String, _ transaction: CatalogTransaction) throws {
        if kind == .setting, !personSettings.contains(where: key.hasPrefix) { return }
        let known = try change(kind, key, transaction)?.at ?? 0
        // A change counts after each change that it replaces, whatever the clock says.
        try note(kind, key, at: max(SystemClock.wallNanoseconds(), known &+ 1), [], transaction)
    }

    private static func note(
        _ kind: PersonValueRow.Kind, _ key: String, at: Int64, _ store: [UInt8], _ transaction: CatalogTransaction
    ) throws {
        if try !hasChanges(transaction) {
            try transaction.run(
                """
                CREATE TABLE person_change(kind TEXT NOT NULL,key TEXT NOT NULL,at INTEGER NOT NULL,\
                store BLOB NOT NULL,PRIMARY KEY(kind,key))STRICT,WITHOUT ROWID
                """)
        }
        let sql = "INSERT OR REPLACE INTO person_change(kind,key,at,store)VALUES(?,?,?,?)"
        try transaction.run(sql, [kind.rawValue, transaction.plain(key), at, store])
    }

    private static func change(
        _ kind: PersonValueRow.Kind, _ key: String, _ transaction: CatalogTransaction
    ) throws -> (at: Int64, store: [UInt8])? {
        guard try hasChanges(transaction) else { return nil }
        let sql = "SELECT at,store FROM person_change WHERE kind=? AND key=?"
        return try transaction.last(sql, [kind.rawValue, key]) { (try $0.int(0), try $0.blob(1)) }
    }

    /// Returns the characteristics and the person's settings, also removed ones, by kind and key.
    ///
    /// - Parameter store: the id of this store.
    package static func personValues(
        of store: [UInt8], _ transaction: CatalogTransaction
    ) throws -> [PersonValueRow] {
        var found: [[String]: PersonValueRow] = [:]
        func add(_ kind: PersonValueRow.Kind, _ values: [String: String]) {
            for (key, value) in values {
                found[[kind.rawValue, key]] = PersonValueRow(kind: kind, key: key, value: value, at: 0, store: store)
            }
        }
        add(.characteristic, try characteristics(transaction))
        add(.setting, try settings(transaction).filter { key, _ in personSettings.contains(where: key.hasPrefix) })
        if try hasChanges(transaction) {
            try transaction.scan("SELECT kind,key,at,store FROM person_change") { row in
                guard let kind = PersonValueRow.Kind(rawValue: try row.text(0)) else { return }
                let (key, origin) = (try row.text(1), try row.blob(3))
                if kind == .setting, !personSettings.contains(where: key.hasPrefix) { return }
                let value = found[[kind.rawValue, key]]?.value
                found[[kind.rawValue, key]] = PersonValueRow(
                    kind: kind, key: key, value: value, at: try row.int(2), store: origin.isEmpty ? store : origin)
            }
        }
        return found.values.sorted { ($0.kind.rawValue, $0.key) < ($1.kind.rawValue, $1.key) }
    }

    /// Stores a value from another store, with its change there.
    package static func set(_ row: PersonValueRow, _ transaction: CatalogTransaction) throws {
        switch row.kind {
        case .characteristic: try set(characteristic: row.key, to: row.value, transaction)
        case .setting: try set(setting: row.key, to: row.value, transaction)
        }
        try note(row.kind, row.key, at: row.at, row.store, transaction)
    }

    // MARK: - Decisions

    private static func hasResets(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["authorization_reset"])
    }

    /// Returns the removals of decisions, by client.
    package static func authorizationResets(_ transaction: CatalogTransaction) throws -> [AuthorizationResetRow] {
        guard try hasResets(transaction) else { return [] }
        return try transaction.all("SELECT client,at FROM authorization_reset ORDER BY client", []) {
            AuthorizationResetRow(client: try $0.text(0), at: try $0.int(1))
        }
    }

    /// Notes a removal of decisions, and removes the decisions of its time and earlier.
    package static func reset(_ row: AuthorizationResetRow, _ transaction: CatalogTransaction) throws {
        // No program has such a name.
        if row.client.utf8.contains(0) { return }
        if try !hasResets(transaction) {
            try transaction.run(
                """
                CREATE TABLE authorization_reset(client TEXT PRIMARY KEY,at INTEGER NOT NULL)STRICT,WITHOUT ROWID
                """)
        }
        let sql = """
            INSERT INTO authorization_reset(client,at)VALUES(?,?) \
            ON CONFLICT(client) DO UPDATE SET at=max(at,excluded.at)
            """
        try transaction.run(sql, [transaction.plain(row.client), row.at])
        try removeAuthorizations(client: row.client.isEmpty ? nil : row.client, upTo: row.at, transaction)
    }

    /// Returns the time of a new decision or removal, later than every known one about a client.
    ///
    /// - Parameter client: nil for all clients.
    package static func nextDecision(client: String?, _ transaction: CatalogTransaction) throws -> Int64 {
        let resets = try authorizationResets(transaction).filter { client == nil || ["", client].contains($0.client) }
        let known = try authorizations(client: client, transaction).map(\.decided) + resets.map(\.at)
        return max(SystemClock.wallNanoseconds(), (known.max() ?? 0) &+ 1)
    }
}
