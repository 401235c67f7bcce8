// SPDX-License-Identifier: Apache-2.0

import CDiskVFS

/// A database opened by another program: a second copy of SQLite in this process, with SQLite's own VFS and locks.
@safe package final class OtherSQLite {
    /// An error of SQLite.
    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32
        package let message: String
        /// True if another connection holds a conflicting lock.
        package var isBusy: Bool { code == 5 || code == 6 }
        package var description: String { "SQLite code \(code): \(message)" }
    }

    /// True if the copy has its own state, that is, another list of VFSs than the SQLite of this process.
    package static var isApart: Bool { kymo_other_sqlite_is_apart() == 1 }

    private let handle: UnsafeMutableRawPointer

    /// Opens an existing database for reading and writing.
    package init(_ path: String) throws(Failure) {
        var opened: UnsafeMutableRawPointer?
        let code = unsafe kymo_other_sqlite_open(path, &opened)
        guard code == 0, let found = unsafe opened else { throw Failure(code: code, message: "cannot open \(path)") }
        unsafe handle = found
    }

    /// Runs statements. Returns the first column of the first row, or an empty string.
    @discardableResult
    package func run(_ sql: String) throws(Failure) -> String {
        var answer = [CChar](repeating: 0, count: 1_024)
        let code = unsafe kymo_other_sqlite_run(handle, sql, &answer, Int32(answer.count))
        let text = String(decoding: answer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if code != 0 { throw Failure(code: code, message: text) }
        return text
    }

    /// Copies pages of the log to the database, by SQLite's function instead of a statement.
    package func checkpoint() throws(Failure) {
        let code = unsafe kymo_other_sqlite_checkpoint(handle)
        if code != 0 { throw Failure(code: code, message: "checkpoint failed") }
    }

    deinit { unsafe kymo_other_sqlite_close(handle) }
}
