// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

/// A store that was a peer once. Objects that it had at its last synchronisation, and that this store lacks, were
/// deleted here.
package struct DroppedPeerRow: Sendable, Hashable {
    /// The id of the store, 16 bytes.
    package var store: [UInt8]
    /// The position in the changes of the store up to which they were stored here; empty for none.
    package var received: String
    /// The epoch of the store at the last synchronisation.
    package var epoch: Int64
    /// The time of the last synchronisation, in nanoseconds since 1970-01-01 UTC.
    package var at: Int64
}

// A table beside the formats: programs that do not know it ignore it. The first dropped peer creates it.
extension HealthCatalog {
    private static func hasDroppedPeers(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["sync_dropped"])
    }

    /// Returns what is kept about a dropped peer; nil for a store that was never dropped.
    package static func droppedPeer(
        store: [UInt8], _ transaction: CatalogTransaction
    ) throws -> DroppedPeerRow? {
        guard try hasDroppedPeers(transaction) else { return nil }
        let sql = "SELECT received,epoch,at FROM sync_dropped WHERE store=?"
        return try transaction.last(sql, [store]) { row in
            DroppedPeerRow(store: store, received: try row.text(0), epoch: try row.int(1), at: try row.int(2))
        }
    }

    static func set(_ row: DroppedPeerRow, _ transaction: CatalogTransaction) throws {
        if try !hasDroppedPeers(transaction) {
            try transaction.run(
                """
                CREATE TABLE sync_dropped(store BLOB NOT NULL PRIMARY KEY,received TEXT NOT NULL,\
                epoch INTEGER NOT NULL,at INTEGER NOT NULL)STRICT
                """)
        }
        try transaction.run(
            "INSERT OR REPLACE INTO sync_dropped(store,received,epoch,at)VALUES(?,?,?,?)",
            [row.store, row.received, row.epoch, row.at])
    }
}
