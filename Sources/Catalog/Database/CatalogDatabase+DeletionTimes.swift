// SPDX-License-Identifier: Apache-2.0

internal import GRDB

// When what was deleted was deleted: a table beside the formats, which programs that do not know it pass over.

extension CatalogDatabase {
    static let timesTable = "deletion_time"
    static let timesSQL = "CREATE TABLE deletion_time(born INTEGER PRIMARY KEY,at INTEGER NOT NULL)STRICT"
    /// Rows that are read at most; no store writes as many.
    private static let mostTimes = 1_024

    /// Writes when commits deleted in place of what is there, durably, without a commit of its own.
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
                if [.SQLITE_BUSY, .SQLITE_FULL].contains(error.resultCode) { throw error }
                fail(error.message ?? "")
                throw CatalogError(.outcomeUnknown, "times may or may not be noted: \(error.message ?? "")", path: path)
            }
        }
    }

    /// Puts times in place of those that are there.
    ///
    /// - Parameter last: the last commit that there is.
    func write(_ times: [DeletionTime], last: Int64, _ transaction: CatalogTransaction) throws {
        if try !has(Self.timesTable, transaction.database) { try transaction.database.execute(sql: Self.timesSQL) }
        try transaction.run("DELETE FROM deletion_time")
        for one in times {
            guard one.commit > 0, one.commit <= last else {
                throw CatalogError(.other, "commit \(one.commit) cannot have deleted anything yet", path: path)
            }
            try transaction.run("INSERT INTO deletion_time(born,at)VALUES(?,?)", [one.commit, one.at])
        }
    }

    /// When commits deleted, ascending; nothing in a catalog of which no program noted it.
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
