// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import SQLiteConnection
internal import Synchronization

extension CatalogDatabase {
    /// Commits durably. When the call returns, all writes of `commit` and `extra` are on the device as one unit. When
    /// it throws, none of them is, except that `outcomeUnknown` leaves this open until the catalog is opened again.
    ///
    /// - Parameter extra: runs last inside the transaction; an error that it throws rolls everything back and becomes
    ///   the `underlying` error.
    package func commit(
        _ commit: CatalogCommit, extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(CatalogError) {
        try writing(commit.seq) { database in
            if let body = commit.tail, !commit.touchesMore, extra == nil {
                try append(database, seq: commit.seq, body: body)
                return true
            }
            return try transact(database, commit.seq) { transaction in
                try write(commit, transaction)
                try extra?(transaction)
                return true
            }
        }
    }

    /// Commits the changes that a closure decides on inside the transaction, as one unit with its own writes. The
    /// closure sees the last state, and no other writer can change it meanwhile.
    ///
    /// - Parameter decide: returns the changes; nil, or an error, rolls everything back.
    /// - Returns: whether a commit was made.
    package func commit(
        seq: Int64, deciding decide: (CatalogTransaction) throws -> CatalogCommit?
    ) throws(CatalogError) -> Bool {
        try writing(seq) { database in
            try transact(database, seq) { transaction in
                guard let commit = try decide(transaction) else { return false }
                try write(commit, transaction)
                return true
            }
        }
    }

    /// Runs a committing closure with the checks before it and the checkpoint after it.
    @discardableResult
    private func writing(_ seq: Int64, _ body: (Database) throws -> Bool) throws(CatalogError) -> Bool {
        try access { database in
            try refuseUnlessWritable()
            database.setPageSequence(seq)
            let isCommitted: Bool
            do {
                try requireShortLog(database)
                isCommitted = try body(database)
            } catch {
                let error = Self.explain(error, database, path: path)
                if [.io, .outcomeUnknown, .removed].contains(error.kind) { fail(error.message) }
                throw error
            }
            checkpointIfDue(database)
            return isCommitted
        }
    }

    func refuseUnlessWritable() throws(CatalogError) {
        if isReadOnly { throw CatalogError(.readOnly, "the catalog was opened for reading only", path: path) }
        if let failure = state.withLock({ $0.failure }) {
            throw CatalogError(.failed, "an earlier write failed; open the catalog again (\(failure))", path: path)
        }
    }

    func fail(_ message: String) {
        state.withLock { state in if state.failure == nil { state.failure = message } }
    }

    /// The fast path: one statement in its own transaction inserts one row keyed by the sequence. For a wrong sequence
    /// the statement yields a text as key, which SQLite refuses for an INTEGER PRIMARY KEY.
    private func append(_ database: Database, seq: Int64, body: [UInt8]) throws {
        do {
            let statement = try database.cachedStatement(sql: Self.appendSQL)
            let handle = unsafe statement.handle
            let code = unsafe body.withUnsafeBytes {
                unsafe csq_sqlite_run(handle, seq, $0.baseAddress, Int32(clamping: $0.count))
            }
            guard code == 101 else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
            }
        } catch let error as DatabaseError {
            if error.isPageFault { throw error }
            switch error.resultCode {
            case .mismatch: throw try wrongSequence(database, seq)
            case .busy, .full, .readOnly, .tooBig, .corrupt: throw error
            default: throw unknownOutcome(error)
            }
        }
    }

    private static let appendSQL =
        "INSERT INTO tail(seq,body)VALUES(CASE WHEN ?1=1+\(CatalogSchema.lastSequence) THEN ?1 ELSE 'x' END,?2)"

    /// Runs `body` in a transaction; commits if `body` returns true, else rolls back.
    private func transact(
        _ database: Database, _ seq: Int64, _ body: (CatalogTransaction) throws -> Bool
    ) throws -> Bool {
        try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            guard try lastSequence(database) &+ 1 == seq else { throw try wrongSequence(database, seq) }
            let transaction = CatalogTransaction(database: database, seq: seq, isWritable: true, path: path)
            let isWanted = try body(transaction)
            guard database.isInsideTransaction else {
                throw CatalogError(.outcomeUnknown, "the caller's closure ended the transaction", path: path)
            }
            guard isWanted else {
                try database.rollback()
                return false
            }
        } catch {
            try? database.rollback()
            throw CatalogError(anything: error, path: path)
        }
        do {
            try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch let error as DatabaseError {
            try? database.rollback()
            if error.isPageFault { throw error }
            switch error.resultCode {
            case .busy, .full, .constraint: throw error
            default: throw unknownOutcome(error)
            }
        }
        return true
    }

    private func write(_ commit: CatalogCommit, _ transaction: CatalogTransaction) throws {
        try transaction.add(commit.series)
        for page in commit.seriesPages { try transaction.add(page) }
        if let body = commit.tail {
            try transaction.run("INSERT INTO tail(seq,body)VALUES(?,?)", [commit.seq, body])
        }
        for segment in commit.segments { try write(segment, transaction) }
        for range in Self.ranges(commit.sealedTail) {
            try transaction.run("DELETE FROM tail WHERE seq BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
        }
        for segment in commit.removedSegments {
            try transaction.run("DELETE FROM run WHERE segment=?", [segment])
            try transaction.run("DELETE FROM segment WHERE id=?", [segment])
        }
        if let horizon = commit.horizon { try note(horizon: horizon, transaction) }
        try writeDeletions(commit, transaction)
        for series in commit.removedSeries { try transaction.run("DELETE FROM series WHERE id=?", [series]) }
        if commit.touchesMore { try transaction.run("UPDATE meta SET commit_seq=? WHERE id=1", [commit.seq]) }
    }

    private func write(_ segment: SegmentRow, _ transaction: CatalogTransaction) throws {
        guard segment.id > 0, segment.uuid.count == 16, segment.bytes >= 0, segment.born >= 0 else {
            throw CatalogError(.other, "segment \(segment.id) has invalid values and cannot be stored", path: path)
        }
        // Published bytes never change: an existing segment can only be retired. Any other change is a caller's error.
        if let died = segment.died {
            let sql = "UPDATE segment SET died=?1 WHERE id=?2 AND uuid=?3 AND(died IS NULL OR died=?1)"
            if try transaction.run(sql, [died, segment.id, segment.uuid]) == 1 { return }
        }
        let sql = "INSERT INTO segment(id,uuid,bytes,checksum,born,died)VALUES(?,?,?,?,?,?)"
        try transaction.run(
            sql,
            [
                segment.id, segment.uuid, segment.bytes, Int64(segment.checksum), segment.born, segment.died,
            ])
        let insertRun = """
            INSERT INTO run(segment,series,root_offset,root_length,levels,blocks,summary)VALUES(?,?,?,?,?,?,?)
            """
        for run in segment.runs {
            try transaction.run(
                insertRun,
                [
                    segment.id, run.series, run.rootOffset, run.rootLength, Int64(run.levels), run.blocks,
                    run.summary,
                ])
        }
    }

    /// Groups numbers into ascending ranges without gaps. Sealing removes long ranges, each with one statement.
    static func ranges(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
        var found: [ClosedRange<Int64>] = []
        for number in numbers.sorted() {
            if let last = found.last, number <= last.upperBound || number == last.upperBound &+ 1 {
                found[found.count - 1] = last.lowerBound...max(last.upperBound, number)
            } else {
                found.append(number...number)
            }
        }
        return found
    }

    private func wrongSequence(_ database: Database, _ seq: Int64) throws -> CatalogError {
        let last = try lastSequence(database)
        return CatalogError(.sequence, "commit \(seq) does not follow the last one, \(last)", path: path)
    }

    private func unknownOutcome(_ error: DatabaseError) -> CatalogError {
        let known = CatalogError(error, path: path)
        return CatalogError(
            .outcomeUnknown, "the commit may or may not have happened: \(known.message)", path: path)
    }
}
