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
        /// The catalog's files are no longer the ones under their names. Nothing was committed.
        case removed
        /// The connection was opened by the process that this one was forked from.
        case forked
        /// The caller's closure threw; `underlying` has its error. Nothing happened.
        case closure
        /// A row is larger than the catalog takes. Nothing happened.
        case tooLarge
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
    /// Whether the system refused a call for a reason that says nothing of the bytes in the file.
    package var isRefusal = false
    /// The system's error number, where SQLite tells one.
    package var systemError: Int32?
    /// Whether a killed program left the journal of an unfinished change, which only a writer can undo.
    var isUnfinished = false

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

    /// The error with another path.
    package func naming(_ path: String) -> CatalogError {
        var error = CatalogError(kind, message, detail: detail, path: path, offset: offset, underlying: underlying)
        (error.isRefusal, error.systemError, error.isUnfinished) = (isRefusal, systemError, isUnfinished)
        return error
    }

    package var description: String { "\(path)\(offset.map { " at byte \($0)" } ?? ""): \(fullMessage)" }

    /// The message, and behind it what SQLite said.
    package var fullMessage: String { message + (detail.map { " (\($0))" } ?? "") }
}

extension DatabaseError {
    /// Whether the layer under SQLite refused a page, or the disk could not give it; the call did nothing but read.
    var isPageFault: Bool { [10 | 32 << 8, 10 | 33 << 8].contains(extendedResultCode.rawValue) }
    /// Whether the system refused a call for a reason that says nothing of the bytes: it could not open, map or ask a
    /// file, or had no memory.
    var isRefusal: Bool {
        switch resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_PERM, .SQLITE_AUTH: true
        // A file that is shorter than it must be is damage, too.
        case .SQLITE_IOERR: !isPageFault && extendedResultCode.rawValue != 10 | 2 << 8
        default: false
        }
    }
}

extension DatabaseError {
    /// Whether a killed program left the journal of an unfinished change; only a writer can undo the change.
    var isUnfinished: Bool { extendedResultCode == .SQLITE_READONLY_ROLLBACK }

    /// Whether a write, or what makes a file longer, failed.
    var isOfWriting: Bool {
        let codes: [ResultCode] = [
            .SQLITE_IOERR_WRITE, .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP,
        ]
        return codes.contains(extendedResultCode)
    }
}

extension CatalogError {
    /// The meaning of SQLite's result codes.
    ///
    /// - Parameter system: the number of the system's error behind it; 0 where it is not known.
    init(_ error: DatabaseError, path: String, system: Int32 = 0) {
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_NOTADB: .notADatabase
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
                system == 0 || CatalogFile.isFull(system) ? .full : .io
            case .SQLITE_IOERR where CatalogFile.isFull(system) && error.isOfWriting: .full
            case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
            case .SQLITE_CORRUPT: .corrupt
            case .SQLITE_IOERR where error.isPageFault: .corrupt
            case .SQLITE_IOERR: .io
            case .SQLITE_TOOBIG: .tooLarge
            default: .other
            }
        let code = "code \(error.extendedResultCode.rawValue)"
        let detail = "SQLite: " + (error.message.map { "\($0), " } ?? "") + code
        let told = system != 0 && error.isRefusal ? system : nil
        let reason = told.map { ": \(CatalogFile.text($0))" } ?? ""
        self.init(kind, Self.words(kind, error) + reason, detail: detail, path: path)
        isRefusal = error.isRefusal
        systemError = told
        isUnfinished = error.isUnfinished
    }

    /// A call on a file that the system refused.
    init(refusal error: Int32, _ kind: Kind, _ message: String, path: String) {
        self.init(kind, "\(message): \(CatalogFile.text(error))", path: path)
        isRefusal = true
        systemError = error
    }

    /// What happened, for somebody who does not know SQLite.
    private static func words(_ kind: Kind, _ error: DatabaseError) -> String {
        switch kind {
        case .notADatabase: return "the file does not begin as a catalog does"
        case .busy: return "another program has the catalog locked; try again when it is done"
        case .full: return "there is no room for the catalog"
        case .readOnly where error.isUnfinished:
            return "another program was stopped while it changed the catalog; open the store for writing once"
        case .readOnly: return "the catalog cannot be written"
        case .corrupt: return "the catalog is damaged"
        case .io: return "the system failed to read or write the catalog"
        default: break
        }
        return switch error.resultCode {
        case .SQLITE_CANTOPEN: "the catalog, or a file beside it, cannot be opened"
        case .SQLITE_NOMEM: "there is not enough memory"
        case .SQLITE_TOOBIG: "a row is larger than the \(CatalogPragmas.largestValue >> 20) MiB that the catalog takes"
        case .SQLITE_CONSTRAINT: "the catalog refuses a row that breaks a rule"
        default: "the catalog refused a call"
        }
    }

    /// Any error that crosses the catalog's border.
    ///
    /// - Parameter system: the number of the system's error behind it; 0 where it is not known.
    init(anything error: any Error, path: String, system: Int32 = 0) {
        switch error {
        case let error as CatalogError: self = error
        case let error as DatabaseError: self.init(error, path: path, system: system)
        case let error as TransactionLost: self = error.error
        default: self.init(.closure, "the caller's work failed: \(error)", path: path, underlying: error)
        }
    }
}
