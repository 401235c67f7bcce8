// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

extension Database {
    /// When a transaction takes its lock.
    package enum TransactionKind: String, Sendable {
        /// At the first statement, as a reader.
        case deferred = "DEFERRED"
        /// At once, as the only writer.
        case immediate = "IMMEDIATE"
    }

    /// Runs `body` in a transaction, and commits it. An error rolls it back.
    package func inTransaction(_ kind: TransactionKind, _ body: () throws -> Void) throws {
        try cachedStatement(sql: "BEGIN \(kind.rawValue) TRANSACTION").execute()
        do {
            try body()
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Rolls back the current transaction, if there is one: some errors have rolled it back already.
    package func rollback() throws {
        if isInsideTransaction { try cachedStatement(sql: "ROLLBACK TRANSACTION").execute() }
    }

    /// How a checkpoint treats other connections: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
    package enum CheckpointMode: Int32, Sendable {
        /// Copies what it can without waiting.
        case passive = 0
        /// Waits for writers and readers, and empties the log.
        case truncate = 3
    }

    /// Copies pages of the write-ahead log into the database.
    ///
    /// - Returns: the frames in the log, and how many of them are in the database now; -1 without a log.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        guard let connection = unsafe handle else {
            throw DatabaseError(resultCode: .misuse, message: "the connection is closed")
        }
        var (frames, copied): (Int32, Int32) = (-1, -1)
        let code = unsafe sqlite3_wal_checkpoint_v2(connection, nil, mode.rawValue, &frames, &copied)
        if code != SQLITE_OK { throw unsafe Self.error(code, connection) }
        return (Int(frames), Int(copied))
    }

    /// Copies all pages to another database in one step, which is one read transaction.
    package func backup(to target: Database) throws {
        guard let source = unsafe handle, let connection = unsafe target.handle else {
            throw DatabaseError(resultCode: .misuse, message: "the connection is closed")
        }
        guard let backup = unsafe sqlite3_backup_init(connection, "main", source, "main") else {
            throw unsafe Self.error(sqlite3_extended_errcode(connection), connection)
        }
        let stepped = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        // SQLite keeps the error in the backup, not in a connection.
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            let code = stepped == SQLITE_DONE || stepped == SQLITE_OK ? finished : stepped
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "copying failed")
        }
    }
}
