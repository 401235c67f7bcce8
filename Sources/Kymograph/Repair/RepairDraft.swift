// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The directory in which a repair creates its new store.
/// - Invariant: a process that creates or clears files here holds the claim of the draft and the writer lock on `LOCK`.
final class RepairDraft {
    let layout: StoreLayout
    private let disk: any Disk
    private var draft: DraftDirectory
    /// The lock on `LOCK`; nil while the opened draft holds it.
    private var lock: (any DiskLock)?

    /// Creates the directory, or claims an empty directory or the remains of an interrupted repair.
    init(_ path: String, _ disk: any Disk) throws(StoreError) {
        guard !path.isEmpty else {
            throw StoreError(.invalidArgument, "the path of the new store is empty; name a directory", path: path)
        }
        layout = StoreLayout(root: path)
        self.disk = disk
        draft = DraftDirectory(.repair, path, disk)
        try draft.claim()
        disk.makePrivate(path)
        do throws(StoreError) {
            try DraftDirectory.unlessExists { () throws(DiskError) in try disk.createFile(layout.lock, []) }
            try takeLock()
            try onDisk { () throws(DiskError) in
                try draft.clear(keeping: ["LOCK"])
                try disk.createDirectory(layout.segments)
            }
        } catch {
            // Another process has locked `LOCK`, so the files are not only those of this run.
            if error.kind == .locked { draft.withdraw() } else { abandon() }
            throw error
        }
    }

    /// Removes the created files after a failure, unless the catalog has its final name.
    func abandon() {
        draft.abandon()
        lock?.release()
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

    private static func mark(_ layout: StoreLayout) -> String { layout.root + "/" + DraftDirectory.Use.repair.mark }

    // MARK: Writer lock

    /// Takes the lock that excludes other writers.
    func takeLock() throws(StoreError) {
        lock = try onDisk { () throws(DiskError) in try disk.lock(layout.lock, exclusive: true, byte: 0) }
        if lock == nil { throw StoreError(.locked, draft.use.busy, path: layout.root) }
    }

    /// Releases the lock for the opening of the draft. The mark stays locked, so other repairs cannot start.
    func lendLock() {
        lock?.release()
        lock = nil
    }

    // MARK: Completion

    /// Renames the catalog, which makes the directory a store.
    /// - Ordering: after all steps that need space or may fail.
    func finish(store: [UInt8], seq: Int64, _ keys: StoreKeys?) throws(StoreError) {
        let (layout, disk) = (self.layout, self.disk)
        let witness = try Witness(layout.witnessDraft, store: store, disk: disk, keys: keys)
        try witness.note(seq)
        try witness.close()
        try StoreCreation.syncNames(layout, disk)
        do throws(DiskError) {
            try disk.rename(layout.catalogDraft, to: layout.catalog)
        } catch {
            // The rename may have taken effect despite the error.
            guard let isUndone = try? draft.isUnfinished(), !isUndone else { throw StoreError(error) }
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
        draft.release()
    }
}
