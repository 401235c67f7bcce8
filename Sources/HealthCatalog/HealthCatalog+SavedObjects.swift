// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import GRDB

// Every call here needs the tables of the format of health objects, which `prepare` makes; reading calls find nothing
// in an older one.
extension HealthCatalog {
    static let savedObjectColumns =
        "id,uuid,kind,type,provenance,metadata,start,\"end\",created,born,died,body"

    /// Whether the catalog can have health objects, sync identifiers and settings.
    package static func hasObjects(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.format() >= CatalogTransaction.objectFormat && isPrepared(transaction)
    }

    /// New objects, born in this commit. The caller has made sure that no live one has the same identity.
    package static func insert(_ objects: [SavedObjectRow], _ transaction: CatalogTransaction) throws {
        let sql = """
            INSERT INTO health_object(id,uuid,kind,type,provenance,metadata,start,"end",created,born,body)\
            VALUES(?,?,?,?,?,?,?,?,?,?,?)
            """
        for row in objects {
            guard row.id > 0, row.kind > 0, row.uuid.count == 16, row.start <= row.end, row.metadata >= 0 else {
                throw CatalogError(
                    .other, "health object \(row.id) of kind \(row.kind) cannot be written down",
                    path: transaction.path)
            }
            try transaction.run(
                sql,
                [
                    row.id, Data(row.uuid), row.kind, transaction.plain(row.type), row.provenance, row.metadata,
                    row.start, row.end, row.created, transaction.seq, Data(row.body),
                ])
        }
    }

    /// The highest number of an object, those of this commit included; 0 where there is none.
    package static func lastSavedObject(_ transaction: CatalogTransaction) throws -> Int64 {
        guard try hasObjects(transaction) else { return 0 }
        var last: Int64 = 0
        try transaction.scan("SELECT ifnull(max(id),0) FROM health_object") { last = try $0.int(0) }
        return last
    }

    /// Lets objects die in this commit: earlier snapshots still see them. Those that the same commit brought were never
    /// there. Gives how many were live.
    @discardableResult
    package static func retire(savedObjects ids: [Int64], _ transaction: CatalogTransaction) throws -> Int {
        var count = 0
        for id in ids {
            count += try transaction.run(
                "DELETE FROM health_object WHERE id=? AND born=? AND died IS NULL", [id, transaction.seq])
            count += try transaction.run(
                "UPDATE health_object SET died=? WHERE id=? AND died IS NULL", [transaction.seq, id])
        }
        return count
    }

    /// Lets objects live again that died: for repairs, where the deletion of their parts is lost.
    package static func revive(savedObjects ids: [Int64], _ transaction: CatalogTransaction) throws {
        for id in ids { try transaction.run("UPDATE health_object SET died=NULL WHERE id=?", [id]) }
    }

    /// Removes the objects that no snapshot at or after `seq` sees. Gives how many went.
    @discardableResult
    package static func removeSavedObjects(diedUpTo seq: Int64, _ transaction: CatalogTransaction) throws -> Int {
        try transaction.run("DELETE FROM health_object WHERE died IS NOT NULL AND died<=?", [seq])
    }

    /// The objects of a type that commit `seq` sees, by start, then id.
    ///
    /// - Parameters:
    ///   - start: only objects that start in it.
    ///   - seq: the snapshot; nil for the transaction's own.
    ///   - body: takes an object and says whether it wants more.
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

    /// The objects of some numbers, those that died included; what is not there is left out.
    package static func savedObjects(
        ids: [Int64], _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        var found: [SavedObjectRow] = []
        found.reserveCapacity(ids.count)
        for id in ids {
            try transaction.scan("SELECT \(savedObjectColumns) FROM health_object WHERE id=?", [id]) {
                found.append(try savedObject($0))
            }
        }
        return found
    }

    /// Some of the objects of a type that commit `seq` sees, in order of their starts, then ids.
    ///
    /// - Parameters:
    ///   - start: only objects that start in it.
    ///   - instant: not those that start before it and end with it or before.
    ///   - place: only what comes after this object in the order.
    ///   - limit: the most objects.
    package static func savedObjects(
        type: String, start: ClosedRange<Int64>, lastingTo instant: Int64 = .min, after place: SavedObjectRow? = nil,
        backward: Bool = false, limit: Int, asOf seq: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        guard try hasObjects(transaction) else { return [] }
        let seq = seq ?? transaction.seq
        let (direction, comes) = backward ? (" DESC", "<") : ("", ">")
        let rest = place == nil ? "" : "AND(start\(comes)? OR start=? AND id\(comes)?)"
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE type=? AND start>=? AND start<=? \
            AND(start>=? OR "end">?)AND born<=? AND(died IS NULL OR died>?)\(rest) \
            ORDER BY start\(direction),id\(direction) LIMIT ?
            """
        // What is passed over already is not walked again.
        let low = backward ? start.lowerBound : max(start.lowerBound, place?.start ?? .min)
        let high = backward ? min(start.upperBound, place?.start ?? .max) : start.upperBound
        var arguments: StatementArguments = [type, low, high, instant, instant, seq, seq]
        if let place { arguments += [place.start, place.start, place.id] }
        arguments += [limit]
        var found: [SavedObjectRow] = []
        try transaction.scan(sql, arguments) { found.append(try savedObject($0)) }
        return found
    }

    /// The live object of each identity, in the order of the identities; nil for one that is not there.
    package static func savedObjects(
        uuids: [[UInt8]], asOf seq: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow?] {
        guard try hasObjects(transaction) else { return uuids.map { _ in nil } }
        let seq = seq ?? transaction.seq
        let sql = """
            SELECT \(savedObjectColumns) FROM health_object WHERE uuid=? AND born<=? AND(died IS NULL OR died>?)
            """
        var found: [SavedObjectRow?] = []
        found.reserveCapacity(uuids.count)
        for uuid in uuids {
            var one: SavedObjectRow?
            try transaction.scan(sql, [Data(uuid), seq, seq]) { one = try savedObject($0) }
            found.append(one)
        }
        return found
    }

    /// Some of the objects of some types that were born after a place and are still there at commit `seq`, in order of
    /// their births, then ids.
    ///
    /// - Parameter place: the commit and the id of the last one that is known.
    package static func savedObjects(
        types: Set<String>, bornAfter place: (commit: Int64, id: Int64), upTo seq: Int64, limit: Int,
        _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        try savedObjects(types, "born", place, seq, limit, transaction)
    }

    /// Some of the objects of some types that died after a place, up to commit `seq`, in order of their deaths, then
    /// ids.
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
        arguments += [limit]
        var found: [SavedObjectRow] = []
        try transaction.scan(sql, arguments) { found.append(try savedObject($0)) }
        return found
    }

    /// Every object, those that died included, ascending by id.
    ///
    /// - Parameter kind: only those of this kind.
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
}

extension HealthCatalog {
    /// The identities of all live health objects, without what is in them, in no order.
    ///
    /// - Complexity: O(health objects): for a caller who would otherwise look up as many, one by one.
    package static func liveSavedObjects(_ transaction: CatalogTransaction) throws -> [[UInt8]] {
        guard try hasObjects(transaction) else { return [] }
        var found: [[UInt8]] = []
        try transaction.scan("SELECT uuid FROM health_object WHERE died IS NULL") {
            found.append(try $0.blob(0, count: 16, "the identity of a health object"))
        }
        return found
    }
}
