// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

/// Another store with which this store is synchronised.
package struct SyncPeerRow: Sendable, Hashable {
    package var id: Int64
    /// The id of the store, 16 bytes.
    package var store: [UInt8]
    /// What a person calls it, such as its directory or the command that reaches it.
    package var name: String
    /// The position in the changes of the peer up to which they are stored here; empty before the first.
    package var received: String
    /// The position in the changes of this store up to which the peer has stored them; empty before the first.
    package var acknowledged: String
    /// The end of a search in the changes of this store that found none for the peer after `acknowledged`; empty for
    /// none.
    package var searched: String
    /// The epoch of the other store: it changes when that store is restored from a backup.
    package var epoch: Int64
    /// The time of the last synchronisation, in nanoseconds since 1970-01-01 UTC.
    package var at: Int64
    /// Whether the other store keeps only the last days.
    package var isLimited: Bool

    package init(
        id: Int64 = 0, store: [UInt8], name: String, received: String = "", acknowledged: String = "",
        searched: String = "", epoch: Int64 = 0, at: Int64, isLimited: Bool = false
    ) {
        self.id = id
        self.store = store
        self.name = name
        self.received = received
        self.acknowledged = acknowledged
        self.searched = searched
        self.epoch = epoch
        self.at = at
        self.isLimited = isLimited
    }
}

/// An object that another store deleted and that this store never had, or that this store deleted because it has a
/// newer version.
package struct SyncDeletionRow: Sendable, Hashable {
    package var id: Int64
    /// 16 bytes.
    package var uuid: [UInt8]
    /// The sample type's identifier.
    package var type: String
    /// The start of the object, in nanoseconds since 1970-01-01 UTC.
    package var start: Int64
    /// Whether this store decided the deletion, because it has a newer version of the object.
    package var isOwn: Bool
    /// The commit that added the row; an insert ignores this value and stores its own commit.
    package var born: Int64

    package init(
        id: Int64 = 0, uuid: [UInt8], type: String, start: Int64, isOwn: Bool = false, born: Int64 = 0
    ) {
        self.isOwn = isOwn
        self.id = id
        self.uuid = uuid
        self.type = type
        self.start = start
        self.born = born
    }
}

// Tables of synchronisation, beside the formats: programs that do not know them ignore them. The first synchronisation
// creates them.
extension HealthCatalog {
    package static func hasPeers(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["sync_peer"])
    }

    private static func prepareSync(_ transaction: CatalogTransaction) throws {
        if try hasPeers(transaction) { return }
        for sql in [
            """
            CREATE TABLE sync_peer(id INTEGER PRIMARY KEY,store BLOB NOT NULL UNIQUE,name TEXT NOT NULL,\
            received TEXT NOT NULL,acknowledged TEXT NOT NULL,searched TEXT NOT NULL,epoch INTEGER NOT NULL,\
            at INTEGER NOT NULL,limited INTEGER NOT NULL)STRICT
            """,
            """
            CREATE TABLE sync_commit(last INTEGER PRIMARY KEY,first INTEGER NOT NULL,peer INTEGER NOT NULL)STRICT
            """,
            """
            CREATE TABLE sync_deletion(id INTEGER PRIMARY KEY,uuid BLOB NOT NULL UNIQUE,type TEXT NOT NULL,\
            start INTEGER NOT NULL,own INTEGER NOT NULL,born INTEGER NOT NULL)STRICT
            """,
            "CREATE TABLE sync_rewrite(object INTEGER PRIMARY KEY,own INTEGER NOT NULL,born INTEGER NOT NULL)STRICT",
            "CREATE TABLE sync_document(document INTEGER PRIMARY KEY,peer INTEGER NOT NULL)STRICT",
        ] { try transaction.run(sql) }
    }

    // MARK: - Peers

    /// Returns all peers, by id.
    package static func peers(_ transaction: CatalogTransaction) throws -> [SyncPeerRow] {
        guard try hasPeers(transaction) else { return [] }
        let sql = "SELECT id,store,name,received,acknowledged,searched,epoch,at,limited FROM sync_peer ORDER BY id"
        return try transaction.all(sql) { row in
            SyncPeerRow(
                id: try row.int(0), store: try row.blob(1, count: 16, "the id of a peer"), name: try row.text(2),
                received: try row.text(3), acknowledged: try row.text(4), searched: try row.text(5),
                epoch: try row.int(6), at: try row.int(7), isLimited: try row.int(8) == 1)
        }
    }

    /// Returns a peer by the id of its store; nil for an unknown one.
    package static func peer(store: [UInt8], _ transaction: CatalogTransaction) throws -> SyncPeerRow? {
        try peers(transaction).first { $0.store == store }
    }

    /// Adds a peer, or replaces what is known about it. Returns its id.
    @discardableResult
    package static func set(_ peer: SyncPeerRow, _ transaction: CatalogTransaction) throws -> Int64 {
        try prepareSync(transaction)
        let sql = """
            INSERT INTO sync_peer(store,name,received,acknowledged,searched,epoch,at,limited)VALUES(?,?,?,?,?,?,?,?) \
            ON CONFLICT(store) DO UPDATE SET name=excluded.name,received=excluded.received,\
            acknowledged=excluded.acknowledged,searched=excluded.searched,epoch=excluded.epoch,at=excluded.at,\
            limited=excluded.limited
            """
        try transaction.run(
            sql,
            [
                peer.store, transaction.plain(peer.name), peer.received, peer.acknowledged, peer.searched, peer.epoch,
                peer.at, peer.isLimited ? 1 : 0,
            ])
        let id = try transaction.last("SELECT id FROM sync_peer WHERE store=?", [peer.store]) { try $0.int(0) }
        return id ?? 0
    }

    /// Removes a peer. What came from it stays, and is no longer distinguished from objects that were saved here. The
    /// place of the last synchronisation is kept.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package static func removePeer(_ id: Int64, _ transaction: CatalogTransaction) throws -> Bool {
        guard let peer = try peers(transaction).first(where: { $0.id == id }) else { return false }
        try set(
            DroppedPeerRow(store: peer.store, received: peer.received, epoch: peer.epoch, at: peer.at), transaction)
        try forgetReceived(from: id, transaction)
        return try transaction.run("DELETE FROM sync_peer WHERE id=?", [id]) > 0
    }

    /// Forgets which commits and documents came from a peer, so that it gets them again.
    package static func forgetReceived(from id: Int64, _ transaction: CatalogTransaction) throws {
        guard try hasPeers(transaction) else { return }
        try transaction.run("DELETE FROM sync_commit WHERE peer=?", [id])
        try transaction.run("DELETE FROM sync_document WHERE peer=?", [id])
    }

    // MARK: - Commits

    /// Notes that this commit stores changes of a peer.
    ///
    /// - Requires: `set` has added the peer.
    package static func noteCommit(of peer: Int64, _ transaction: CatalogTransaction) throws {
        let (seq, sql) = (transaction.seq, "UPDATE sync_commit SET last=? WHERE last=? AND peer=?")
        if try transaction.run(sql, [seq, seq - 1, peer]) > 0 { return }
        try transaction.run("INSERT OR IGNORE INTO sync_commit(last,first,peer)VALUES(?,?,?)", [seq, seq, peer])
    }

    /// Returns the ranges of commits that store changes of a peer, ascending.
    package static func commits(
        of peer: Int64, _ transaction: CatalogTransaction
    ) throws -> [ClosedRange<Int64>] {
        guard try hasPeers(transaction) else { return [] }
        return try transaction.all("SELECT first,last FROM sync_commit WHERE peer=? ORDER BY last", [peer]) { row in
            let (first, last) = (try row.int(0), try row.int(1))
            return min(first, last)...last
        }
    }

    // MARK: - Deletions of unknown objects

    /// Notes deletions of objects that the store does not have; known deletions are passed over.
    package static func insert(_ deletions: [SyncDeletionRow], _ transaction: CatalogTransaction) throws {
        if deletions.isEmpty { return }
        try prepareSync(transaction)
        let sql = "INSERT OR IGNORE INTO sync_deletion(uuid,type,start,own,born)VALUES(?,?,?,?,?)"
        for row in deletions {
            try transaction.run(
                sql, [row.uuid, transaction.plain(row.type), row.start, row.isOwn ? 1 : 0, transaction.seq])
        }
    }

    /// Returns the identities of all noted deletions.
    package static func allSyncDeletions(_ transaction: CatalogTransaction) throws -> Set<[UInt8]> {
        guard try hasPeers(transaction) else { return [] }
        return Set(try transaction.all("SELECT uuid FROM sync_deletion", []) { try $0.blob(0) })
    }

    /// Returns which of some identities are noted as deleted.
    package static func syncDeletions(
        of uuids: [[UInt8]], _ transaction: CatalogTransaction
    ) throws -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for uuid in uuids where try transaction.hasRows("SELECT 1 FROM sync_deletion WHERE uuid=?", [uuid]) {
            found.insert(uuid)
        }
        return found
    }

    /// Returns noted deletions after a row, up to a commit, by id.
    package static func syncDeletions(
        after id: Int64, bornAfter first: Int64, upTo last: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [SyncDeletionRow] {
        guard try hasPeers(transaction) else { return [] }
        let sql = """
            SELECT id,uuid,type,start,own,born FROM sync_deletion WHERE id>? AND born>? AND born<=? ORDER BY id LIMIT ?
            """
        return try transaction.all(sql, [id, first, last, limit]) { row in
            SyncDeletionRow(
                id: try row.int(0), uuid: try row.blob(1, count: 16, "the identity of a deleted object"),
                type: try row.text(2), start: try row.int(3), isOwn: try row.int(4) == 1, born: try row.int(5))
        }
    }

    // MARK: - Documents

    /// Returns the documents after an id, by id.
    package static func documents(
        after id: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [DocumentRow] {
        let sql = "SELECT id,path,digest,bytes FROM document WHERE id>? ORDER BY id LIMIT ?"
        return try transaction.all(sql, [id, limit]) { row in
            DocumentRow(id: try row.int(0), path: try row.text(1), digest: try row.int(2), bytes: try row.int(3))
        }
    }

    /// Notes documents that came from a peer.
    package static func noteReceived(
        documents ids: [Int64], from peer: Int64, _ transaction: CatalogTransaction
    ) throws {
        for id in ids {
            try transaction.run("INSERT OR IGNORE INTO sync_document(document,peer)VALUES(?,?)", [id, peer])
        }
    }

    /// Returns the documents that came from a peer.
    package static func documents(of peer: Int64, _ transaction: CatalogTransaction) throws -> Set<Int64> {
        guard try hasPeers(transaction) else { return [] }
        return Set(try transaction.all("SELECT document FROM sync_document WHERE peer=?", [peer]) { try $0.int(0) })
    }

    // MARK: - Changes of objects and elements

    /// Notes that this commit replaces the body of an object, if the store has peers.
    ///
    /// - Parameter isOwn: whether the peer of the commit has another body, too.
    package static func noteRewrite(of object: Int64, isOwn: Bool, _ transaction: CatalogTransaction) throws {
        guard try hasPeers(transaction) else { return }
        let sql = """
            INSERT INTO sync_rewrite(object,own,born)VALUES(?,?,?) \
            ON CONFLICT(object) DO UPDATE SET own=max(own,excluded.own),born=excluded.born
            """
        try transaction.run(sql, [object, isOwn ? 1 : 0, transaction.seq])
    }

    /// Returns live objects after an id whose bodies were last replaced in a range of commits, by id, with the commits
    /// that replaced them.
    package static func rewrittenObjects(
        after id: Int64, bornAfter first: Int64, upTo last: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [(row: SavedObjectRow, isOwn: Bool, rewritten: Int64)] {
        guard try hasPeers(transaction) else { return [] }
        let sql = """
            SELECT object,own,born FROM sync_rewrite WHERE object>? AND born>? AND born<=? \
            AND EXISTS(SELECT 1 FROM health_object WHERE id=object AND died IS NULL) ORDER BY object LIMIT ?
            """
        let found = try transaction.all(sql, [id, first, last, limit]) {
            (try $0.int(0), try $0.int(1) == 1, try $0.int(2))
        }
        return try found.compactMap { id, isOwn, born in
            let query = "SELECT \(savedObjectColumns) FROM health_object WHERE id=? AND died IS NULL"
            return try transaction.last(query, [id], savedObject).map { ($0, isOwn, born) }
        }
    }

    /// Returns which of some identities are those of objects, live or deleted.
    package static func knownObjects(
        _ uuids: [[UInt8]], _ transaction: CatalogTransaction
    ) throws -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for uuid in uuids where try transaction.hasRows("SELECT 1 FROM health_object WHERE uuid=?", [uuid]) {
            found.insert(uuid)
        }
        return found
    }

    /// Returns the saved objects of a range of commits: objects that died there, or objects that were born there and
    /// are live at its end, by commit, then id.
    ///
    /// - Parameters:
    ///   - place: commit and id of the last object already returned.
    ///   - last: the last commit of the range.
    ///   - seq: the commit at which returned objects are live.
    package static func changedObjects(
        _ event: ChangeOfObject, after place: (commit: Int64, id: Int64), upTo last: Int64, liveAt seq: Int64,
        limit: Int, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard limit > 0, try hasObjects(transaction) else { return [] }
        let column = event.rawValue
        let isThere = event == .born ? "AND(died IS NULL OR died>?)" : "AND died IS NOT NULL AND ?>=0 "
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE \(column)>=? AND \(column)<=? \
            AND(\(column)>? OR id>?)\(isThere)ORDER BY \(column),id LIMIT ?
            """
        return try transaction.all(sql, [place.commit, last, place.commit, place.id, seq, limit], savedObject)
    }

    /// Returns elements after an id that were born in a range of commits and are live at a commit, by id.
    package static func changedElements(
        after id: Int64, bornAfter first: Int64, upTo last: Int64, liveAt seq: Int64, limit: Int,
        _ transaction: CatalogTransaction
    ) throws -> [ElementRow] {
        guard limit > 0, try isPrepared(transaction) else { return [] }
        let sql = """
            SELECT \(columns) FROM object WHERE id>? AND born>? AND born<=? AND(died IS NULL OR died>?)\
            ORDER BY id LIMIT ?
            """
        return try transaction.all(sql, [id, first, last, seq, limit], object)
    }

    /// What happened to an object.
    package enum ChangeOfObject: String, Sendable {
        case born
        case died
    }
}
