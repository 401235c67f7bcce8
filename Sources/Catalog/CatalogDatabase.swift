// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import GRDB
internal import Synchronization

/// One connection to the catalog's file. Any number of threads may call it; they take turns.
///
/// A store has one writing connection at a time (its caller holds the store's lock) and any number of reading ones, in
/// any number of processes. Only the writing one checkpoints.
package final class CatalogDatabase: Sendable {
    /// The latest format this version reads and writes.
    package static let newestFormat = 1

    package let path: String
    package let isReadOnly: Bool

    struct State: Sendable {
        var isClosed = false
        /// Set by the first failed write or checkpoint, for good: the operating system reports a failed sync once,
        /// and a second try would seem to succeed without having written anything.
        var failure: String?
        /// `kymo_sqlite_pages_written` at the last checkpoint.
        var pagesAtCheckpoint: Int64 = 0
    }

    let queue: DatabaseQueue
    let state = Mutex(State())

    private init(queue: DatabaseQueue, path: String, readOnly: Bool) {
        self.queue = queue
        self.path = path
        self.isReadOnly = readOnly
    }

    // MARK: - Create and open

    /// Makes a new catalog, private to its owner, complete on the device but for the directory entry (the caller syncs
    /// the directory), and closes it. On failure nothing is left behind.
    package static func create(
        at path: String, storeID: [UInt8], homeZone: String, formatVersion: Int
    ) throws(CatalogError) {
        guard storeID.count == 16, formatVersion > 0, formatVersion <= Int(Int32.max) else {
            throw CatalogError(.other, "a store has an id of 16 bytes and a positive format version", path: path)
        }
        try CatalogFile.createPrivate(path)
        do {
            let queue = try openQueue(path, readOnly: false) { database in
                try prepareEmpty(database, path: path)
            }
            try queue.writeWithoutTransaction { database in
                try fill(database, storeID: storeID, homeZone: homeZone, formatVersion: formatVersion, path: path)
                _ = try database.checkpoint(.truncate)
                unsafe _ = kymo_sqlite_config(database.sqliteConnection, KYMO_SQLITE_NO_CHECKPOINT_ON_CLOSE, 0)
            }
            try queue.close()
        } catch {
            CatalogFile.removeAll(path)
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Opens a catalog and checks that it is one, of a format this version knows, with the tables it should have.
    ///
    /// A writing connection first brings everything a former writer left in the write-ahead log into the database, and
    /// fails if that cannot be made durable. A reading one works beside a writer in this or another process, and with
    /// a log that a dead writer left; on a mount that is read-only it works if the catalog was closed properly.
    package static func open(at path: String, readOnly: Bool) throws(CatalogError) -> CatalogDatabase {
        switch CatalogFile.presence(path) {
        case .file(bytes: 0): throw CatalogError(.notADatabase, "the file is empty, no catalog", path: path)
        case .file: break
        case .nothing: throw CatalogError(.missing, "there is no catalog", path: path)
        case .notAFile: throw CatalogError(.notADatabase, "not a plain file, so no catalog", path: path)
        case .unknown(let error):
            throw CatalogError(.other, "cannot open the catalog: \(CatalogFile.text(error))", path: path)
        }
        do {
            let queue = try openQueue(path, readOnly: readOnly) { database in
                try CatalogPragmas.apply(to: database, readOnly: readOnly, path: path)
                try checkIdentity(database, path: path)
                try CatalogPragmas.requireWAL(database, readOnly: readOnly, path: path)
            }
            let opened = CatalogDatabase(queue: queue, path: path, readOnly: readOnly)
            if !readOnly { try opened.settleLog() }
            return opened
        } catch {
            let error = CatalogError(anything: error, path: path)
            // SQLite says no more than that it could not open something, or make its lock file.
            guard [.other, .readOnly, .io].contains(error.kind) else { throw error }
            guard CatalogFile.isOnReadOnlyMount(path) else {
                let need = "SQLite must be able to make its -wal and -shm beside the file"
                throw error.kind == .readOnly ? CatalogError(.readOnly, "\(error.message); \(need)", path: path) : error
            }
            guard readOnly else { throw CatalogError(.readOnly, "the mount is read-only", path: path) }
            return try openImmutable(path)
        }
    }

    /// The catalog on a read-only mount: SQLite can make no lock file there, and none is needed, since nobody writes.
    private static func openImmutable(_ path: String) throws(CatalogError) -> CatalogDatabase {
        guard kymo_sqlite_takes_uris() == 1 else {
            throw CatalogError(.readOnly, "this SQLite cannot open a database on a read-only mount", path: path)
        }
        guard CatalogFile.size(path + "-wal") == 0 else {
            let advice = "mount it writable once, or copy the store, to let a writer bring them in"
            throw CatalogError(
                .readOnly, "commits wait in the write-ahead log, on a read-only mount: \(advice)", path: path)
        }
        do {
            let queue = try openQueue(immutableAddress(path), readOnly: true) { database in
                try CatalogPragmas.apply(to: database, readOnly: true, path: path)
                try checkIdentity(database, path: path)
            }
            return CatalogDatabase(queue: queue, path: path, readOnly: true)
        } catch {
            throw CatalogError(anything: error, path: path)
        }
    }

    private static func immutableAddress(_ path: String) -> String {
        var address = "file:"
        for byte in plainPath(path).utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                address.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                address += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return address + "?immutable=1"
    }

    private static func openQueue(
        _ address: String, readOnly: Bool, prepare: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "kymograph.catalog"
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(CatalogPragmas.busyTimeout)
        // Every transaction is ended by the catalog itself; GRDB's own check would end the process instead.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase(prepare)
        let isAddress = address.hasPrefix("file:") && address.hasSuffix("?immutable=1")
        return try DatabaseQueue(path: isAddress ? address : plainPath(address), configuration: configuration)
    }

    /// The path as SQLite takes it for a plain file: not ":memory:", not the empty name, not a "file:" address.
    private static func plainPath(_ path: String) -> String {
        path.hasPrefix("/") ? path : "./" + path
    }

    // MARK: - Calls

    /// Runs `body` alone on the connection and gives every error the catalog's face.
    func access<T>(_ body: (Database) throws -> T) throws(CatalogError) -> T {
        do {
            return try queue.writeWithoutTransaction { database in
                if state.withLock({ $0.isClosed }) {
                    throw CatalogError(.closed, "the connection is closed", path: path)
                }
                return try body(database)
            }
        } catch {
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Closes the connection; a second call does nothing. The writing connection leaves an empty write-ahead log, or
    /// none; if the checkpoint fails, the connection is closed all the same and the error says why the log is still
    /// there. Commits that returned stay durable in either case.
    package func close() throws(CatalogError) {
        let wasClosed = state.withLock { $0.isClosed }
        if wasClosed { return }
        var problem: CatalogError?
        if !isReadOnly, state.withLock({ $0.failure == nil }) {
            do { try checkpoint(truncate: true) } catch  where error.kind != .busy { problem = error } catch {}
        }
        queue.writeWithoutTransaction { database in
            let isSound = state.withLock { state in
                state.isClosed = true
                return state.failure == nil && !isReadOnly
            }
            if isSound, let handle = unsafe database.sqliteConnection {
                unsafe _ = kymo_sqlite_config(handle, KYMO_SQLITE_NO_CHECKPOINT_ON_CLOSE, 0)
            }
        }
        do {
            try queue.close()
        } catch {
            throw CatalogError(anything: error, path: path)
        }
        if let problem { throw problem }
    }

    /// Bytes of the database and its write-ahead log; 0 for a file that cannot be asked.
    package var fileBytes: Int64 { CatalogFile.size(path) + CatalogFile.size(path + "-wal") }
}
