// SPDX-License-Identifier: Apache-2.0

internal import GRDB

// Horizons of the change feed, in a table outside the formats: earlier programs that do not know the table ignore it.

extension CatalogDatabase {
    static let feedHorizonsTable = "feed_horizon"
    static let feedHorizonsSQL =
        "CREATE TABLE feed_horizon(series INTEGER PRIMARY KEY,born INTEGER NOT NULL)STRICT"

    /// The definitions of the tables outside the formats, by name.
    static let tablesBeside = [timesTable: timesSQL, feedHorizonsTable: feedHorizonsSQL]

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

    /// Whether a table exists.
    func has(_ table: String, _ database: Database) throws -> Bool {
        var isThere = false
        try database.scan("SELECT 1 FROM sqlite_schema WHERE name=?", [table], path: path) { _ in isThere = true }
        return isThere
    }
}
