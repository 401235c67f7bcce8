// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// One connection of the system's SQLite, for one thread at a time.
@safe
package final class Database {
    /// SQLite's connection; nil once it is closed.
    package private(set) var handle: OpaquePointer?
    private var kept: [String: Statement] = [:]

    /// Opens a database. A file that does not exist is created, except for reading only.
    ///
    /// - Parameters:
    ///   - path: a path, a "file:" URI, or ":memory:".
    ///   - busyTimeout: how long one call waits for another connection's lock, in seconds.
    package init(path: String, isReadOnly: Bool = false, busyTimeout: Double = 0) throws {
        // `DatabaseQueue` serialises the calls, so SQLite needs no lock of its own.
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            unsafe sqlite3_close(opened)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: Self.text(of: code))
        }
        unsafe handle = unsafe opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        unsafe sqlite3_busy_timeout(opened, Int32(busyTimeout * 1000))
        // A misspelt column in double quotes is an error, not a text.
        unsafe _ = csq_sqlite_config(opened, CSQ_SQLITE_QUOTED_TEXTS, 0)
    }

    /// Closes the connection; a second call does nothing.
    ///
    /// - Throws: `busy` if a backup still uses the connection, which then stays open.
    package func close() throws {
        for statement in kept.values { statement.finalize() }
        kept = [:]
        guard let opened = unsafe handle else { return }
        let code = unsafe sqlite3_close(opened)
        if code != SQLITE_OK { throw unsafe Self.error(code, opened) }
        unsafe handle = nil
    }

    deinit {
        kept = [:]
        unsafe _ = sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Returns a statement that is compiled once and kept for the next call with the same text.
    ///
    /// - Requires: the text is one of a bounded number, and no earlier use of the statement is unfinished.
    package func cachedStatement(sql: String) throws -> Statement {
        if let known = kept[sql] { return known }
        var text = Array(sql.utf8CString)
        let statement = try unsafe text.withUnsafeMutableBufferPointer {
            try unsafe Statement.compile(UnsafeBufferPointer($0), try connection(), isKept: true).statement
        }
        guard let statement else { throw DatabaseError(resultCode: .misuse, message: "no statement", sql: sql) }
        kept[sql] = statement
        return statement
    }

    /// Runs statements, separated by semicolons, one after another. Only a single statement can have arguments.
    package func execute(sql: String, arguments: StatementArguments = []) throws {
        let text = Array(sql.utf8CString)
        var start = 0
        while start < text.count {
            let (statement, bytes) = try unsafe text.withUnsafeBufferPointer {
                try unsafe Statement.compile(
                    UnsafeBufferPointer(rebasing: $0[start...]), try connection(), isKept: false)
            }
            guard let statement else { return }
            try statement.execute(arguments)
            start += bytes
        }
    }

    private func connection() throws -> OpaquePointer {
        guard let opened = unsafe handle else {
            throw DatabaseError(resultCode: .misuse, message: "the connection is closed")
        }
        return unsafe opened
    }

    // MARK: State

    package var isInsideTransaction: Bool { unsafe handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    package var changesCount: Int { unsafe handle == nil ? 0 : Int(sqlite3_changes(handle)) }

    /// The number of rows that the connection has changed.
    package var totalChangesCount: Int { unsafe handle == nil ? 0 : Int(sqlite3_total_changes(handle)) }

    /// SQLite's message for the last call that failed.
    package var lastErrorMessage: String? { unsafe handle.flatMap { unsafe Self.message($0) } }

    /// The version of the SQLite library.
    package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

    // MARK: Errors

    static func error(_ code: Int32, _ connection: OpaquePointer, sql: String? = nil) -> DatabaseError {
        unsafe DatabaseError(resultCode: ResultCode(rawValue: code), message: message(connection), sql: sql)
    }

    static func text(of code: Int32) -> String? { unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } }

    private static func message(_ connection: OpaquePointer) -> String? {
        unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
    }
}
