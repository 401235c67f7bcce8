// SPDX-License-Identifier: Apache-2.0

import CDiskVFS

/// A database that another program has open: a second copy of SQLite in this process, with SQLite's own VFS and locks.
@safe package final class OtherSQLite {
    /// What SQLite said.
    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32
        package let message: String
        /// Whether another connection was in the way.
        package var isBusy: Bool { code == 5 || code == 6 }
        package var description: String { "SQLite code \(code): \(message)" }
    }

    /// Whether the copy has a state of its own: another list of VFSs than the SQLite of this process.
    package static var isApart: Bool { unsafe kymo_other_sqlite_is_apart() == 1 }

    private let handle: UnsafeMutableRawPointer

    /// Opens a database that is there, for reading and writing.
    package init(_ path: String) throws(Failure) {
        var opened: UnsafeMutableRawPointer?
        let code = unsafe kymo_other_sqlite_open(path, &opened)
        guard code == 0, let found = unsafe opened else { throw Failure(code: code, message: "cannot open \(path)") }
        unsafe handle = found
    }

    /// Runs statements, and returns the first column of the first row; empty for none.
    @discardableResult
    package func run(_ sql: String) throws(Failure) -> String {
        var answer = [CChar](repeating: 0, count: 1_024)
        let code = unsafe kymo_other_sqlite_run(handle, sql, &answer, Int32(answer.count))
        let text = String(decoding: answer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if code != 0 { throw Failure(code: code, message: text) }
        return text
    }

    deinit { unsafe kymo_other_sqlite_close(handle) }
}
