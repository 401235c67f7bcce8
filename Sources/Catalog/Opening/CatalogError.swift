// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

/// An error of the catalog: its kind, the file, and SQLite's message.
package struct CatalogError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// No file exists at the path.
        case missing
        /// A file already exists at the path of the catalog to create.
        case exists
        /// The file is not a SQLite database, or is a database but not a catalog.
        case notADatabase
        /// A later version wrote the catalog in a format that this version cannot read.
        case newerFormat(found: Int)
        /// Another connection held the lock longer than the busy timeout. Nothing was written; a retry may succeed.
        case busy
        /// The disk, the quota or the file is full. Nothing was written.
        case full
        /// The catalog or its mount is read-only.
        case readOnly
        /// A page, a row or the schema is damaged.
        case corrupt
        /// A page has the right checksum, but was not encrypted for its place with the store's key.
        case forged
        /// No given key belongs to a page of an encrypted catalog.
        case needsKey
        /// Reading or writing the file failed. Nothing was committed.
        case io
        /// Writing failed at the commit itself, so the commit may or may not be durable. Opening the catalog again
        /// shows which. This connection refuses further writes.
        case outcomeUnknown
        /// An earlier write or checkpoint of this connection failed. Nothing was written; close it and open again.
        case failed
        case closed
        /// The commit's sequence number does not follow the catalog's last one. Nothing was written.
        case sequence
        /// The catalog's files were removed, moved or replaced. Nothing was committed.
        case removed
        /// The parent process opened the connection before it forked this process.
        case forked
        /// The caller's closure threw; `underlying` holds its error. Nothing was written.
        case closure
        /// A row exceeds the catalog's size limit. Nothing was written.
        case tooLarge
        /// A text contains a NUL character, which no row can store. Nothing was written.
        case unstorableText
        /// SQLite refused the call for another reason, for example a broken reference. Nothing was written.
        case other
    }

    package let kind: Kind
    package let message: String
    /// SQLite's message and code, if SQLite reported the error.
    package let detail: String?
    /// The path of the catalog or of its log.
    package let path: String
    /// The byte offset in the file, if known.
    package let offset: UInt64?
    /// The error that the caller's closure threw, if any.
    package let underlying: (any Error)?
    /// Whether the system refused a call for a reason unrelated to the bytes in the file.
    package var isRefusal = false
    /// The system's error number, if SQLite reports one.
    package var systemError: Int32?
    /// Whether a killed process left the journal of an unfinished change, which only a writer can roll back.
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

    /// Returns the same error with another path.
    package func naming(_ path: String) -> CatalogError {
        var error = CatalogError(kind, message, detail: detail, path: path, offset: offset, underlying: underlying)
        (error.isRefusal, error.systemError, error.isUnfinished) = (isRefusal, systemError, isUnfinished)
        return error
    }

    package var description: String { "\(path)\(offset.map { " at byte \($0)" } ?? ""): \(fullMessage)" }

    /// The message, followed by SQLite's detail.
    package var fullMessage: String { message + (detail.map { " (\($0))" } ?? "") }
}

extension DatabaseError {
    /// Whether the VFS layer refused a page, or the disk could not read it. Only reads return this error.
    var isPageFault: Bool { [.damagedData, .corruptFileSystem].contains(extendedResultCode) }
    /// Whether the system refused a call for a reason unrelated to the bytes in the file: it could not open, map or
    /// stat a file, or had no memory.
    var isRefusal: Bool {
        switch resultCode {
        case .cannotOpen, .noMemory, .permission, .authorization: true
        // A file that ends too early counts as damage.
        case .inputOutput: !isPageFault && extendedResultCode != .shortRead
        default: false
        }
    }

    /// Whether a killed process left the journal of an unfinished change; only a writer can roll it back.
    var isUnfinished: Bool { extendedResultCode == .readOnlyRollback }

    /// Whether the failed call writes a file or makes it longer.
    var isOfWriting: Bool {
        let codes: [ResultCode] = [
            .write, .truncate, .sharedMemoryOpen, .sharedMemoryMap,
        ]
        return codes.contains(extendedResultCode)
    }
}

extension CatalogError {
    /// Creates an error from a SQLite error: maps its result code to a kind.
    ///
    /// - Parameter system: the system's error number behind the error; 0 if unknown.
    init(_ error: DatabaseError, path: String, system: Int32 = 0) {
        let kind: Kind =
            switch error.resultCode {
            case .notADatabase: .notADatabase
            case .busy, .locked: .busy
            case .full: .full
            case .inputOutput where error.extendedResultCode == .sharedMemorySize:
                system == 0 || CatalogFile.isFull(system) ? .full : .io
            case .inputOutput where CatalogFile.isFull(system) && error.isOfWriting: .full
            case .readOnly, .permission: .readOnly
            case .corrupt: .corrupt
            case .inputOutput where error.isPageFault: .corrupt
            case .inputOutput: .io
            case .tooBig: .tooLarge
            default: .other
            }
        let code = "code \(error.extendedResultCode.rawValue)"
        let detail = "SQLite: " + (error.message.map { "\($0), " } ?? "") + code
        let cause = system != 0 && error.isRefusal ? system : nil
        let reason = cause.map { ": \(CatalogFile.text($0))" } ?? ""
        self.init(kind, Self.words(kind, error) + reason, detail: detail, path: path)
        isRefusal = error.isRefusal
        systemError = cause
        isUnfinished = error.isUnfinished
    }

    /// Creates an error for a file operation that the system refused.
    init(refusal error: Int32, _ kind: Kind, _ message: String, path: String) {
        self.init(kind, "\(message): \(CatalogFile.text(error))", path: path)
        isRefusal = true
        systemError = error
    }

    /// Returns a message for a reader who does not know SQLite.
    private static func words(_ kind: Kind, _ error: DatabaseError) -> String {
        switch kind {
        case .notADatabase: return "the file is not a SQLite database"
        case .busy: return "another program has locked the catalog; try again when it has finished"
        case .full: return "there is no space left for the catalog; free some space and try again"
        case .readOnly where error.isUnfinished:
            return "another program was stopped while it changed the catalog; open the store for writing once"
        case .readOnly: return "the catalog cannot be written"
        case .corrupt: return "the catalog is damaged"
        case .io: return "the system failed to read or write the catalog"
        default: break
        }
        return switch error.resultCode {
        case .cannotOpen: "the catalog, or a file beside it, cannot be opened"
        case .noMemory: "there is not enough memory"
        case .tooBig: "a row exceeds the catalog's limit of \(CatalogPragmas.largestValue >> 20) MiB"
        case .constraint: "a row violates a constraint of the catalog"
        default: "SQLite could not complete a call on the catalog"
        }
    }

    /// Creates an error from any error thrown inside the catalog.
    ///
    /// - Parameter system: the system's error number behind the error; 0 if unknown.
    init(anything error: any Error, path: String, system: Int32 = 0) {
        switch error {
        case let error as CatalogError: self = error
        case let error as DatabaseError: self.init(error, path: path, system: system)
        case let error as TransactionLost: self = error.error
        default: self.init(.closure, "the caller's closure failed: \(error)", path: path, underlying: error)
        }
    }
}
