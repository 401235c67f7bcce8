// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// What went wrong in the catalog, with the file and SQLite's own words.
package struct CatalogError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// There is no file at the path.
        case missing
        /// There is a file at the path of a catalog to be created.
        case exists
        /// The file is no SQLite database, or one that is no catalog.
        case notADatabase
        /// The catalog was written by a later version than this one can read.
        case newerFormat(found: Int)
        /// Another connection holds the lock longer than the busy timeout. Nothing happened; trying again may help.
        case busy
        /// No space is left. Nothing happened.
        case full
        /// The catalog, or its mount, cannot be written.
        case readOnly
        /// A page, a row or the schema is damaged.
        case corrupt
        /// Reading or writing the file failed. Nothing was committed.
        case io
        /// Writing failed at the commit itself: whether it happened shows when the catalog is opened again. This
        /// connection refuses further writes.
        case outcomeUnknown
        /// An earlier write or checkpoint of this connection failed; nothing happened now. Close it and open again.
        case failed
        /// The connection is closed.
        case closed
        /// The commit's sequence is not the one after the catalog's present one. Nothing happened.
        case sequence
        /// The caller's closure threw; `underlying` has its error. Nothing happened.
        case closure
        /// A text that no row can hold, because it has a NUL. Nothing happened.
        case unstorableText
        /// A value the catalog cannot hold, a broken reference, or anything else SQLite refuses. Nothing happened.
        case other
    }

    package let kind: Kind
    package let message: String
    /// SQLite's own words and its code, where it was SQLite that refused.
    package let detail: String?
    /// The catalog's file, or its log.
    package let path: String
    /// The place in the file, where one is known.
    package let offset: UInt64?
    /// The error of the caller's closure, where one threw.
    package let underlying: (any Error)?

    package init(
        _ kind: Kind, _ message: String, detail: String? = nil, path: String, offset: UInt64? = nil,
        underlying: (any Error)? = nil
    ) {
        self.kind = kind
        self.message = message
        self.detail = detail
        self.path = path
        self.offset = offset
        self.underlying = underlying
    }

    package var description: String { "\(path)\(offset.map { " at byte \($0)" } ?? ""): \(fullMessage)" }

    /// The message, and behind it what SQLite said.
    package var fullMessage: String { message + (detail.map { " (\($0))" } ?? "") }
}

extension DatabaseError {
    /// Whether the layer under SQLite refused a page, and the call did nothing but read.
    var isPageFault: Bool { extendedResultCode.rawValue == 10 | 32 << 8 }
}

extension CatalogError {
    /// The meaning of SQLite's result codes.
    init(_ error: DatabaseError, path: String) {
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_NOTADB: .notADatabase
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: .full
            case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
            case .SQLITE_CORRUPT: .corrupt
            case .SQLITE_IOERR where error.isPageFault: .corrupt
            case .SQLITE_IOERR: .io
            default: .other
            }
        let code = "code \(error.extendedResultCode.rawValue)"
        let detail = "SQLite: " + (error.message.map { "\($0), " } ?? "") + code
        self.init(kind, Self.words(kind, error), detail: detail, path: path)
    }

    /// What happened, for somebody who does not know SQLite.
    private static func words(_ kind: Kind, _ error: DatabaseError) -> String {
        switch kind {
        case .notADatabase: return "the file does not begin as a catalog does"
        case .busy: return "another program has the catalog locked; try again when it is done"
        case .full: return "there is no room for the catalog"
        case .readOnly: return "the catalog cannot be written"
        case .corrupt: return "the catalog is damaged"
        case .io: return "the system failed to read or write the catalog"
        default: break
        }
        return switch error.resultCode {
        case .SQLITE_CANTOPEN: "the catalog, or a file beside it, cannot be opened"
        case .SQLITE_NOMEM: "there is not enough memory"
        case .SQLITE_TOOBIG: "a value is too large for the catalog"
        case .SQLITE_CONSTRAINT: "the catalog refuses a row that breaks a rule"
        default: "the catalog refused a call"
        }
    }

    /// Any error that crosses the catalog's border.
    init(anything error: any Error, path: String) {
        switch error {
        case let error as CatalogError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        case let error as TransactionLost: self = error.error
        default: self.init(.closure, "the caller's work failed: \(error)", path: path, underlying: error)
        }
    }
}
