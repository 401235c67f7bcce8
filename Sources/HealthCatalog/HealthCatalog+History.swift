// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

extension SavedObjectRow {
    /// The metadata number of an object that was pruned with its history: its end is no deletion.
    static let prunedMetadata: Int64 = -1

    /// Whether the object was pruned with its history.
    package var isPruned: Bool { metadata == Self.prunedMetadata }
}

// The beginning of the history that a store keeps, and the pruning of older rows.
extension HealthCatalog {
    /// The key of the setting with the beginning of the kept history, in nanoseconds since 1970-01-01 UTC.
    package static let historyKey = "history"

    /// Returns the beginning of the kept history; nil if the store keeps everything.
    package static func historyBegin(_ transaction: CatalogTransaction) throws -> Int64? {
        try setting(historyKey, transaction).flatMap { Int64($0) }
    }

    /// Returns the commits that changed objects after the commits that saved them, by object: additions to a workout,
    /// and attachments.
    package static func laterChanges(_ transaction: CatalogTransaction) throws -> [[UInt8]: [Int64]] {
        var found: [[UInt8]: [Int64]] = [:]
        for row in try attachments(after: 0, bornAfter: -1, upTo: .max, limit: Int(Int32.max), transaction) {
            found[row.row.object, default: []].append(row.born)
        }
        guard try hasPeers(transaction) else { return found }
        let sql = "SELECT o.uuid,r.born FROM sync_rewrite r JOIN health_object o ON o.id=r.object"
        try transaction.scan(sql) { found[try $0.blob(0), default: []].append(try $0.int(1)) }
        return found
    }

    /// Calls `body` for the live saved objects that start before an instant.
    ///
    /// - Complexity: O(saved objects).
    package static func eachSavedObject(
        startingBefore start: Int64, _ transaction: CatalogTransaction, _ body: (SavedObjectRow) throws -> Void
    ) throws {
        guard try hasObjects(transaction) else { return }
        let sql = "SELECT \(savedObjectColumns) FROM health_object WHERE died IS NULL AND start<? ORDER BY id"
        try transaction.scan(sql, [start]) { try body(try savedObject($0)) }
    }

    /// Retires objects as history that the store no longer keeps. Earlier snapshots still see them. Their attachments
    /// and sync identifiers are removed.
    package static func prune(savedObjects ids: [Int64], _ transaction: CatalogTransaction) throws {
        // The attachments stay in other stores.
        try retire(savedObjects: ids, isNoted: false, transaction)
        let sql = "UPDATE health_object SET metadata=? WHERE id=?"
        for id in ids { try transaction.run(sql, [SavedObjectRow.prunedMetadata, id]) }
    }

    /// Removes the sync identifiers of objects that started before an instant and are not live saved objects.
    package static func pruneIdentifiers(before start: Int64, _ transaction: CatalogTransaction) throws {
        let sql = """
            DELETE FROM sync_identifier WHERE start<? \
            AND uuid NOT IN(SELECT uuid FROM health_object WHERE died IS NULL)
            """
        try transaction.run(sql, [start])
    }

    /// Returns the ids and commits of the live elements that ended before an instant, without the newest element, so
    /// that no number is used twice.
    package static func elements(
        endedBefore end: Int64, _ transaction: CatalogTransaction
    ) throws -> [(id: Int64, born: Int64)] {
        let sql = """
            SELECT id,born FROM object WHERE died IS NULL AND ifnull("end",start)<? \
            AND id<(SELECT max(id) FROM object) ORDER BY id
            """
        return try transaction.all(sql, [end]) { (try $0.int(0), try $0.int(1)) }
    }

    /// Whether there are pruned objects whose rows can be removed.
    ///
    /// - Parameter seq: the oldest commit that a snapshot shows.
    package static func hasPrunedObjects(diedUpTo seq: Int64, _ transaction: CatalogTransaction) throws -> Bool {
        guard try hasObjects(transaction) else { return false }
        return try transaction.hasRows(
            """
            SELECT 1 FROM health_object WHERE died IS NOT NULL AND died<=? \
            AND metadata=\(SavedObjectRow.prunedMetadata) AND id<(SELECT max(id) FROM health_object)LIMIT 1
            """, [seq])
    }

    /// Removes the rows of pruned objects that no snapshot shows, and of pruned elements. The newest row stays, so that
    /// no number is used twice.
    ///
    /// - Parameter seq: the oldest commit that a snapshot shows.
    package static func removePruned(diedUpTo seq: Int64, _ transaction: CatalogTransaction) throws {
        try transaction.run(
            """
            DELETE FROM health_object WHERE died IS NOT NULL AND died<=? AND metadata=\(SavedObjectRow.prunedMetadata) \
            AND id<(SELECT max(id) FROM health_object)
            """, [seq])
        try transaction.run("DELETE FROM object WHERE died<=? AND id<(SELECT max(id) FROM object)", [seq])
    }

    /// Removes what is remembered about deleted objects of pruned history, once all peers have the deletions and the
    /// objects are erased.
    ///
    /// - Parameters:
    ///   - begin: the beginning of the kept history.
    ///   - seq: the last commit whose deletions all peers have, and that no snapshot needs.
    ///   - kinds: the kinds of objects without samples of their own, whose deletion nothing else refers to.
    package static func forgetDeletions(
        before begin: Int64, upTo seq: Int64, ofKinds kinds: [Int64], _ transaction: CatalogTransaction
    ) throws {
        let list = kinds.map(String.init).joined(separator: ",")
        let sql = """
            DELETE FROM health_object WHERE died IS NOT NULL AND died<=? AND "end"<? AND metadata=0 \
            AND kind IN(\(list))AND id<(SELECT max(id) FROM health_object)
            """
        try transaction.run(sql, [seq, begin])
        guard try hasPeers(transaction) else { return }
        try transaction.run("DELETE FROM sync_deletion WHERE born<=? AND start<?", [seq, begin])
    }

    /// Forgets which commits came from a peer, up to the commit whose changes the peer has acknowledged.
    package static func forgetCommits(
        of peer: Int64, upTo seq: Int64, _ transaction: CatalogTransaction
    ) throws {
        try transaction.run("DELETE FROM sync_commit WHERE peer=? AND last<=?", [peer, seq])
    }
}
