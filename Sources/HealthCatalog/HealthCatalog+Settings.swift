// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

extension HealthCatalog {
    // MARK: - Sync identifiers

    /// Returns the object of a sync identifier; nil if there is none. The object may have been deleted since.
    package static func sync(
        type: String, source: Int64, identifier: String, _ transaction: CatalogTransaction
    ) throws -> SyncRow? {
        guard try hasObjects(transaction) else { return nil }
        let sql = "SELECT version,uuid,start FROM sync_identifier WHERE type=? AND source=? AND identifier=?"
        return try transaction.last(sql, [type, source, identifier]) { row in
            SyncRow(
                type: type, source: source, identifier: identifier, version: try row.real(0),
                uuid: try row.blob(1, count: 16, "the identity behind a sync identifier"), start: try row.int(2))
        }
    }

    /// Returns the sync identifiers whose last objects are among some.
    ///
    /// - Complexity: O(sync identifiers).
    package static func syncRows(
        ofObjects uuids: Set<[UInt8]>, _ transaction: CatalogTransaction
    ) throws -> [SyncRow] {
        guard try hasObjects(transaction) else { return [] }
        var found: [SyncRow] = []
        try transaction.scan("SELECT type,source,identifier,version,uuid,start FROM sync_identifier") { row in
            let uuid = try row.blob(4, count: 16, "the identity behind a sync identifier")
            guard uuids.contains(uuid) else { return }
            found.append(
                SyncRow(
                    type: try row.text(0), source: try row.int(1), identifier: try row.text(2),
                    version: try row.real(3), uuid: uuid, start: try row.int(5)))
        }
        return found
    }

    /// Assigns a sync identifier to an object and replaces an earlier assignment.
    package static func set(_ row: SyncRow, _ transaction: CatalogTransaction) throws {
        guard row.uuid.count == 16, row.version.isFinite else {
            throw CatalogError(
                .other, "sync identifier \(row.identifier) has invalid values, not stored", path: transaction.path)
        }
        let sql = """
            INSERT INTO sync_identifier(type,source,identifier,version,uuid,start)VALUES(?,?,?,?,?,?) \
            ON CONFLICT(type,source,identifier) DO UPDATE SET version=excluded.version,uuid=excluded.uuid,\
            start=excluded.start
            """
        try transaction.run(
            sql,
            [
                transaction.plain(row.type), row.source, transaction.plain(row.identifier), row.version,
                row.uuid, row.start,
            ])
    }

    // MARK: - Settings

    /// Maximum size of a setting including its key, in bytes.
    private static let mostSettingBytes = 4 << 20

    /// The key of the setting with the highest imported element of a workout that has a workout, or cannot have one.
    package static let convertedWorkoutsKey = "workouts"

    /// The key of the setting with the highest imported element of another sample, such as an audiogram, that has a
    /// sample, or cannot have one.
    package static let convertedSamplesKey = "elements"

    /// The key of the setting with the highest number of a document that was ever stored; it is set when documents are
    /// removed.
    static let lastDocumentKey = "documents"

    /// Returns the highest number of a document, removed or not.
    static func lastDocument(_ transaction: CatalogTransaction) throws -> Int64 {
        let newest = try transaction.last("SELECT ifnull(max(id),0) FROM document") { try $0.int(0) } ?? 0
        return max(newest, try setting(lastDocumentKey, transaction).flatMap { Int64($0) } ?? 0)
    }

    /// Returns the highest element of a workout that is converted to a workout; 0 if there is none.
    package static func convertedWorkouts(_ transaction: CatalogTransaction) throws -> Int64 {
        try converted(convertedWorkoutsKey, transaction)
    }

    /// Returns the highest converted element of a setting; 0 if there is none.
    package static func converted(_ key: String, _ transaction: CatalogTransaction) throws -> Int64 {
        try setting(key, transaction).flatMap { Int64($0) } ?? 0
    }

    /// Returns the settings of users and programs by key: preferred units, daily goals, subscriptions.
    package static func settings(_ transaction: CatalogTransaction) throws -> [String: String] {
        guard try hasObjects(transaction) else { return [:] }
        var found: [String: String] = [:]
        try transaction.scan("SELECT key,value FROM setting") { found[try $0.text(0)] = try $0.text(1) }
        return found
    }

    /// Returns a setting; nil if it is not set.
    package static func setting(_ key: String, _ transaction: CatalogTransaction) throws -> String? {
        guard try hasObjects(transaction) else { return nil }
        return try transaction.last("SELECT value FROM setting WHERE key=?", [key]) { try $0.text(0) }
    }

    /// Sets a setting; nil removes it.
    package static func set(setting key: String, to value: String?, _ transaction: CatalogTransaction) throws {
        try noteChange(.setting, key, transaction)
        guard let value else {
            try transaction.run("DELETE FROM setting WHERE key=?", [key])
            return
        }
        let bytes = key.utf8.count + value.utf8.count
        guard bytes <= mostSettingBytes else {
            throw CatalogError(
                .tooLarge, "a setting has \(bytes) bytes; the limit is \(mostSettingBytes)", path: transaction.path)
        }
        let sql = "INSERT INTO setting(key,value)VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value"
        try transaction.run(sql, [transaction.plain(key), transaction.plain(value)])
    }
}
