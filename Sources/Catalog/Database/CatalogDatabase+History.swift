// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

// Limits of the history: two tables that a catalog has only after a deletion or a new epoch.

extension CatalogDatabase {
    /// The first format that records the limits of the history.
    package static let historyFormat = 4

    /// Begins a new epoch after the last commit, durably, without a commit of its own.
    ///
    /// - Parameter number: not 0; 0 is the first epoch's number.
    package func beginEpoch(_ number: Int64) throws(CatalogError) {
        try access { database in
            try refuseUnlessWritable()
            try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            do {
                let seq = try lastSequence(database)
                database.setPageSequence(seq)
                let transaction = CatalogTransaction(database: database, seq: seq, isWritable: true, path: path)
                try raiseFormat(transaction)
                try insert(EpochRow(number: number, start: seq), transaction)
                try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            } catch {
                try? database.rollback()
                throw error
            }
        }
    }

    /// Records that samples deleted by commit `horizon` were dropped, unless a later commit is recorded.
    func note(horizon: Int64, _ transaction: CatalogTransaction) throws {
        guard (0...transaction.seq).contains(horizon) else {
            throw CatalogError(.other, "horizon \(horizon) is not a commit of this catalog", path: path)
        }
        try raiseFormat(transaction)
        try transaction.run("UPDATE horizon SET born=max(born,?) WHERE id=1", [horizon])
    }

    /// Stores an image's history in a new catalog.
    func restore(_ history: CatalogHistory, _ transaction: CatalogTransaction) throws {
        if history.isEmpty { return }
        try raiseFormat(transaction)
        if let horizon = history.horizon {
            try transaction.run("UPDATE horizon SET born=? WHERE id=1", [horizon])
        }
        for row in history.epochs { try insert(row, transaction) }
        try note(history.feedHorizons, transaction)
    }

    private func insert(_ row: EpochRow, _ transaction: CatalogTransaction) throws {
        guard row.number != 0, row.start >= 0 else {
            throw CatalogError(.other, "epoch \(row.number) has invalid values and cannot be stored", path: path)
        }
        try transaction.run("INSERT INTO epoch(number,start)VALUES(?,?)", [row.number, row.start])
    }

    /// Creates the history tables and raises the format, so that earlier versions refuse the catalog. They would show
    /// deleted samples, or drop samples without recording it.
    func raiseFormat(_ transaction: CatalogTransaction) throws { try transaction.raiseFormat(to: Self.historyFormat) }

    func history(_ database: Database, format: Int64, seq: Int64) throws -> CatalogHistory {
        var found = CatalogHistory()
        if format < Self.historyFormat { return found }
        try database.scan("SELECT born FROM horizon WHERE id=1", path: path) { row in
            found.horizon = try row.int(0, in: 0...max(0, seq), "the horizon")
        }
        try database.scan(EpochRow.query + " ORDER BY id", path: path) { row in
            let epoch = try EpochRow(row, lastCommit: seq, path: path)
            guard epoch.start >= found.epochs.last?.start ?? 0 else {
                throw CatalogError(.corrupt, "an epoch starts before the preceding epoch", path: path)
            }
            found.epochs.append(epoch)
        }
        found.feedHorizons = try feedHorizons(database, seq: seq)
        return found
    }
}

extension EpochRow {
    static let columns = "number,start"
    static let query = "SELECT id,\(columns) FROM epoch"

    /// Reads and checks a row of `query`.
    init(_ row: RowReader, lastCommit: Int64, path: String) throws(CatalogError) {
        let number = try row.int(1)
        guard number != 0 else { throw CatalogError(.corrupt, "an epoch has the number 0", path: path) }
        self.init(number: number, start: try row.int(2, in: 0...Swift.max(0, lastCommit), "the start of an epoch"))
    }
}

// Horizons of the change feed, in a table outside the formats: earlier programs that do not know the table ignore it.

extension CatalogDatabase {
    static let feedHorizonsTable = "feed_horizon"
    static let feedHorizonsSQL =
        "CREATE TABLE feed_horizon(series INTEGER PRIMARY KEY,born INTEGER NOT NULL)STRICT"

    /// The definitions of the tables outside the formats, by name.
    static let tablesBeside = [
        timesTable: timesSQL, feedHorizonsTable: feedHorizonsSQL, attachedFilesTable: attachedFilesSQL,
    ]

    /// Removes the tombstones of a commit and records the newest deletion among them.
    func removeTombstones(_ commit: CatalogCommit, _ transaction: CatalogTransaction) throws {
        if commit.removedTombstones.isEmpty { return }
        try raiseFormat(transaction)
        for range in Self.ranges(commit.removedTombstones) {
            let removed = try transaction.run(
                "DELETE FROM tombstone WHERE id BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
            guard removed == range.count else {
                throw CatalogError(
                    .other, "some of tombstones \(range.lowerBound) to \(range.upperBound) do not exist", path: path)
            }
        }
        try note(commit.feedHorizons, transaction)
    }

    /// Records, by series, that the feed no longer covers deletions up to a commit, unless a later commit is recorded.
    func note(_ horizons: [Int64: Int64], _ transaction: CatalogTransaction) throws {
        if horizons.isEmpty { return }
        if try !has(Self.feedHorizonsTable, transaction.database) {
            try transaction.database.execute(sql: Self.feedHorizonsSQL)
        }
        for (series, born) in horizons.sorted(by: { $0.key < $1.key }) {
            guard series > 0, born > 0 else {
                throw CatalogError(.other, "commit \(born) or series \(series) is not positive", path: path)
            }
            let sql = """
                INSERT INTO feed_horizon(series,born)VALUES(?,?)\
                ON CONFLICT(series)DO UPDATE SET born=max(born,excluded.born)
                """
            try transaction.run(sql, [series, born])
        }
    }

    /// Returns the horizon of each series' change feed. For a series without an entry the feed is complete.
    func feedHorizons(_ database: Database, seq: Int64) throws -> [Int64: Int64] {
        guard try has(Self.feedHorizonsTable, database) else { return [:] }
        var found: [Int64: Int64] = [:]
        try database.scan("SELECT series,born FROM feed_horizon", path: path) { row in
            let series = try row.int(0, in: 1...Int64.max, "the series of a horizon of changes")
            found[series] = try row.int(1, in: 1...max(1, seq), "the horizon of the changes of series \(series)")
        }
        return found
    }

    func has(_ table: String, _ database: Database) throws -> Bool {
        var isThere = false
        try database.scan("SELECT 1 FROM sqlite_schema WHERE name=?", [table], path: path) { _ in isThere = true }
        return isThere
    }
}
