// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The directory in which a repair creates its new store.
///
/// Until the catalog has its final name, a mark file identifies the directory. So the remains of an interrupted repair
/// are not mistaken for a damaged store, and the next repair can replace them.
/// - Invariant: a process that creates or clears files here holds a lock on the mark and the writer lock on `LOCK`.
final class RepairPlace {
    private static let mark = "REPAIR"

    let layout: StoreLayout
    private let disk: any Disk
    /// Whether this repair created the directory.
    private let isNew: Bool
    /// The lock on the mark.
    private let claim: any DiskLock
    /// The lock on `LOCK`; nil while the opened draft holds it.
    private var lock: (any DiskLock)?

    private static func mark(_ layout: StoreLayout) -> String { layout.root + "/" + mark }

    /// Creates the directory, or claims an empty directory or the remains of an interrupted repair.
    init(_ path: String, _ disk: any Disk) throws(StoreError) {
        guard !path.isEmpty else {
            throw StoreError(.invalidArgument, "the path of the new store is empty; name a directory", path: path)
        }
        layout = StoreLayout(root: path)
        self.disk = disk
        let kind = try onDisk { () throws(DiskError) in try disk.kind(of: path) }
        isNew = kind == nil
        if isNew { try onDisk { () throws(DiskError) in try disk.createDirectory(path) } }
        do throws(StoreError) {
            guard isNew || kind == .directory else { throw Self.taken(layout) }
            claim = try Self.claim(layout, disk)
            disk.makePrivate(path)
        } catch {
            // Only an empty directory can be removed.
            if isNew { try? disk.remove(path) }
            throw error
        }
        do throws(StoreError) {
            try onDisk { () throws(DiskError) in
                try disk.createFile(layout.lock, [])
                try disk.createDirectory(layout.segments)
            }
            try takeLock()
        } catch {
            abandon()
            throw error
        }
    }

    private static func taken(_ layout: StoreLayout) -> StoreError {
        StoreError(
            .alreadyExists, "the path is in use; name a directory that is empty or does not exist",
            path: layout.root)
    }

    private static func busy(_ layout: StoreLayout) -> StoreError {
        StoreError(.locked, "another repair into this directory is running; wait for its end", path: layout.root)
    }

    // MARK: Unfinished repairs

    /// Returns true if a directory has the remains of an unfinished repair. Not inlined: tests identify call sites from
    /// the stack.
    @inline(never)
    private static func isUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(DiskError) -> Bool {
        guard try disk.exists(mark(layout)) else { return false }
        if try disk.exists(layout.root + "/kymograph.sqlite") { return false }
        // A store gets its witness after its catalog. So a store with a witness and without a catalog is damaged, not
        // unfinished.
        return try !disk.exists(layout.root + "/WITNESS")
    }

    /// Throws `notAStore` if a directory has the remains of an unfinished repair.
    static func refuseUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) else { return }
        throw StoreError(
            .notAStore,
            "not a store: an interrupted repair left this directory; repair the damaged store into it again, or "
                + "remove it",
            path: layout.root)
    }

    /// Removes the leftovers of a completed repair from a store.
    ///
    /// Otherwise the store would be mistaken for an unfinished repair if its catalog were lost later.
    /// - Requires: the writer lock.
    static func settle(_ layout: StoreLayout, _ disk: any Disk) {
        if layout.isDraft { return }
        // A failure is harmless: the next writer tries again.
        for path in [layout.witnessDraft, mark(layout)] where (try? disk.exists(path)) ?? false {
            try? disk.remove(path)
        }
    }

    // MARK: Start

    /// Marks an empty directory, or claims the remains of an interrupted repair and removes them.
    private static func claim(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) -> any DiskLock {
        let path = mark(layout)
        if try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) { return try takeOver(layout, disk) }
        guard try onDisk({ () throws(DiskError) in try disk.list(layout.root).isEmpty }) else { throw taken(layout) }
        do throws(DiskError) {
            let file = try disk.create(path)
            // The file is empty, so a failed close loses nothing.
            try? file.close()
        } catch {
            if error.alreadyExists { throw busy(layout) }
            throw StoreError(error)
        }
        var lock: (any DiskLock)?
        var failure = busy(layout)
        do throws(DiskError) {
            lock = try disk.lock(path, exclusive: true, byte: 0)
            if let lock {
                // From here on, the remains after a power loss are marked.
                try disk.syncDirectory(layout.root)
                // Another process may have started to create a store here before the mark existed.
                if try disk.list(layout.root) == [mark] { return lock }
                failure = taken(layout)
            }
        } catch {
            failure = StoreError(error)
        }
        // Another repair that has locked the mark continues with it.
        if failure.kind != .locked { try? disk.remove(path) }
        lock?.release()
        throw failure
    }

    private static func locked(
        _ path: String, _ layout: StoreLayout, _ disk: any Disk
    ) throws(StoreError) -> any DiskLock {
        guard let lock = try onDisk({ () throws(DiskError) in try disk.lock(path, exclusive: true, byte: 0) }) else {
            throw busy(layout)
        }
        return lock
    }

    private static func takeOver(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) -> any DiskLock {
        let lock = try locked(mark(layout), layout, disk)
        var held: (any DiskLock)?
        defer { held?.release() }
        do throws(StoreError) {
            // The other repair may just have finished.
            guard try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) else { throw taken(layout) }
            if try onDisk({ () throws(DiskError) in try disk.exists(layout.lock) }) {
                held = try locked(layout.lock, layout, disk)
            }
            try onDisk { () throws(DiskError) in try clear(layout, disk, keepingMark: true) }
            return lock
        } catch {
            lock.release()
            throw error
        }
    }

    /// Removes the files of a repair. The mark is removed last.
    /// - Requires: the locks on the mark and on `LOCK`.
    private static func clear(_ layout: StoreLayout, _ disk: any Disk, keepingMark: Bool) throws(DiskError) {
        if try disk.exists(layout.segments) {
            for name in try disk.list(layout.segments) where name.contains(".kseg") {
                try disk.remove(layout.segments + "/" + name)
            }
        }
        let drafts = ["", "-wal", "-shm", "-journal", "-wal-copy", "-wal-copy2"].map { layout.catalogDraft + $0 }
        let rest = [layout.segments] + drafts + [layout.witnessDraft, layout.outcomeMark, layout.ballast, layout.lock]
        for paths in keepingMark ? [rest] : [rest, [mark(layout)]] {
            for path in paths where try disk.exists(path) { try disk.remove(path) }
            try disk.syncDirectory(layout.root)
        }
    }

    /// Removes the created files after a failure, unless the catalog has its final name.
    func abandon() {
        defer {
            lock?.release()
            claim.release()
        }
        guard (try? Self.isUnfinished(layout, disk)) ?? false else { return }
        try? Self.clear(layout, disk, keepingMark: false)
        // Only an empty directory can be removed.
        if isNew { try? disk.remove(layout.root) }
    }

    // MARK: Writer lock

    /// Takes the lock that excludes other writers.
    func takeLock() throws(StoreError) { lock = try Self.locked(layout.lock, layout, disk) }

    /// Releases the lock for the opening of the draft. The mark stays locked, so other repairs cannot start.
    func lendLock() {
        lock?.release()
        lock = nil
    }

    // MARK: Completion

    /// Renames the catalog, which makes the directory a store.
    /// - Ordering: after all steps that need space or may fail.
    func finish(store: [UInt8], seq: Int64) throws(StoreError) {
        let (layout, disk) = (self.layout, self.disk)
        try onDisk { () throws(DiskError) in
            let witness = try Witness(layout.witnessDraft, store: store, disk: disk)
            try witness.note(seq)
            try witness.close()
        }
        try StoreCreation.syncNames(layout, disk)
        do throws(DiskError) {
            try disk.rename(layout.catalogDraft, to: layout.catalog)
        } catch {
            // The rename may have taken effect despite the error.
            guard let isUndone = try? Self.isUnfinished(layout, disk), !isUndone else { throw StoreError(error) }
        }
        do throws(DiskError) {
            try disk.syncDirectory(layout.root)
        } catch {
            throw StoreError(
                .inputOutput,
                "the new store is complete, but a power loss may undo its catalog's name (\(error.message)); "
                    + "open the store for writing to make it durable", path: layout.root)
        }
        // The next writer creates a missing witness and removes leftovers of a repair.
        do throws(DiskError) {
            try disk.rename(layout.witnessDraft, to: layout.witness)
            try disk.remove(Self.mark(layout))
            try disk.syncDirectory(layout.root)
        } catch {}
        lock?.release()
        claim.release()
    }
}
