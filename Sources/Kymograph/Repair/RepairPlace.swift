// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The directory in which a repair makes its new store.
///
/// Until that has its catalog's name there is a file that says what this is, so that what an interrupted repair leaves
/// is neither taken for a damaged store nor in the way of the next one. Whoever makes something here, or clears it,
/// holds a lock on that file from its beginning to its end; and one on `LOCK`, as every writer of a store does.
final class RepairPlace {
    private static let mark = "REPAIR"

    let layout: StoreLayout
    private let disk: any Disk
    /// Whether the directory was made for this.
    private let isNew: Bool
    /// On the mark.
    private let claim: any DiskLock
    /// On `LOCK`; nil while somebody else has it who works for this.
    private var lock: (any DiskLock)?

    private static func mark(_ layout: StoreLayout) -> String { layout.root + "/" + mark }

    /// Makes the directory, or takes one that is empty or has what an interrupted repair left.
    init(_ path: String, _ disk: any Disk) throws(StoreError) {
        guard !path.isEmpty else {
            throw StoreError(.invalidArgument, "the new store needs a name", path: path)
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
            // Nothing but an empty directory can be removed.
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
            .alreadyExists, "there is something here already; name a directory that is empty or not there",
            path: layout.root)
    }

    private static func busy(_ layout: StoreLayout) -> StoreError {
        StoreError(.locked, "another repair into this place is under way", path: layout.root)
    }

    // MARK: What is not finished

    /// Whether a directory has what a repair left that did not end. Inlined, its calls could not be told from its
    /// callers'.
    @inline(never)
    private static func isUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(DiskError) -> Bool {
        guard try disk.exists(mark(layout)) else { return false }
        if try disk.exists(layout.root + "/kymograph.sqlite") { return false }
        // A store gets its witness after its catalog, so that one with a witness has lost the catalog.
        return try !disk.exists(layout.root + "/WITNESS")
    }

    /// Refuses to take for a store what a repair left that did not end.
    static func refuseUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) else { return }
        throw StoreError(
            .notAStore,
            "no store: this is what an interrupted repair left; repair the damaged store into this place again, or "
                + "remove it",
            path: layout.root)
    }

    /// Removes what a repair left in a store that was complete. To be called by its writer.
    ///
    /// Otherwise, were the catalog lost one day, the store would be taken for what an interrupted repair left.
    static func settle(_ layout: StoreLayout, _ disk: any Disk) {
        if layout.isDraft { return }
        // Nothing depends on it: who opens the store next tries again.
        for path in [layout.witnessDraft, mark(layout)] where (try? disk.exists(path)) ?? false {
            try? disk.remove(path)
        }
    }

    // MARK: The beginning

    /// Marks an empty directory, or takes over what an interrupted repair left, which is removed.
    private static func claim(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) -> any DiskLock {
        let path = mark(layout)
        if try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) { return try takeOver(layout, disk) }
        guard try onDisk({ () throws(DiskError) in try disk.list(layout.root).isEmpty }) else { throw taken(layout) }
        do throws(DiskError) {
            let file = try disk.create(path)
            // It is empty: there is nothing that a failing close could lose.
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
                // From here on what a power cut leaves is marked.
                try disk.syncDirectory(layout.root)
                // Who makes a store here, too, may have begun before the mark was there.
                if try disk.list(layout.root) == [mark] { return lock }
                failure = taken(layout)
            }
        } catch {
            failure = StoreError(error)
        }
        // One that took the mark for a leftover goes on with it.
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
            // The other one may just have ended.
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

    /// Removes what a repair made. As long as anything of it is left, so is the mark. Only for who holds the locks.
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

    /// After a failure: what was made goes, unless the catalog has its name.
    func abandon() {
        defer {
            lock?.release()
            claim.release()
        }
        guard (try? Self.isUnfinished(layout, disk)) ?? false else { return }
        try? Self.clear(layout, disk, keepingMark: false)
        // Nothing but an empty directory can be removed.
        if isNew { try? disk.remove(layout.root) }
    }

    // MARK: The lock of a writer

    /// Takes the lock that keeps others from writing here.
    func takeLock() throws(StoreError) { lock = try Self.locked(layout.lock, layout, disk) }

    /// Gives the lock to whoever opens the draft. The mark stays claimed, so that nobody else does.
    func lendLock() {
        lock?.release()
        lock = nil
    }

    // MARK: The end

    /// Gives the catalog its name, which makes the directory a store. Whatever needs room, or may be refused, comes
    /// before that.
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
            // What was done all the same is done.
            guard let isUndone = try? Self.isUnfinished(layout, disk), !isUndone else { throw StoreError(error) }
        }
        do throws(DiskError) {
            try disk.syncDirectory(layout.root)
        } catch {
            throw StoreError(
                .inputOutput,
                "the new store is there and whole, but a power cut may take its catalog's name (\(error.message)); "
                    + "that is over when it is opened for writing", path: layout.root)
        }
        // Who opens the store for writing makes a witness where there is none, and removes what is left of a repair.
        do throws(DiskError) {
            try disk.rename(layout.witnessDraft, to: layout.witness)
            try disk.remove(Self.mark(layout))
            try disk.syncDirectory(layout.root)
        } catch {}
        lock?.release()
        claim.release()
    }
}
