// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

extension CatalogDatabase {
    /// Reads the content of the catalog in one read transaction.
    ///
    /// - Parameter tailAfter: only tail rows after this commit are read.
    package func load(tailAfter: Int64 = 0) throws(CatalogError) -> CatalogImage {
        try access { database in
            try reading(database) { seq in try image(database, seq: seq, tailAfter: tailAfter) }
        }
    }

    /// Returns a number that changes with every commit of another connection, in this or another process. Commits of
    /// this connection do not change it.
    package func dataVersion() throws(CatalogError) -> Int64 {
        try access { database in try database.oneInt("PRAGMA data_version", path: path) }
    }

    /// Runs `body` in one read transaction. Writes of `body` are rolled back.
    package func read<T>(_ body: (CatalogTransaction) throws -> T) throws(CatalogError) -> T {
        try access { database in
            try reading(database) { seq in
                try body(CatalogTransaction(database: database, seq: seq, isWritable: false, path: path))
            }
        }
    }

    /// Runs `body` with the last sequence in a read transaction. It always rolls back; for a reader this equals a
    /// commit.
    func reading<T>(_ database: Database, _ body: (Int64) throws -> T) throws -> T {
        try database.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
        defer { try? database.rollback() }
        return try body(lastSequence(database))
    }

    func lastSequence(_ database: Database) throws -> Int64 {
        try database.oneInt("SELECT " + CatalogSchema.lastSequence, path: path)
    }

    private func image(_ database: Database, seq: Int64, tailAfter: Int64) throws -> CatalogImage {
        var storeID: [UInt8] = []
        var zone = ""
        try database.scan("SELECT store,zone FROM meta WHERE id=1", path: path) { row in
            storeID = try row.blob(0, count: 16, "the store's id")
            zone = try row.text(1)
        }
        let format = try Self.requireChecks(database, path: path)
        var tail: [TailRow] = []
        try database.scan("SELECT seq,body FROM tail WHERE seq>? ORDER BY seq", [tailAfter], path: path) { row in
            tail.append(TailRow(seq: try row.int(0, in: positive, "a sequence"), body: try row.blob(1)))
        }
        return CatalogImage(
            storeID: storeID, homeZone: zone, formatVersion: Int(format), seq: seq,
            series: try series(database), segments: try segments(database, seq: seq), tail: tail,
            deletions: try deletions(database, format: format, seq: seq),
            history: try history(database, format: format, seq: seq))
    }

    private var positive: ClosedRange<Int64> { 1...Int64.max }

    private func series(_ database: Database) throws -> SeriesRows {
        var found = SeriesRows()
        try database.scan("SELECT id,kind,name,labels FROM series ORDER BY id", path: path) { row in
            try row.series(to: &found)
        }
        return found
    }

    private func segments(_ database: Database, seq: Int64) throws -> [SegmentRow] {
        var found: [SegmentRow] = []
        var total: Int64 = 0
        let sql = "SELECT id,uuid,bytes,checksum,born,died FROM segment ORDER BY id"
        try database.scan(sql, path: path) { row in
            let id = try row.int(0, in: positive, "a segment id")
            let last = found.last?.id ?? 0
            try row.require(id > last, "segment \(id) follows segment \(last); run verify, then repair the store")
            let uuid = try row.blob(1, count: 16, "the uuid of segment \(id)")
            let bytes = try row.int(2, in: CatalogSchema.segmentBytes, "the length of segment \(id)")
            total += bytes
            try row.require(
                total <= Int64.max / 2,
                "the segments up to \(id) have \(total) bytes together; run verify, then repair the store")
            let checksum = try row.int(3, in: 0...Int64(UInt32.max), "the checksum of segment \(id)")
            let born = try row.int(4, in: 0...max(seq, 0), "the birth of segment \(id)")
            let died = try row.isNull(5) ? nil : row.int(5, in: born...max(seq, born), "the death of segment \(id)")
            found.append(
                SegmentRow(
                    id: id, uuid: uuid, bytes: bytes, checksum: UInt32(truncatingIfNeeded: checksum), born: born,
                    died: died, runs: []))
        }
        // Both queries ascend by segment, so one pass assigns the runs. Runs of retired segments are checked and
        // dropped: a long-lived reader can keep thousands of them.
        var at = 0
        var unused = RunRows()
        let runs = """
            SELECT segment,series,root_offset,root_length,levels,blocks,summary FROM run ORDER BY segment,series
            """
        try database.scan(runs, path: path) { row in
            let segment = try row.int(0)
            while at < found.count, found[at].id < segment {
                found[at].runs.shrink()
                at += 1
            }
            guard at < found.count, found[at].id == segment else {
                throw CatalogError(
                    .corrupt,
                    "the catalog has a run of segment \(segment), but no row of that segment; run verify, then repair "
                        + "the store or restore a backup", path: path)
            }
            if found[at].died == nil {
                try row.run(from: 1, to: &found[at].runs)
            } else {
                try row.run(from: 1, to: &unused)
                unused = []
            }
        }
        if at < found.count { found[at].runs.shrink() }
        return found
    }
}
