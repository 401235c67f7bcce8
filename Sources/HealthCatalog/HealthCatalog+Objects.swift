// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

extension HealthCatalog {
    /// Inserts elements, with this commit as their birth.
    package static func insert(_ objects: [ElementRow], _ transaction: CatalogTransaction) throws {
        let sql = """
            INSERT INTO object(id,kind,start,"end",digest,born,body)VALUES(?,?,?,?,?,?,?)
            """
        for row in objects {
            guard row.id > 0, row.kind > 0 else {
                throw CatalogError(
                    .other, "object \(row.id) of kind \(row.kind): both must be positive", path: transaction.path)
            }
            try transaction.run(
                sql, [row.id, row.kind, row.start, row.end, row.digest, transaction.seq, row.body])
        }
    }

    /// Marks elements as deleted by this commit; earlier snapshots still see them.
    ///
    /// - Returns: the number of elements that were live.
    @discardableResult
    package static func retire(objects ids: [Int64], _ transaction: CatalogTransaction) throws -> Int {
        var count = 0
        for id in ids {
            count += try transaction.run(
                "UPDATE object SET died=? WHERE id=? AND died IS NULL", [transaction.seq, id])
        }
        return count
    }

    /// Removes the elements that no snapshot at or after `seq` sees.
    ///
    /// - Returns: the number of elements removed.
    @discardableResult
    package static func removeElements(diedUpTo seq: Int64, _ transaction: CatalogTransaction) throws -> Int {
        try transaction.run("DELETE FROM object WHERE died<=?", [seq])
    }

    /// Calls `body` for the elements of one kind that commit `seq` sees, ascending by start, then id; elements without
    /// a start come first.
    /// - Parameters:
    ///   - start: only elements that start in this range; nil for all.
    ///   - bornAfter: only elements of later commits.
    ///   - seq: the snapshot; nil for the transaction's own.
    package static func eachElement(
        kind: Int64, start: Range<Int64>? = nil, bornAfter: Int64 = 0, asOf seq: Int64? = nil,
        _ transaction: CatalogTransaction, _ body: (ElementRow) throws -> Void
    ) throws {
        let seq = seq ?? transaction.seq
        let seen = "born<=? AND born>? AND(died IS NULL OR died>?)"
        var sql = "SELECT \(columns) FROM object WHERE kind=? AND \(seen)"
        var arguments: StatementArguments = [kind, seq, bornAfter, seq]
        if let start {
            sql += " AND start>=? AND start<?"
            arguments += [start.lowerBound, start.upperBound]
        }
        try transaction.scan(sql + " ORDER BY start,id", arguments) { try body(try object($0)) }
    }

    /// Returns the elements with these ids, including deleted ones, in the order of the ids; unknown ids are skipped.
    package static func objects(ids: [Int64], _ transaction: CatalogTransaction) throws -> [ElementRow] {
        try ids.flatMap { try transaction.all("SELECT \(columns) FROM object WHERE id=?", [$0], object) }
    }

    /// Returns the number of live elements for each digest, so that an import adds only missing copies. Reads the whole
    /// table except long bodies.
    package static func elementDigestCounts(
        kind: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        // The plus prevents SQLite from using the index by kind: one scan of the table is faster.
        let ofKind = kind == nil ? "" : " AND +kind=?"
        let arguments: StatementArguments = kind.map { [$0] } ?? []
        try transaction.scan("SELECT digest FROM object WHERE died IS NULL\(ofKind)", arguments) { row in
            counts[try row.int(0), default: 0] += 1
        }
        return counts
    }

    /// Returns the ids of the live elements of a kind, by digest, ascending.
    package static func objectIDs(kind: Int64, _ transaction: CatalogTransaction) throws -> [Int64: [Int64]] {
        var found: [Int64: [Int64]] = [:]
        try transaction.scan("SELECT digest,id FROM object WHERE died IS NULL AND kind=? ORDER BY id", [kind]) { row in
            found[try row.int(0), default: []].append(try row.int(1))
        }
        return found
    }

    /// Returns the ids of the elements of a kind that commit `seq` sees, by digest, ascending.
    package static func objectIDs(
        kind: Int64, asOf seq: Int64, _ transaction: CatalogTransaction
    ) throws -> [Int64: [Int64]] {
        var found: [Int64: [Int64]] = [:]
        let sql = "SELECT digest,id FROM object WHERE kind=? AND born<=? AND(died IS NULL OR died>?)ORDER BY id"
        try transaction.scan(sql, [kind, seq, seq]) { row in
            found[try row.int(0), default: []].append(try row.int(1))
        }
        return found
    }

    /// Returns the ids of the elements of a kind that commit `seq` sees, ascending.
    package static func allElementIDs(
        kind: Int64, asOf seq: Int64, _ transaction: CatalogTransaction
    ) throws -> [Int64] {
        let sql = "SELECT id FROM object WHERE kind=? AND born<=? AND(died IS NULL OR died>?)ORDER BY id"
        return try transaction.all(sql, [kind, seq, seq]) { try $0.int(0) }
    }

    /// Returns the ids of the first live elements of a kind after an id, ascending.
    package static func elementIDs(
        kind: Int64, after id: Int64, limit: Int, _ transaction: CatalogTransaction
    ) throws -> [Int64] {
        let sql = "SELECT id FROM object WHERE kind=? AND died IS NULL AND id>? ORDER BY id LIMIT ?"
        return try transaction.all(sql, [kind, id, limit]) { try $0.int(0) }
    }

    /// Returns the number of live elements by kind.
    package static func objectCounts(_ transaction: CatalogTransaction) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        try transaction.scan("SELECT kind,count(*) FROM object WHERE died IS NULL GROUP BY kind") { row in
            counts[try row.int(0)] = Int(try row.int(1))
        }
        return counts
    }

    /// Values that change when elements of a kind are added or deleted.
    package struct ElementMarks: Sendable, Equatable {
        package var count: Int64 = 0
        package var highest: Int64 = 0

        package init() {}
    }

    /// Returns the number of live elements of a kind and their highest id.
    package static func elementMarks(kind: Int64, _ transaction: CatalogTransaction) throws -> ElementMarks {
        var marks = ElementMarks()
        let sql = "SELECT count(*),ifnull(max(id),0) FROM object WHERE kind=? AND died IS NULL"
        try transaction.scan(sql, [kind]) { row in
            marks.count = try row.int(0)
            marks.highest = try row.int(1)
        }
        return marks
    }

    static let columns = "id,kind,start,\"end\",digest,born,died,body"

    static func object(_ row: RowReader) throws -> ElementRow {
        ElementRow(
            id: try row.int(0), kind: try row.int(1), start: try row.optionalInt(2), end: try row.optionalInt(3),
            digest: try row.int(4), born: try row.int(5), died: try row.optionalInt(6), body: try row.blob(7))
    }
}
