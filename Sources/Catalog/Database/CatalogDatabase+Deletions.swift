// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SQLiteConnection

// Deletions: two tables that a catalog has only after a deletion.

extension CatalogDatabase {
    /// The first format that supports deletions.
    package static let deletionFormat = 3

    func writeDeletions(_ commit: CatalogCommit, _ transaction: CatalogTransaction) throws {
        if !commit.deletions.isEmpty { try raiseFormat(transaction) }
        for row in commit.deletions.tombstones {
            guard row.id > 0, row.born == commit.seq, row.start < row.end, row.count >= 0 else {
                throw CatalogError(.other, "tombstone \(row.id) has invalid values and cannot be stored", path: path)
            }
            try insert(row, transaction)
        }
        if let now = commit.deletions.now { try note(now: now, transaction) }
        if !commit.deletions.times.isEmpty { try write(commit.deletions.times, last: commit.seq, transaction) }
        for (id, count) in commit.tombstoneCounts.sorted(by: { $0.key < $1.key }) {
            let changed = try transaction.run("UPDATE tombstone SET count=? WHERE id=? AND ?1>=0", [count, id])
            guard changed == 1 else {
                throw CatalogError(.other, "tombstone \(id) cannot have \(count) samples", path: path)
            }
        }
        try removeTombstones(commit, transaction)
    }

    /// Stores an image's deletions in a new catalog.
    func restore(_ deletions: CatalogDeletions, _ transaction: CatalogTransaction) throws {
        if deletions.isEmpty { return }
        try raiseFormat(transaction)
        for row in deletions.tombstones { try insert(row, transaction) }
        if let now = deletions.now { try note(now: now, transaction) }
        if !deletions.times.isEmpty { try write(deletions.times, last: Int64.max / 2, transaction) }
    }

    private func insert(_ row: TombstoneRow, _ transaction: CatalogTransaction) throws {
        let sql = "INSERT INTO tombstone(id,series,born,start,\"end\",count,body)VALUES(?,?,?,?,?,?,?)"
        try transaction.run(
            sql, [row.id, row.series, row.born, row.start, row.end, row.count, row.body])
    }

    private func note(now: Int64, _ transaction: CatalogTransaction) throws {
        try transaction.run(
            "INSERT INTO retention(id,now)VALUES(1,?)ON CONFLICT(id)DO UPDATE SET now=excluded.now", [now])
    }

    func deletions(_ database: Database, format: Int64, seq: Int64) throws -> CatalogDeletions {
        var found = CatalogDeletions()
        if format < Self.deletionFormat { return found }
        try database.scan(TombstoneRow.query + " ORDER BY id", path: path) { row in
            found.tombstones.append(try TombstoneRow(row, lastCommit: seq, path: path))
        }
        try database.scan("SELECT now FROM retention", path: path) { found.now = try $0.int(0) }
        found.times = try times(database, seq: seq)
        return found
    }
}

extension TombstoneRow {
    static let columns = "series,born,start,\"end\",count,body"
    static let query = "SELECT id,\(columns) FROM tombstone"

    /// Reads and checks a row of `query`.
    init(_ row: RowReader, lastCommit: Int64, path: String) throws(CatalogError) {
        let id = try row.int(0, in: 1...Int64.max / 2, "a tombstone's id")
        let start = try row.int(3)
        let end = try row.int(4)
        guard start < end else {
            throw CatalogError(.corrupt, "the range of tombstone \(id) is empty", path: path)
        }
        self.init(
            id: id, series: try row.int(1, in: 1...Int64.max / 2, "the series of tombstone \(id)"),
            born: try row.int(2, in: 1...Swift.max(1, lastCommit), "the birth of tombstone \(id)"), start: start,
            end: end, count: try row.int(5, in: 0...Int64.max / 2, "the count of tombstone \(id)"),
            body: try row.isNull(6) ? nil : row.blob(6))
    }
}
