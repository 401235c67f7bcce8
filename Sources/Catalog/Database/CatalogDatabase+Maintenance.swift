// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import SQLiteConnection
internal import Synchronization

extension CatalogDatabase {
    /// Pages written to the log between two checkpoints of the writer.
    static let checkpointPages: Int64 = 1000
    /// Checkpoints that may fail for lack of space before commits are refused.
    static let mostFullCheckpoints = 3

    /// Copies the write-ahead log into the database, as far as readers allow.
    ///
    /// - Parameter truncate: waits for readers, up to the busy timeout, and empties the log file.
    /// - Throws: `busy` if `truncate` is set and a reader does not finish in time.
    package func checkpoint(truncate: Bool) throws(CatalogError) {
        try access { database in
            try refuseUnlessWritable()
            try checkpoint(database, truncate ? .truncate : .passive)
        }
    }

    private func checkpoint(_ database: Database, _ mode: Database.CheckpointMode) throws {
        do {
            if mode == .truncate {
                // SQLite does not wait for another connection's checkpoint.
                _ = try database.retryingWhileBusy { try database.checkpoint(mode) }
            } else {
                _ = try database.checkpoint(mode)
            }
            let (pages, traffic) = (database.pagesWritten, database.traffic)
            state.withLock { state in
                state.traffic = traffic
                state.pagesAtCheckpoint = pages
                state.pagesAtSuccess = pages
                state.fullCheckpoints = 0
                state.asksForRoom = false
            }
        } catch let error as DatabaseError {
            if error.resultCode != .busy, error.resultCode != .full {
                fail("checkpoint: \(error.message ?? "")")
            }
            throw error
        }
    }

    /// Checkpoints after a commit if due, which keeps the log at a few megabytes. A failure does not affect this
    /// commit; the next one reports it.
    func checkpointIfDue(_ database: Database) {
        let (pages, traffic) = (database.pagesWritten, database.traffic)
        let isDue = state.withLock { state in
            state.traffic = traffic
            return pages - state.pagesAtCheckpoint >= Self.checkpointPages
        }
        guard isDue else { return }
        do { try checkpoint(database, .passive) } catch { noteFull(error) }
        state.withLock { $0.pagesAtCheckpoint = pages }
    }

    /// Records that a checkpoint failed for lack of space.
    private func noteFull(_ error: any Error) {
        guard (error as? DatabaseError)?.resultCode == .full else { return }
        state.withLock { state in
            state.fullCheckpoints += 1
            state.asksForRoom = true
        }
    }

    /// Checkpoints before a commit if several checkpoints failed for lack of space, so that the log stops growing.
    ///
    /// - Throws: the checkpoint's error if space is still missing.
    func requireShortLog(_ database: Database) throws {
        guard state.withLock({ $0.fullCheckpoints >= Self.mostFullCheckpoints }) else { return }
        try checkpoint(database, .passive)
    }

    /// Prepares a writing connection: copies the log into the database and gives the pages checksums if they have none.
    ///
    /// - Ordering: once, before the first write.
    /// - Parameter rewritingLog: whether a sync of the log has failed since the system started.
    package func settle(rewritingLog: Bool = false) throws(CatalogError) {
        try settleLog(rewriting: rewritingLog)
        try beginWriting()
    }

    /// Makes the log durable and copies it into the database.
    ///
    /// After a failed sync, commits of an earlier writer may be in memory but not on the device. Rewriting the log
    /// makes them durable or fails. Copying them into the database would not suffice: a power cut could revert the log
    /// to a state older than the database. A log without a failed sync is not rewritten, since a rewrite would put
    /// durable data at risk.
    private func settleLog(rewriting: Bool) throws(CatalogError) {
        guard files.size(path + "-wal") > 0 else { return }
        if rewriting { try files.rewriteLog(of: path) }
        try access { database in
            do {
                try copyLog(database)
            } catch let error as DatabaseError where error.resultCode == .full {
                // The log is durable; its pages are copied once there is space.
                noteFull(error)
            }
        }
    }

    /// Copies the whole log into the database, and empties it unless a reader is inside a transaction.
    func copyLog(_ database: Database) throws {
        do {
            try checkpoint(database, .truncate)
        } catch let error as DatabaseError where error.resultCode == .busy {
            let result = try database.retryingWhileBusy { try database.checkpoint(.passive) }
            guard result.walFrameCount == result.checkpointedFrameCount else { throw error }
        }
    }

    /// Rewrites every page, in one transaction.
    func rewrite(_ database: Database) throws {
        database.setPageSequence(try lastSequence(database))
        // VACUUM attaches its copy as a second database.
        try database.attaching { try database.retryingWhileBusy { try database.execute(sql: "VACUUM") } }
    }

    /// Reads every page of the database and its log, including unused pages, and returns all problems found; empty for
    /// a sound catalog. Takes time in proportion to the file.
    package func integrityProblems() throws(CatalogError) -> [CatalogError] {
        try access { database in
            var problems: [CatalogError] = []
            func note(_ message: String) { problems.append(CatalogError(.corrupt, message, path: path)) }
            // A read transaction prevents a restart of the log during the scan.
            do {
                try reading(database) { _ in problems = try damagedPages(database) }
                for line in try database.texts("PRAGMA integrity_check(100)", path: path) where line != "ok" {
                    if Self.isFailedRead(line) { throw CatalogError(.io, line, path: path) }
                    note(line)
                }
                try database.scan("PRAGMA foreign_key_check", path: path) { row in
                    note("a row of \(try row.text(0)) refers to a missing row of \(try row.text(2))")
                }
                for rule in try rulesBroken(database) { note(rule) }
            } catch {
                let error = Self.explain(error, database, path: path)
                guard error.kind == .corrupt else { throw error }
                if problems.isEmpty { problems = try damagedPages(database) }
                if !problems.contains(where: { $0.path == error.path && $0.offset == error.offset }) {
                    problems.append(error)
                }
            }
            return problems
        }
    }

    /// Whether a line of SQLite's integrity check reports only a failed read, which does not prove damage.
    private static func isFailedRead(_ line: String) -> Bool {
        guard
            let code = line.split(separator: "error code=").dropFirst().first.flatMap({
                Int32($0.prefix(while: \.isNumber))
            })
        else { return false }
        let error = DatabaseError(resultCode: ResultCode(rawValue: code))
        return error.resultCode == .inputOutput && !error.isPageFault
    }

    /// Returns the violated rules that the schema does not enforce.
    private func rulesBroken(_ database: Database) throws -> [String] {
        var rules: [(query: String, what: String)] = [
            ("SELECT count(*)<>1 FROM meta", "table meta does not have exactly one row"),
            ("SELECT count(*)<>count(DISTINCT uuid) FROM segment", "two segments have the same uuid"),
            (
                "SELECT count(*)<>0 FROM segment WHERE born>\(CatalogSchema.lastSequence) OR died<=born",
                "a segment was created after the last commit, or retired before it was created"
            ),
            ("SELECT count(*)<>0 FROM tail WHERE seq<1", "the tail has a sequence number below 1"),
        ]
        var problems: [String] = []
        let format = Self.format(ofVersion: try database.oneInt("PRAGMA user_version", path: path))
        if format >= Self.deletionFormat {
            rules.append(
                (
                    """
                    SELECT count(*)<>0 FROM tombstone WHERE start>="end" OR count<0 OR born<1 \
                    OR born>\(CatalogSchema.lastSequence)
                    """, "a tombstone has an invalid range or count, or was created after the last commit"
                ))
        }
        if format >= Self.historyFormat {
            let last = CatalogSchema.lastSequence
            rules.append(
                (
                    "SELECT count(*)<>1 OR min(born)<0 OR max(born)>\(last) FROM horizon",
                    "the horizon does not have exactly one row, or is after the last commit"
                ))
            rules.append(
                (
                    "SELECT count(*)<>0 FROM epoch WHERE number=0 OR start<0 OR start>\(last)",
                    "an epoch has the number 0, or starts after the last commit"
                ))
        }
        if try has(Self.feedHorizonsTable, database) {
            rules.append(
                (
                    "SELECT count(*)<>0 FROM feed_horizon WHERE born<1 OR born>\(CatalogSchema.lastSequence)",
                    "a horizon of changes is not a commit of this catalog"
                ))
        }
        for rule in rules where try database.oneInt(rule.query, path: path) != 0 { problems.append(rule.what) }
        let reserved = unsafe csq_sqlite_reserve_bytes(database.handle, -1)
        if reserved != files.reservedBytes { problems.append("\(reserved) bytes a page are reserved") }
        return problems
    }
}
