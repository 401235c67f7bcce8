// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import GRDB

// Of what died, and no snapshot sees any more, nothing needs to stay but that it was there.
extension HealthCatalog {
    /// Some of the health objects that died up to commit `seq`, ascending by id.
    ///
    /// - Parameter last: the one before; 0 for the first ones.
    package static func deadHealthObjects(
        upTo seq: Int64, after last: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [HealthObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        let sql = """
            SELECT \(healthObjectColumns) FROM health_object WHERE died IS NOT NULL AND died<=? AND id>? \
            ORDER BY id LIMIT ?
            """
        var found: [HealthObjectRow] = []
        try transaction.scan(sql, [seq, last, limit]) { found.append(try healthObject($0)) }
        return found
    }

    /// Gives a health object another body and metadata set.
    package static func rewrite(
        healthObject id: Int64, body: [UInt8], metadata: Int64, _ transaction: CatalogTransaction
    ) throws {
        try transaction.run("UPDATE health_object SET body=?,metadata=? WHERE id=?", [Data(body), metadata, id])
    }

    /// Whether objects died up to commit `seq`.
    package static func hasDeadObjects(upTo seq: Int64, _ transaction: CatalogTransaction) throws -> Bool {
        var found = false
        try transaction.scan("SELECT 1 FROM object WHERE died<=? LIMIT 1", [seq]) { _ in found = true }
        return found
    }

    /// Removes objects with these ids, whoever sees them.
    package static func remove(objects ids: [Int64], _ transaction: CatalogTransaction) throws {
        for id in ids { try transaction.run("DELETE FROM object WHERE id=?", [id]) }
    }
}
