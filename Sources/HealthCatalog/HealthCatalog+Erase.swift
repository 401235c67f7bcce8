// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

// Erasure of objects that were deleted and that no snapshot sees: only the fact that they existed must remain.
extension HealthCatalog {
    /// Returns saved objects that were deleted after commit `first` and up to commit `seq`, ascending by id.
    ///
    /// - Parameters:
    ///   - last: the greatest id already returned; 0 at first.
    ///   - limit: the maximum number of objects.
    package static func deadSavedObjects(
        after first: Int64, upTo seq: Int64, from last: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE died>? AND died<=? AND id>? \
            ORDER BY id LIMIT ?
            """
        return try transaction.all(sql, [first, seq, last, limit], savedObject)
    }

    /// Returns the last commit that deleted saved objects; 0 if there is none. O(log objects).
    package static func newestDeath(_ transaction: CatalogTransaction) throws -> Int64 {
        guard try hasObjects(transaction) else { return 0 }
        let sql = "SELECT died FROM health_object WHERE died IS NOT NULL ORDER BY died DESC LIMIT 1"
        return try transaction.last(sql) { try $0.int(0) } ?? 0
    }

    /// Whether there are, or were, saved objects of some types. O(log objects).
    package static func hasSavedObjects(of types: [String], _ transaction: CatalogTransaction) throws -> Bool {
        guard try hasObjects(transaction) else { return false }
        return try types.contains {
            try transaction.hasRows("SELECT 1 FROM health_object WHERE type=? LIMIT 1", [$0])
        }
    }

    /// Replaces the body and metadata set of a saved object.
    package static func rewrite(
        savedObject id: Int64, body: [UInt8], metadata: Int64, _ transaction: CatalogTransaction
    ) throws {
        try transaction.run("UPDATE health_object SET body=?,metadata=? WHERE id=?", [body, metadata, id])
    }

    /// Whether elements were deleted up to commit `seq`.
    package static func hasDeadObjects(upTo seq: Int64, _ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM object WHERE died<=? LIMIT 1", [seq])
    }

    /// Removes elements, even if snapshots see them.
    package static func remove(objects ids: [Int64], _ transaction: CatalogTransaction) throws {
        for id in ids { try transaction.run("DELETE FROM object WHERE id=?", [id]) }
    }

    /// Removes documents. Snapshots do not see them any more.
    package static func remove(documents ids: [Int64], _ transaction: CatalogTransaction) throws {
        if ids.isEmpty { return }
        // Peers have everything up to a number: none is used twice.
        let newest = try lastDocument(transaction)
        try set(setting: lastDocumentKey, to: String(newest), transaction)
        for id in ids { try transaction.run("DELETE FROM document WHERE id=?", [id]) }
    }
}
