// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem

/// A directory in which a creation, a repair, a restoration or a backup makes its files.
///
/// A mark file identifies the use of the directory. So the remains of an interrupted run are neither opened as a store
/// nor mistaken for a damaged one, and the next run of the same use replaces them. The steps of a run:
///
/// 1. `claim` creates or takes the directory, and locks the mark. The mark is durable before any other file exists.
/// 2. `clear` removes the remains of an interrupted run. Then the run creates its files.
/// 3. The run makes its files durable and gives the last one its final name: the catalog of a store, the manifest of a
///    backup. This step differs between the uses. After an error `abandon` removes the files.
/// 4. Once that name is durable, the mark has no meaning. A repair and a restoration remove it.
///
/// - Invariant: only files of the use are removed, and only with the lock on the mark. Other files may be the only copy
///   of something.
struct DraftDirectory {
    /// The names and the error messages of one use of such directories.
    struct Use: Sendable {
        /// The file whose first byte a run locks.
        let mark: String
        /// The message for a directory in which another run holds the lock.
        let busy: String
        /// The message for a directory with other files.
        let foreign: String
        /// The message of an opening that finds an unfinished draft.
        var unfinished = ""
        /// Whether the directory, or a directory in it, may be reached through a symbolic link.
        var followsLinks = false
        /// True if the user names the directory. Other files beside the remains of an interrupted run are then kept,
        /// and a failed run removes the directory only if it created it.
        var keepsOthers = false
        /// Whether a path relative to the directory is a name that the use creates.
        let owns: @Sendable (_ name: String) -> Bool
    }

    let use: Use
    /// The path. A run that renames the directory sets the new path.
    var root: String
    private let disk: any Disk
    private var lock: (any DiskLock)?
    /// Whether the claim created the directory.
    private var isNew = false
    /// Whether the claim created the mark.
    private(set) var isFresh = false

    /// Describes a directory without access to the disk.
    init(_ use: Use, _ root: String, _ disk: any Disk) {
        self.use = use
        self.root = root
        self.disk = disk
    }

    private var mark: String { root + "/" + use.mark }
    /// The names of the directories with files of their own.
    static let folders = ["segments", "attachments"]

    private var busy: StoreError { StoreError(.locked, use.busy, path: root) }
    private var foreign: StoreError { StoreError(.alreadyExists, use.foreign, path: root) }

    // MARK: Unfinished drafts

    /// Returns true if the directory holds an interrupted or running draft of a store. Not inlined: tests identify call
    /// sites from the stack.
    @inline(never)
    func isUnfinished() throws(DiskError) -> Bool {
        guard try disk.exists(mark) else { return false }
        let store = StoreLayout(root: root)
        // Beside a catalog the mark has no meaning: only its removal is missing.
        if try disk.exists(store.catalog) { return false }
        // A store gets its witness after its catalog. So a store with a witness and without a catalog is damaged, not
        // unfinished.
        return try !disk.exists(store.witness)
    }

    /// Throws `notAStore` if a directory holds an interrupted or running repair or restoration.
    static func refuse(_ root: String, _ disk: any Disk) throws(StoreError) {
        for use in [Use.repair, .restoration] {
            let draft = DraftDirectory(use, root, disk)
            guard try onDisk({ () throws(DiskError) in try draft.isUnfinished() }) else { continue }
            throw StoreError(.notAStore, use.unfinished, path: root)
        }
    }

    // MARK: Claim

    /// Creates the directory, or takes an empty directory or the remains of an interrupted run, and locks the mark. The
    /// remains stay until `clear`.
    /// - Throws: `locked` (another run is active), `alreadyExists` (the directory has other files).
    mutating func claim() throws(StoreError) {
        do throws(StoreError) {
            try createMark()
            try takeLock()
            let names = try onDisk { () throws(DiskError) in
                // From here on, the remains after a power loss are marked. An earlier run may not have synced its mark.
                try disk.syncDirectory(root)
                return try disk.list(root)
            }
            // The earlier holder of the lock has removed the mark.
            guard names.contains(use.mark) else { throw busy }
            guard isFresh else { return try requireOwn() }
            // Another process may have started to create a store here before the mark existed.
            guard names == [use.mark] else { throw foreign }
        } catch {
            if isFresh, error.kind != .locked { removeMark() }
            release()
            // Only an empty directory can be removed.
            if isNew { try? disk.remove(root) }
            throw error
        }
    }

    /// Removes the mark, unless another run has locked it and continues with it.
    private mutating func removeMark() {
        if lock == nil { lock = try? disk.lock(mark, exclusive: true, byte: 0) }
        if lock != nil { try? disk.remove(mark) }
    }

    private mutating func createMark() throws(StoreError) {
        let kind = try onDisk { () throws(DiskError) in try disk.kind(of: root) }
        guard kind == nil || kind == .directory || use.followsLinks else { throw foreign }
        if kind == nil {
            isNew = true  // even if the call fails
            isNew = try Self.unlessExists { () throws(DiskError) in try disk.createDirectory(root) }
            if isNew { try onDisk { () throws(DiskError) in try disk.syncDirectory(StoreCreation.parent(of: root)) } }
        }
        if try onDisk({ () throws(DiskError) in try disk.exists(mark) }) { return }
        guard try onDisk({ () throws(DiskError) in try disk.list(root).isEmpty }) else { throw foreign }
        isFresh = true  // even if the call fails
        isFresh = try Self.unlessExists { () throws(DiskError) in try disk.createFile(mark, []) }
    }

    /// Creates an entry unless it exists. Returns true if this call created it: of two runs, the lock then decides
    /// which one continues.
    @discardableResult
    static func unlessExists(_ create: () throws(DiskError) -> Void) throws(StoreError) -> Bool {
        do throws(DiskError) {
            try create()
            return true
        } catch {
            if !error.alreadyExists { throw StoreError(error) }
            return false
        }
    }

    /// Locks the mark.
    mutating func takeLock() throws(StoreError) {
        do throws(DiskError) {
            lock = try disk.lock(mark, exclusive: true, byte: 0)
        } catch {
            // The earlier holder of the lock has removed the mark.
            guard error.isMissing else { throw StoreError(error) }
        }
        if lock == nil { throw busy }
    }

    /// Allows other runs.
    func release() { lock?.release() }

    /// Ends the claim and keeps all files except a mark that the claim created: for a directory in which another
    /// process has started to create a store.
    func withdraw() {
        if isFresh { try? disk.remove(mark) }
        release()
    }

    /// Throws `alreadyExists` if the directory has files of another use. If such files are kept, throws only if the
    /// directory has no unfinished draft.
    func requireOwn() throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isOwn() }) else { throw foreign }
    }

    private func isOwn() throws(DiskError) -> Bool {
        var present: [String] = []
        for folder in Self.folders {
            let kind = try disk.kind(of: root + "/" + folder)
            // A link may lead to the files of another store.
            guard kind == nil || kind == .directory || use.followsLinks else { return false }
            if kind != nil { present.append(folder) }
        }
        if use.keepsOthers { return try isUnfinished() }
        guard try disk.list(root).allSatisfy(use.owns) else { return false }
        for folder in present {
            guard try disk.list(root + "/" + folder).allSatisfy({ use.owns(folder + "/" + $0) }) else { return false }
        }
        return true
    }

    // MARK: Removal

    /// Removes the files of the use, except the mark and the given names.
    /// - Requires: the claim.
    func clear(keeping kept: Set<String> = []) throws(DiskError) {
        func isDue(_ name: String) -> Bool { name != use.mark && use.owns(name) && !kept.contains(name) }
        for name in try disk.list(root) where !Self.folders.contains(name) && isDue(name) {
            try disk.remove(root + "/" + name)
        }
        for folder in Self.folders {
            let path = root + "/" + folder
            guard try disk.exists(path) else { continue }
            for name in try disk.list(path) where isDue(folder + "/" + name) { try disk.remove(path + "/" + name) }
            if isDue(folder) { try disk.remove(path) }
        }
    }

    /// Removes the files, the mark, and the directory.
    /// - Requires: the claim.
    func remove() throws(DiskError) {
        try clear()
        // Ordering: the mark last, since it identifies the other files.
        try disk.syncDirectory(root)
        try disk.remove(mark)
        if isNew || !use.keepsOthers { try disk.remove(root) } else { try disk.syncDirectory(root) }
    }

    /// Removes the created files after a failure and releases the lock. Keeps all files if the catalog has its final
    /// name.
    func abandon() {
        if (try? isOwn()) ?? false { try? remove() }
        release()
    }
}

extension DraftDirectory.Use {
    /// The name of a catalog before its final name.
    private static let catalog = "kymograph.sqlite.new"
    /// The names of the catalog and of the files beside it.
    private static let keys: Set<String> = [KeysFiles.first, KeysFiles.second, KeysFiles.draft]
    private static let catalogFiles = Set(
        ["", "-wal", "-shm", "-index", "-journal", "-wal-copy", "-wal-copy2"].map { catalog + $0 })

    /// A creation has no mark of its own and no step 4: it locks the file that each later writer locks. Its remains
    /// hold no data, so they are recognised by their names, and nothing is synced before the catalog has its name.
    static let creation = Self(
        mark: "LOCK", busy: "another process is creating this store; try again when it is done",
        foreign: "the directory is not empty; choose another one", followsLinks: true
    ) {
        ["LOCK", "segments"].contains($0) || keys.contains($0)
            || ["", "-wal", "-shm", "-index", "-journal"].map { catalog + $0 }.contains($0)
    }

    static let repair = Self(
        mark: "REPAIR", busy: "another repair into this directory is running; wait for its end",
        foreign: "the path is in use; name a directory that is empty or does not exist",
        unfinished: "not a store: an interrupted repair left this directory; repair the damaged store into it again, "
            + "or remove it",
        keepsOthers: true
    ) {
        ["REPAIR", "LOCK", "segments", "attachments", "WITNESS.new", "DOUBT", "ballast"].contains($0)
            || catalogFiles.contains($0) || keys.contains($0) || $0.hasPrefix("segments/") && $0.contains(".kseg")
            || isAttached($0)
    }

    static let restoration = Self(
        mark: "RESTORE", busy: "another restoration is running here; try again after its end",
        foreign: "this temporary directory already holds other files, perhaps a store or a backup without its "
            + "final name: check it, rename or remove it, or choose another path for the new store",
        unfinished: "not a store: an interrupted or running restoration made this directory; restore the backup "
            + "again, or remove this directory"
    ) {
        ["RESTORE", "LOCK", "segments", "attachments"].contains($0) || catalogFiles.contains($0) || keys.contains($0)
            || $0.hasPrefix("segments/") && $0.hasSuffix(".kseg") || isAttached($0)
    }

    /// Whether a path relative to the directory is that of an attached file, or of one under construction.
    static func isAttached(_ name: String) -> Bool {
        name.hasPrefix("attachments/") && StoreLayout.isAttached(String(name.dropFirst("attachments/".count)))
    }
}
