// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// An error that SQLite reported.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The code with its details, such as "read failed: the file is too short".
    package let extendedResultCode: ResultCode
    /// SQLite's message, if it has one.
    package let message: String?
    /// The statement, if one failed.
    package let sql: String?

    package init(resultCode: ResultCode, message: String? = nil, sql: String? = nil) {
        self.extendedResultCode = resultCode
        self.message = message
        self.sql = sql
    }

    /// The code without its details.
    package var resultCode: ResultCode { extendedResultCode.primary }

    package var description: String {
        "SQLite error \(extendedResultCode.rawValue): \(message ?? "no message")" + (sql.map { " (\($0))" } ?? "")
    }
}

/// A result code of SQLite: <https://www.sqlite.org/rescode.html>.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its details.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    package static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    package static let authorization = ResultCode(rawValue: SQLITE_AUTH)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

    // Codes with details: the number of the detail is in the second byte.
    package static let shortRead = inputOutput.detail(2)
    package static let write = inputOutput.detail(3)
    package static let truncate = inputOutput.detail(6)
    package static let sharedMemoryOpen = inputOutput.detail(18)
    package static let sharedMemorySize = inputOutput.detail(19)
    package static let sharedMemoryMap = inputOutput.detail(21)
    package static let damagedData = inputOutput.detail(32)
    package static let corruptFileSystem = inputOutput.detail(33)
    /// A killed process left the journal of an unfinished change, which only a writer can roll back.
    package static let readOnlyRollback = readOnly.detail(3)

    private func detail(_ number: Int32) -> ResultCode { ResultCode(rawValue: rawValue | number << 8) }
}
