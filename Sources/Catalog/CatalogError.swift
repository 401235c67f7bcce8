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
        /// A value the catalog cannot hold, a broken reference, or anything else SQLite refuses. Nothing happened.
        case other
    }

    package let kind: Kind
    package let message: String
    /// The catalog's file, or its log.
    package let path: String
    /// The place in the file, where one is known.
    package let offset: UInt64?
    /// The error of the caller's closure, where one threw.
    package let underlying: (any Error)?

    package init(
        _ kind: Kind, _ message: String, path: String, offset: UInt64? = nil, underlying: (any Error)? = nil
    ) {
        self.kind = kind
        self.message = message
        self.path = path
        self.offset = offset
        self.underlying = underlying
    }

    package var description: String { "\(path)\(offset.map { " at byte \($0)" } ?? ""): \(message)" }
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
        self.init(
            kind, "\(error.message ?? "no message") (SQLite code \(error.extendedResultCode.rawValue))", path: path)
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
