// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

// Times of deletions, in a table outside the formats: earlier programs that do not know the table ignore it.

extension CatalogDatabase {
    static let timesTable = "deletion_time"
    static let timesSQL = "CREATE TABLE deletion_time(born INTEGER PRIMARY KEY,at INTEGER NOT NULL)STRICT"
    /// Maximum number of rows to read; no store writes as many.
    private static let mostTimes = 1_024

    /// Replaces the stored times of deletions, durably, without a commit of its own.
    ///
    /// - Parameter times: ascending by commit.
    package func note(times: [DeletionTime]) throws(CatalogError) {
        try access { database in
            try refuseUnlessWritable()
            try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            do {
                let seq = try lastSequence(database)
                database.setPageSequence(seq)
                let transaction = CatalogTransaction(database: database, seq: seq, isWritable: true, path: path)
                try write(times, last: seq, transaction)
            } catch {
                try? database.rollback()
                throw error
            }
            do {
                try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            } catch let error as DatabaseError {
                try? database.rollback()
                if [.busy, .full].contains(error.resultCode) { throw error }
                fail(error.message ?? "")
                throw CatalogError(.outcomeUnknown, "times may or may not be saved: \(error.message ?? "")", path: path)
            }
        }
    }

    /// Replaces the stored times.
    ///
    /// - Parameter last: the last commit.
    func write(_ times: [DeletionTime], last: Int64, _ transaction: CatalogTransaction) throws {
        if try !has(Self.timesTable, transaction.database) { try transaction.database.execute(sql: Self.timesSQL) }
        try transaction.run("DELETE FROM deletion_time")
        for one in times {
            guard one.commit > 0, one.commit <= last else {
                throw CatalogError(.other, "commit \(one.commit) is not a commit of this catalog", path: path)
            }
            try transaction.run("INSERT INTO deletion_time(born,at)VALUES(?,?)", [one.commit, one.at])
        }
    }

    /// Returns the times of deletions, ascending; empty if no program recorded any.
    func times(_ database: Database, seq: Int64) throws -> [DeletionTime] {
        guard try has(Self.timesTable, database) else { return [] }
        var found: [DeletionTime] = []
        let sql = "SELECT born,at FROM deletion_time ORDER BY born LIMIT \(Self.mostTimes)"
        try database.scan(sql, path: path) { row in
            found.append(
                DeletionTime(
                    commit: try row.int(0, in: 1...max(1, seq), "the commit of a time of deletion"), at: try row.int(1))
            )
        }
        return found
    }
}
