// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import GRDB
internal import Synchronization

/// What one connection handed to the file system, for the catalog and its log together.
package struct CatalogTraffic: Hashable, Sendable {
    /// Bytes written.
    package var bytes: Int64 = 0
    package var syncs: Int64 = 0

    package init(bytes: Int64 = 0, syncs: Int64 = 0) {
        self.bytes = bytes
        self.syncs = syncs
    }
}

/// One connection to the catalog's file. Any number of threads may call it; they take turns.
///
/// A store has one writing connection at a time (its caller holds the store's lock) and any number of reading ones, in
/// any number of processes. Only the writing one checkpoints.
package final class CatalogDatabase: Sendable {
    /// The latest format this version reads and writes.
    package static let newestFormat = 5

    package let path: String
    package let isReadOnly: Bool
    /// What is asked about the files beside SQLite.
    let files: CatalogFile

    struct State: Sendable {
        var isClosed = false
        /// Set by the first failed write or checkpoint, for good: the operating system reports a failed sync once,
        /// and a second try would seem to succeed without having written anything.
        var failure: String?
        /// `csq_sqlite_pages_written` at the last checkpoint.
        var pagesAtCheckpoint: Int64 = 0
        /// `csq_sqlite_pages_written` at the last checkpoint that did its work.
        var pagesAtSuccess: Int64 = 0
        /// Checkpoints that were due, in a row, and found no room.
        var fullCheckpoints = 0
        /// Whether the last of them was not told yet.
        var asksForRoom = false
        var traffic = CatalogTraffic()
    }

    let queue: DatabaseQueue
    let state = Mutex(State())
    /// The process that opened the connection.
    private let process = csq_vfs_process()
    /// Connections of this process's parent: closing one needs locks and threads that a forked child has not.
    private static let ofParent = Mutex<[DatabaseQueue]>([])

    private init(queue: DatabaseQueue, path: String, files: CatalogFile, readOnly: Bool) {
        self.queue = queue
        self.path = path
        self.files = files
        self.isReadOnly = readOnly
    }

    // MARK: - Create and open

    /// Makes a new catalog, private to its owner, complete on the device but for the directory entry (the caller syncs
    /// the directory), and closes it. On failure nothing is left behind.
    ///
    /// - Parameter vfs: the registered VFS that has the file; nil is our layer over the system's.
    package static func create(
        at path: String, storeID: [UInt8], homeZone: String, formatVersion: Int, vfs: String? = nil
    ) throws(CatalogError) {
        guard storeID.count == 16, formatVersion > 0, formatVersion <= Int(Int32.max) else {
            throw CatalogError(.other, "a store has an id of 16 bytes and a positive format version", path: path)
        }
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs))
        try files.createPrivate(path)
        do {
            let address = CatalogVFS.address(path, vfs: files.vfs, immutable: false)
            let queue = try openQueue(address, path: path, readOnly: false) { database in
                try prepareEmpty(database, formatVersion: formatVersion, path: path)
            }
            try queue.writeWithoutTransaction { database in
                try fill(database, storeID: storeID, homeZone: homeZone, formatVersion: formatVersion, path: path)
                _ = try database.checkpoint(.truncate)
                unsafe _ = csq_sqlite_config(database.sqliteConnection, CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE, 0)
            }
            try queue.close()
        } catch {
            files.removeAll(path)
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Opens a catalog and checks that it is one, of a format this version knows, with the tables it should have.
    ///
    /// A writing connection first brings everything a former writer left in the write-ahead log into the database, and
    /// fails if that cannot be made durable. A reading one works beside a writer in this or another process, and with
    /// a log that a dead writer left; on a mount that is read-only it works if the catalog was closed properly.
    ///
    /// - Parameters:
    ///   - vfs: the registered VFS that has the files; nil is our layer over the system's.
    ///   - settling: whether a writing connection settles the log at once; if not, the caller looks at the catalog
    ///     first and calls `settle` before anything is written.
    package static func open(
        at path: String, readOnly: Bool, vfs: String? = nil, settling: Bool = true
    ) throws(CatalogError) -> CatalogDatabase {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs))
        try files.requireFile(path)
        if !readOnly { try files.recoverLog(of: path) }
        try requireOneHistory(path, files)
        do {
            let address = CatalogVFS.address(path, vfs: files.vfs, immutable: false)
            let queue = try openQueue(address, path: path, readOnly: readOnly) { database in
                try CatalogPragmas.apply(to: database, readOnly: readOnly, path: path)
                try checkIdentity(database, path: path)
                try CatalogPragmas.requireWAL(database, readOnly: readOnly, path: path)
                try requireChecks(database, path: path)
            }
            let opened = CatalogDatabase(queue: queue, path: path, files: files, readOnly: readOnly)
            if !readOnly, settling { try opened.settle() }
            return opened
        } catch {
            let error = CatalogError(anything: error, path: path)
            if error.isUnfinished { throw error }
            // SQLite says no more than that it could not open something, or make its lock file.
            guard [.other, .readOnly, .io].contains(error.kind) else { throw error }
            guard files.isOnReadOnlyMount(path) else {
                guard error.kind == .readOnly || files.isDenied(path, writing: true) else { throw error }
                let need = "SQLite must be able to make its -wal and -shm beside the file"
                throw CatalogError(
                    .readOnly, "\(error.message); \(need): run as the user whose files these are", detail: error.detail,
                    path: path)
            }
            guard readOnly else { throw CatalogError(.readOnly, "the mount is read-only", path: path) }
            return try openImmutable(path, files)
        }
    }

    /// Refuses a database that is an older one than its log: both together would be a mixture of two states.
    private static func requireOneHistory(_ path: String, _ files: CatalogFile) throws(CatalogError) {
        guard isOlderThanLog(path, files) else { return }
        throw CatalogError(
            .corrupt,
            "the file is older than the write-ahead log beside it, so an earlier copy was put in its place; put the "
                + "right one back, repair the store, or restore a backup", path: path)
    }

    /// Whether the log begins with a commit behind the one that follows the database's last.
    ///
    /// Pages tell of which commit they are, but a repair of an earlier version marked them all as of the first; then
    /// the catalog's own row has the last word.
    static func isOlderThanLog(_ path: String, _ files: CatalogFile) -> Bool {
        let first = files.logAhead(of: path)
        guard first > 0 else { return false }
        do {
            let address = CatalogVFS.address(path, vfs: files.vfs, immutable: true)
            let queue = try openQueue(address, path: path, readOnly: true) { database in
                try CatalogPragmas.apply(to: database, readOnly: true, path: path)
            }
            defer { try? queue.close() }
            let last = try queue.read { try $0.oneInt("SELECT " + CatalogSchema.lastSequence, path: path) }
            return last < first - 1
        } catch {
            return false
        }
    }

    /// Whether the catalog, or its log, is there and this process may not read it.
    package static func isDenied(at path: String, vfs: String? = nil) throws(CatalogError) -> Bool {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs))
        return files.isDenied(path) || files.isDenied(path + "-wal")
    }

    /// Whether a writer that opened the catalog was interrupted while it wrote the log again, or is doing so now. After
    /// a power cut a reader may then find the log torn; the next writer mends it.
    package static func isRewritingLog(at path: String, vfs: String? = nil) throws(CatalogError) -> Bool {
        CatalogFile(vfs: try CatalogVFS.named(vfs)).isRewritingLog(of: path)
    }

    /// The catalog on a read-only mount: SQLite can make no lock file there, and none is needed, since nobody writes.
    static func openImmutable(_ path: String, _ files: CatalogFile) throws(CatalogError) -> CatalogDatabase {
        guard files.size(path + "-wal") == 0 else {
            let advice = "mount it writable once, or copy the store, to let a writer bring them in"
            throw CatalogError(
                .readOnly, "commits wait in the write-ahead log, on a read-only mount: \(advice)", path: path)
        }
        do {
            let address = CatalogVFS.address(path, vfs: files.vfs, immutable: true)
            let queue = try openQueue(address, path: path, readOnly: true) { database in
                try CatalogPragmas.apply(to: database, readOnly: true, path: path)
                try checkIdentity(database, path: path)
                try requireChecks(database, path: path)
            }
            return CatalogDatabase(queue: queue, path: path, files: files, readOnly: true)
        } catch {
            throw CatalogError(anything: error, path: path)
        }
    }

    static func openQueue(
        _ address: String, path: String, readOnly: Bool, prepare: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "kymograph.catalog"
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(CatalogPragmas.busyTimeout)
        // Every transaction is ended by the catalog itself; GRDB's own check would end the process instead.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            do { try prepare(database) } catch { throw explain(error, database, path: path) }
        }
        return try DatabaseQueue(path: address, configuration: configuration)
    }

    // MARK: - Calls

    /// Runs `body` alone on the connection and gives every error the catalog's face.
    func access<T>(_ body: (Database) throws -> T) throws(CatalogError) -> T {
        if isOfParent {
            throw CatalogError(.forked, "the process that opened the catalog forked this one; open it here", path: path)
        }
        do {
            return try queue.writeWithoutTransaction { database in
                if state.withLock({ $0.isClosed }) {
                    throw CatalogError(.closed, "the connection is closed", path: path)
                }
                do { return try body(database) } catch { throw Self.explain(error, database, path: path) }
            }
        } catch {
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Whether a checkpoint that was due found no room; says so once for each.
    package func takeCallForRoom() -> Bool {
        state.withLock { state in
            defer { state.asksForRoom = false }
            return state.asksForRoom
        }
    }

    /// Whether the log holds pages that no checkpoint has brought into the database.
    package var logHasPages: Bool {
        queue.writeWithoutTransaction { database in
            let pages = database.pagesWritten
            return state.withLock { $0.fullCheckpoints > 0 || pages > $0.pagesAtSuccess }
        }
    }

    /// Closes the connection; a second call does nothing. The writing connection leaves an empty write-ahead log, or
    /// none; if the checkpoint fails, the connection is closed all the same and the error says why the log is still
    /// there. Commits that returned stay durable in either case.
    ///
    /// - Parameter makeRoom: called when the disk is too full for the checkpoint; whether another try is worth it.
    package func close(makeRoom: () -> Bool = { false }) throws(CatalogError) {
        if isOfParent { return }
        let wasClosed = state.withLock { $0.isClosed }
        if wasClosed { return }
        var problem: CatalogError?
        if !isReadOnly, state.withLock({ $0.failure == nil }) {
            do throws(CatalogError) {
                try checkpoint(truncate: true)
            } catch {
                if error.kind != .busy { problem = error }
            }
            if problem?.kind == .full, makeRoom() {
                problem = nil
                do throws(CatalogError) { try checkpoint(truncate: true) } catch { problem = error }
            }
        }
        queue.writeWithoutTransaction { database in
            let isSound = state.withLock { state in
                state.isClosed = true
                return state.failure == nil && !isReadOnly
            }
            // SQLite would remove the log by its name, which may be that of another store's by now.
            if isSound, database.isNamed, let handle = unsafe database.sqliteConnection {
                unsafe _ = csq_sqlite_config(handle, CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE, 0)
            }
        }
        do {
            try queue.close()
        } catch {
            throw CatalogError(anything: error, path: path)
        }
        if let problem { throw problem }
    }

    private var isOfParent: Bool { process != csq_vfs_process() }

    /// Closes the connection and leaves the files as they are: for an opening that is refused.
    package func abandon() {
        if isOfParent { return }
        state.withLock { $0.isClosed = true }
        try? queue.close()
    }

    deinit {
        if isOfParent { Self.ofParent.withLock { $0.append(queue) } }
    }

    /// What the connection wrote up to its last commit or checkpoint.
    package var traffic: CatalogTraffic { state.withLock { $0.traffic } }

    /// Bytes of the database and its write-ahead log; 0 for a file that cannot be asked.
    package var fileBytes: Int64 { files.size(path) + files.size(path + "-wal") }
}
