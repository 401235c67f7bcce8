// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import SQLiteConnection
internal import Synchronization

/// The bytes and syncs of one connection, for the catalog and its log together.
package struct CatalogTraffic: Hashable, Sendable {
    /// Bytes written.
    package var bytes: Int64 = 0
    package var syncs: Int64 = 0

    package init(bytes: Int64 = 0, syncs: Int64 = 0) {
        self.bytes = bytes
        self.syncs = syncs
    }
}

/// One connection to the catalog's file. Any number of threads may call it; calls are serialised.
///
/// A store has one writing connection at a time and any number of reading ones, in any number of processes. Only the
/// writing connection checkpoints.
///
/// - Requires: the store's lock, for a writing connection.
package final class CatalogDatabase: Sendable {
    /// The latest format that this version reads and writes.
    package static let newestFormat = 5

    package let path: String
    package let isReadOnly: Bool
    /// Access to the catalog's files outside SQLite.
    let files: CatalogFile

    struct State: Sendable {
        var isClosed = false
        /// The first failed write or checkpoint; never cleared. The operating system reports a failed sync only once,
        /// so a retry would appear to succeed without writing anything.
        var failure: String?
        /// The value of `csq_sqlite_pages_written` at the last attempted checkpoint.
        var pagesAtCheckpoint: Int64 = 0
        /// The value of `csq_sqlite_pages_written` at the last successful checkpoint.
        var pagesAtSuccess: Int64 = 0
        /// The number of consecutive due checkpoints that failed for lack of space.
        var fullCheckpoints = 0
        /// Whether the last of these failures has not been reported yet.
        var asksForRoom = false
        var traffic = CatalogTraffic()
    }

    let queue: DatabaseQueue
    let state = Mutex(State())
    /// The process that opened the connection.
    private let process = csq_vfs_process()
    /// Connections inherited from the parent process: closing one needs locks and threads that a forked child lacks.
    private static let ofParent = Mutex<[DatabaseQueue]>([])

    private init(queue: DatabaseQueue, path: String, files: CatalogFile, readOnly: Bool) {
        self.queue = queue
        self.path = path
        self.files = files
        self.isReadOnly = readOnly
    }

    // MARK: - Create and open

    /// Creates a new catalog that only its owner can access, syncs it and closes it. On failure no file is left.
    ///
    /// - Requires: the caller syncs the directory afterwards.
    /// - Parameters:
    ///   - vfs: the registered VFS that holds the file; nil for Kymograph's layer over the system's VFS.
    ///   - keys: the keys of an encrypted catalog.
    package static func create(
        at path: String, storeID: [UInt8], homeZone: String, formatVersion: Int, vfs: String? = nil,
        keys: PageKeys? = nil
    ) throws(CatalogError) {
        guard storeID.count == 16, formatVersion > 0, formatVersion <= Int(Int32.max) else {
            throw CatalogError(.other, "the id must have 16 bytes, the format must be positive", path: path)
        }
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs), keys: keys)
        try files.createPrivate(path)
        do {
            let address = files.address(path, immutable: false)
            let queue = try openQueue(address, path: path, readOnly: false) { database in
                try prepareEmpty(database, formatVersion: formatVersion, path: path, files)
            }
            try queue.access { database in
                try fill(database, storeID: storeID, homeZone: homeZone, formatVersion: formatVersion, path: path)
                _ = try database.checkpoint(.truncate)
                unsafe _ = csq_sqlite_config(database.handle, CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE, 0)
            }
            try queue.close()
        } catch {
            files.removeAll(path)
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Opens a catalog and checks its identity, format and schema.
    ///
    /// A writing connection first copies the commits that an earlier writer left in the write-ahead log into the
    /// database, and fails if they cannot be made durable. A reading connection works beside a writer in this or
    /// another process, and with a log that a dead writer left. On a read-only mount it works if the catalog was closed
    /// properly.
    ///
    /// - Parameters:
    ///   - vfs: the registered VFS that holds the files; nil for Kymograph's layer over the system's VFS.
    ///   - settling: whether a writing connection settles the log at once; if not, the caller inspects the catalog and
    ///     calls `settle` before the first write.
    ///   - keys: the keys of an encrypted catalog; nil for a plain one.
    package static func open(
        at path: String, readOnly: Bool, vfs: String? = nil, settling: Bool = true, keys: PageKeys? = nil
    ) throws(CatalogError) -> CatalogDatabase {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs), keys: keys)
        try files.requireFile(path)
        if !readOnly { try files.recoverLog(of: path) }
        try requireOneHistory(path, files)
        do {
            let address = files.address(path, immutable: false)
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
            // SQLite reports only that it could not open a file or create its lock file.
            guard [.other, .readOnly, .io].contains(error.kind) else { throw error }
            guard files.isOnReadOnlyMount(path) else {
                guard error.kind == .readOnly || files.isDenied(path, writing: true) else { throw error }
                let need = "SQLite must be able to create -wal and -shm files beside the catalog"
                throw CatalogError(
                    .readOnly, "\(error.message); \(need): run as the user who owns the files", detail: error.detail,
                    path: path)
            }
            guard readOnly else { throw CatalogError(.readOnly, "the mount is read-only", path: path) }
            return try openImmutable(path, files)
        }
    }

    /// Throws if the database is older than its log: together they would mix two states.
    private static func requireOneHistory(_ path: String, _ files: CatalogFile) throws(CatalogError) {
        guard isOlderThanLog(path, files) else { return }
        throw CatalogError(
            .corrupt,
            "the file is older than the write-ahead log beside it, so an earlier copy has replaced it; put the "
                + "original back, repair the store, or restore a backup", path: path)
    }

    /// Whether at least one commit is missing between the database's last commit and the log's first.
    ///
    /// Pages record their commit, but a repair of an earlier version marked all pages with the first commit; in that
    /// case the row of `meta` decides.
    static func isOlderThanLog(_ path: String, _ files: CatalogFile) -> Bool {
        let first = files.logAhead(of: path)
        guard first > 0 else { return false }
        do {
            let address = files.address(path, immutable: true)
            let queue = try openQueue(address, path: path, readOnly: true) { database in
                try CatalogPragmas.apply(to: database, readOnly: true, path: path)
            }
            defer { try? queue.close() }
            let last = try queue.access { try $0.oneInt("SELECT " + CatalogSchema.lastSequence, path: path) }
            return last < first - 1
        } catch {
            return false
        }
    }

    /// Whether the catalog or its log exists and this process may not read it.
    package static func isDenied(at path: String, vfs: String? = nil) throws(CatalogError) -> Bool {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs))
        return files.isDenied(path) || files.isDenied(path + "-wal")
    }

    /// Whether a rewrite of the log by an opening writer is in progress or was interrupted. After a power cut a reader
    /// may then find the log torn; the next writer repairs it.
    package static func isRewritingLog(at path: String, vfs: String? = nil) throws(CatalogError) -> Bool {
        CatalogFile(vfs: try CatalogVFS.named(vfs)).isRewritingLog(of: path)
    }

    /// Whether an interrupted rewrite left the log without commits that its copy has. A reader would miss them without
    /// an error, and its index of the log would hide them from the next writer.
    package static func lacksOfLog(at path: String, vfs: String? = nil) throws(CatalogError) -> Bool {
        CatalogFile(vfs: try CatalogVFS.named(vfs)).lacksOfLog(path)
    }

    /// Opens the catalog on a read-only mount, without a lock file: SQLite cannot create one, and no process writes.
    static func openImmutable(_ path: String, _ files: CatalogFile) throws(CatalogError) -> CatalogDatabase {
        guard files.size(path + "-wal") == 0 else {
            let advice = "mount it writable and open the store once, or copy the store to a writable mount"
            throw CatalogError(
                .readOnly, "the write-ahead log holds commits, and the mount is read-only: \(advice)", path: path)
        }
        do {
            let address = files.address(path, immutable: true)
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
        _ address: String, path: String, readOnly: Bool, prepare: (Database) throws -> Void
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: address, isReadOnly: readOnly, busyTimeout: CatalogPragmas.busyTimeout) { database in
            do { try prepare(database) } catch { throw explain(error, database, path: path) }
        }
    }

    // MARK: - Calls

    /// Runs `body` with exclusive use of the connection and converts every error to a `CatalogError`.
    func access<T>(_ body: (Database) throws -> T) throws(CatalogError) -> T {
        if isOfParent {
            throw CatalogError(.forked, "the process that opened the catalog forked this one; open it here", path: path)
        }
        do {
            return try queue.access { database in
                if state.withLock({ $0.isClosed }) {
                    throw CatalogError(.closed, "the connection is closed", path: path)
                }
                do { return try body(database) } catch { throw Self.explain(error, database, path: path) }
            }
        } catch {
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Whether a due checkpoint failed for lack of space since the last call; clears the flag.
    package func takeCallForRoom() -> Bool {
        state.withLock { state in
            defer { state.asksForRoom = false }
            return state.asksForRoom
        }
    }

    /// Whether the log holds pages that no checkpoint has copied into the database.
    package var logHasPages: Bool {
        queue.access { database in
            let pages = database.pagesWritten
            return state.withLock { $0.fullCheckpoints > 0 || pages > $0.pagesAtSuccess }
        }
    }

    /// Closes the connection; a second call does nothing. A writing connection leaves an empty write-ahead log or none.
    /// If its checkpoint fails, the connection is closed nevertheless, and the error says why the log remains. Commits
    /// that returned stay durable in either case.
    ///
    /// - Parameter makeRoom: called if the disk is too full for the checkpoint; returns whether to retry.
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
        queue.access { database in
            let isSound = state.withLock { state in
                state.isClosed = true
                return state.failure == nil && !isReadOnly
            }
            // SQLite would remove the log by its path, which may lead to another store's log by now.
            if isSound, database.isNamed, let handle = unsafe database.handle {
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

    /// The traffic of the connection up to its last commit or checkpoint.
    package var traffic: CatalogTraffic { state.withLock { $0.traffic } }

    /// Size of the database and its write-ahead log in bytes; a file that cannot be queried counts as 0.
    package var fileBytes: Int64 { files.size(path) + files.size(path + "-wal") }
}
