// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

// All calls require the tables of the format of health objects, which `prepare` creates; in an older format, reading
// calls find nothing.
extension HealthCatalog {
    static let savedObjectColumns =
        "id,uuid,kind,type,provenance,metadata,start,\"end\",created,born,died,body"

    /// Whether the catalog's format has saved objects, sync identifiers and settings, and their tables exist.
    package static func hasObjects(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.format() >= CatalogTransaction.objectFormat && isPrepared(transaction)
    }

    /// Inserts saved objects, with this commit as their birth.
    ///
    /// - Requires: no live object has the same identity.
    package static func insert(_ objects: [SavedObjectRow], _ transaction: CatalogTransaction) throws {
        let sql = """
            INSERT INTO health_object(id,uuid,kind,type,provenance,metadata,start,"end",created,born,body)\
            VALUES(?,?,?,?,?,?,?,?,?,?,?)
            """
        for row in objects {
            guard row.id > 0, row.kind > 0, row.uuid.count == 16, row.start <= row.end, row.metadata >= 0 else {
                throw CatalogError(
                    .other, "health object \(row.id) of kind \(row.kind) has invalid values and cannot be stored",
                    path: transaction.path)
            }
            try transaction.run(
                sql,
                [
                    row.id, row.uuid, row.kind, transaction.plain(row.type), row.provenance, row.metadata,
                    row.start, row.end, row.created, transaction.seq, row.body,
                ])
        }
    }

    /// Returns the highest id of a saved object, including those of this commit; 0 if there is none.
    package static func lastSavedObject(_ transaction: CatalogTransaction) throws -> Int64 {
        guard try hasObjects(transaction) else { return 0 }
        return try transaction.last("SELECT ifnull(max(id),0) FROM health_object") { try $0.int(0) } ?? 0
    }

    /// Marks saved objects as deleted by this commit; earlier snapshots still see them. Objects that this commit added
    /// are removed, and so are all attachments of the objects.
    ///
    /// - Parameter isNoted: whether peers remove the attachments, too, even from a newer version of an object.
    /// - Returns: the number of objects that were live.
    @discardableResult
    package static func retire(
        savedObjects ids: [Int64], isNoted: Bool = true, _ transaction: CatalogTransaction
    ) throws -> Int {
        var count = 0
        try removeAttachments(ofSaved: ids, isNoted: isNoted, transaction)
        for id in ids {
            count += try transaction.run(
                "DELETE FROM health_object WHERE id=? AND born=? AND died IS NULL", [id, transaction.seq])
            count += try transaction.run(
                "UPDATE health_object SET died=? WHERE id=? AND died IS NULL", [transaction.seq, id])
        }
        return count
    }

    /// Restores deleted objects, for repairs in which the deletion of their parts is lost.
    package static func revive(savedObjects ids: [Int64], _ transaction: CatalogTransaction) throws {
        for id in ids { try transaction.run("UPDATE health_object SET died=NULL WHERE id=?", [id]) }
    }

    /// Calls `body` for the saved objects of a type that commit `seq` sees, by start, then id.
    ///
    /// - Parameters:
    ///   - start: only objects that start in this range.
    ///   - seq: the snapshot; nil for the transaction's own.
    ///   - body: returns false to end the scan.
    package static func eachSavedObject(
        type: String, start: ClosedRange<Int64> = .min ... .max, asOf seq: Int64? = nil, backward: Bool = false,
        _ transaction: CatalogTransaction, _ body: (SavedObjectRow) throws -> Bool
    ) throws {
        guard try hasObjects(transaction) else { return }
        let seq = seq ?? transaction.seq
        let direction = backward ? " DESC" : ""
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE type=? AND start>=? AND start<=? AND born<=? \
            AND(died IS NULL OR died>?) ORDER BY start\(direction),id\(direction)
            """
        var wantsMore = true
        try transaction.scan(sql, [type, start.lowerBound, start.upperBound, seq, seq]) { row in
            if wantsMore { wantsMore = try body(try savedObject(row)) }
        }
    }

    /// Returns the saved objects with these ids, including deleted ones; unknown ids are skipped.
    package static func savedObjects(
        ids: [Int64], _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        let sql = "SELECT \(savedObjectColumns) FROM health_object WHERE id=?"
        return try ids.flatMap { try transaction.all(sql, [$0], savedObject) }
    }

    /// Returns the requested objects that commit `seq` sees.
    ///
    /// - Parameter seq: the snapshot; nil for the transaction's own.
    package static func savedObjects(
        _ request: SavedObjectRequest, asOf seq: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        let seq = seq ?? transaction.seq
        let (start, place, backward) = (request.start, request.after, request.backward)
        let (direction, comes) = backward ? (" DESC", "<") : ("", ">")
        let rest = place == nil ? "" : "AND(start\(comes)? OR start=? AND id\(comes)?)"
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE type=? AND start>=? AND start<=? \
            AND(start>=? OR "end">?)AND born<=? AND(died IS NULL OR died>?)\(rest) \
            ORDER BY start\(direction),id\(direction) LIMIT ?
            """
        // Narrow the range to skip objects that were already returned.
        let low = backward ? start.lowerBound : max(start.lowerBound, place?.start ?? .min)
        let high = backward ? min(start.upperBound, place?.start ?? .max) : start.upperBound
        var arguments: StatementArguments = [
            request.type, low, high, request.lastingTo, request.lastingTo, seq, seq,
        ]
        if let place { arguments += [place.start, place.start, place.id] }
        return try transaction.all(sql, arguments + [request.limit], savedObject)
    }

    /// Returns the live object of each identity, in the order of the identities; nil for an unknown identity.
    package static func savedObjects(
        uuids: [[UInt8]], asOf seq: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow?] {
        guard try hasObjects(transaction) else { return uuids.map { _ in nil } }
        let seq = seq ?? transaction.seq
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE uuid=? AND born<=? AND(died IS NULL OR died>?)
            """
        return try uuids.map { try transaction.last(sql, [$0, seq, seq], savedObject) }
    }

    /// Returns saved objects of some types that were added after a position and are live at commit `seq`, by commit,
    /// then id.
    ///
    /// - Parameter place: commit and id of the last object already returned.
    package static func savedObjects(
        types: Set<String>, bornAfter place: (commit: Int64, id: Int64), upTo seq: Int64, limit: Int,
        _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        try savedObjects(types, "born", place, seq, limit, transaction)
    }

    /// Returns saved objects of some types that were deleted after a position, up to commit `seq`, by commit, then id.
    ///
    /// - Parameter place: commit and id of the last object already returned.
    package static func savedObjects(
        types: Set<String>, diedAfter place: (commit: Int64, id: Int64), upTo seq: Int64, limit: Int,
        _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        try savedObjects(types, "died", place, seq, limit, transaction)
    }

    private static func savedObjects(
        _ types: Set<String>, _ event: String, _ place: (commit: Int64, id: Int64), _ seq: Int64, _ limit: Int,
        _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard limit > 0, !types.isEmpty, try hasObjects(transaction) else { return [] }
        let marks = types.map { _ in "?" }.joined(separator: ",")
        let isThere = event == "born" ? "AND(died IS NULL OR died>?)" : "AND died IS NOT NULL AND ?>=0 "
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE \(event)>=? AND \(event)<=? AND(\(event)>? OR id>?)\
            \(isThere)AND type IN(\(marks))ORDER BY \(event),id LIMIT ?
            """
        var arguments: StatementArguments = [place.commit, seq, place.commit, place.id, seq]
        for type in types.sorted() { arguments += [type] }
        return try transaction.all(sql, arguments + [limit], savedObject)
    }

    /// Returns the saved objects that commit `seq` sees, by identity.
    ///
    /// - Parameter uuid: the identity of the last object already returned; empty for the beginning.
    package static func savedObjects(
        afterUUID uuid: [UInt8], asOf seq: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard limit > 0, try hasObjects(transaction) else { return [] }
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE uuid>? AND born<=? AND(died IS NULL OR died>?)\
            ORDER BY uuid LIMIT ?
            """
        return try transaction.all(sql, [uuid, seq, seq, limit], savedObject)
    }

    /// Calls `body` for all saved objects, including deleted ones, ascending by id.
    ///
    /// - Parameter kind: only objects of this kind; nil for all.
    package static func eachSavedObject(
        kind: Int64? = nil, _ transaction: CatalogTransaction, _ body: (SavedObjectRow) throws -> Void
    ) throws {
        guard try hasObjects(transaction) else { return }
        let sql = "SELECT \(savedObjectColumns) FROM health_object WHERE ?1 IS NULL OR kind=?1 ORDER BY id"
        try transaction.scan(sql, [kind]) { try body(try savedObject($0)) }
    }

    static func savedObject(_ row: RowReader) throws -> SavedObjectRow {
        SavedObjectRow(
            id: try row.int(0), uuid: try row.blob(1, count: 16, "the identity of a health object"),
            kind: try row.int(2), type: try row.text(3), provenance: try row.int(4), metadata: try row.int(5),
            start: try row.int(6), end: try row.int(7), created: try row.optionalInt(8), born: try row.int(9),
            died: try row.optionalInt(10), body: try row.blob(11))
    }

    /// Returns the identities of all live saved objects, in no order.
    ///
    /// - Complexity: O(saved objects), for a caller that would otherwise look up about as many one by one.
    package static func liveSavedObjects(_ transaction: CatalogTransaction) throws -> [[UInt8]] {
        guard try hasObjects(transaction) else { return [] }
        return try transaction.all("SELECT uuid FROM health_object WHERE died IS NULL") {
            try $0.blob(0, count: 16, "the identity of a health object")
        }
    }
}
