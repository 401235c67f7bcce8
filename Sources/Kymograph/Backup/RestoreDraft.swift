// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The directory in which a restoration makes its store: beside the place where the store is to be.
///
/// It has a file that says what it is, made before all else and durable before all else, and locked by whoever works
/// there. Only what has that file, holds nothing but what a restoration makes, and is locked by nobody is ever cleared
/// away: what stands there otherwise may be the only copy of something. What has it is no store, and is not opened as
/// one, before the catalog gets its name; that comes last, when all else is durable and stands in its place.
struct RestoreDraft {
    static let mark = "RESTORE"

    /// Where the store is to be.
    private let place: String
    /// Where it is made, its catalog under another name.
    let layout: StoreLayout
    private let disk: any Disk
    private let lock: any DiskLock

    /// Where a store for a place is made.
    static func root(for place: String) -> String { place + ".partial" }

    private static func layout(of root: String) -> StoreLayout {
        StoreLayout(root: root, catalog: StoreLayout(root: root).catalog + ".new")
    }

    /// Makes the directory, or takes one that is empty or has what an interrupted restoration left, which goes.
    init(_ place: String, _ disk: any Disk) throws(StoreError) {
        try Self.requireFree(place, disk)
        let root = Self.root(for: place)
        try Self.prepare(root, disk)
        let lock = try Self.lock(root, disk)
        try onDisk { () throws(DiskError) in try Self.clear(root, disk) }
        disk.makePrivate(root)
        self.place = place
        layout = Self.layout(of: root)
        self.disk = disk
        self.lock = lock
        guard try onDisk({ () throws(DiskError) in try Self.isUnfinished(place, disk) }) else { return }
        do throws(StoreError) {
            try Self.drop(place, disk)
        } catch {
            abandon()
            throw error
        }
    }

    /// Refuses a place that holds anything but what a restoration left that was cut off at its very end.
    private static func requireFree(_ place: String, _ disk: any Disk) throws(StoreError) {
        let isFree = try onDisk { () throws(DiskError) in
            guard let kind = try disk.kind(of: place) else { return true }
            guard kind == .directory else { return false }
            if try disk.list(place).isEmpty { return true }
            return try isUnfinished(place, disk)
        }
        guard isFree else {
            throw StoreError(.alreadyExists, "there is something already; choose another place", path: place)
        }
    }

    /// Makes the directory and the mark, as far as they are not there.
    private static func prepare(_ root: String, _ disk: any Disk) throws(StoreError) {
        let path = root + "/" + mark
        let isOurs = try onDisk { () throws(DiskError) in
            guard let kind = try disk.kind(of: root) else { return true }
            guard kind == .directory else { return false }
            if try disk.exists(path) { return true }
            return try disk.list(root).isEmpty
        }
        guard isOurs else { throw foreign(root) }
        do throws(DiskError) {
            try unlessThere { () throws(DiskError) in
                try disk.createDirectory(root)
                try disk.syncDirectory(StoreCreation.parent(of: root))
            }
            try unlessThere { () throws(DiskError) in try disk.createFile(path, []) }
            // Also of one that is there: whoever made it may have been killed before this.
            try disk.syncDirectory(root)
        } catch {
            try? drop(root, disk)
            throw StoreError(error)
        }
    }

    /// Makes something that another restoration may have made meanwhile. Which of them goes on, the lock says.
    private static func unlessThere(_ make: () throws(DiskError) -> Void) throws(DiskError) {
        do throws(DiskError) {
            try make()
        } catch {
            if !error.alreadyExists { throw error }
        }
    }

    /// Locks a directory that has the mark, and refuses one that holds anything else than a restoration makes.
    private static func lock(_ root: String, _ disk: any Disk) throws(StoreError) -> any DiskLock {
        let held: (any DiskLock)?
        do throws(DiskError) {
            held = try disk.lock(root + "/" + mark, exclusive: true, byte: 0)
        } catch {
            // Whoever had it is done just now.
            guard error.isMissing else { throw StoreError(error) }
            held = nil
        }
        guard let held else {
            throw StoreError(.locked, "another restoration is being made here; try again when it is done", path: root)
        }
        guard try onDisk({ () throws(DiskError) in try isOurs(root, disk) }) else {
            held.release()
            throw foreign(root)
        }
        return held
    }

    /// Whether there is nothing but what a restoration makes.
    private static func isOurs(_ root: String, _ disk: any Disk) throws(DiskError) -> Bool {
        let layout = layout(of: root)
        let own = [layout.root + "/" + mark, layout.lock, layout.segments]
        let names = try disk.list(root).map { root + "/" + $0 }
        guard names.allSatisfy({ own.contains($0) || $0.hasPrefix(layout.catalog) }) else { return false }
        // A link may lead to the segments of another store.
        guard let kind = try disk.kind(of: layout.segments) else { return true }
        guard kind == .directory else { return false }
        return try disk.list(layout.segments).allSatisfy { $0.hasSuffix(".kseg") }
    }

    private static func foreign(_ root: String) -> StoreError {
        StoreError(
            .alreadyExists,
            "the store would be made here first, and there is something already, perhaps a store or a backup of which "
                + "only the name is missing: look what it is, give it another name or remove it, or choose another "
                + "place for the new store", path: root)
    }

    // MARK: What is not finished

    /// Whether a directory has what a restoration left that did not end, or is just making.
    private static func isUnfinished(_ root: String, _ disk: any Disk) throws(DiskError) -> Bool {
        guard try disk.exists(root + "/" + mark) else { return false }
        // Beside a catalog the mark means nothing: all but its removal was done.
        let store = StoreLayout(root: root)
        if try disk.exists(store.catalog) { return false }
        return try !disk.exists(store.witness)
    }

    /// Refuses to take for a store what a restoration left that did not end.
    static func refuse(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout.root, disk) }) else { return }
        throw StoreError(
            .notAStore,
            "no store: this is what an interrupted restoration left, or one that is under way; restore the backup "
                + "again, or remove this", path: layout.root)
    }

    /// Removes everything but the mark.
    private static func clear(_ root: String, _ disk: any Disk) throws(DiskError) {
        let segments = layout(of: root).segments
        if try disk.exists(segments) {
            for name in try disk.list(segments) { try disk.remove(segments + "/" + name) }
        }
        for name in try disk.list(root) where name != mark { try disk.remove(root + "/" + name) }
    }

    /// Removes a directory that is empty or has the mark.
    private static func drop(_ root: String, _ disk: any Disk) throws(StoreError) {
        let isMarked = try onDisk { () throws(DiskError) in try disk.exists(root + "/" + mark) }
        let lock = try isMarked ? Self.lock(root, disk) : nil
        defer { lock?.release() }
        try onDisk { () throws(DiskError) in
            if isMarked {
                try clear(root, disk)
                // The mark goes when all else is gone for good: without it nobody could tell that what is left is ours.
                try disk.syncDirectory(root)
                try disk.remove(root + "/" + mark)
            }
            try disk.remove(root)
        }
    }

    /// After a failure: what was made goes, unless the catalog has its name.
    func abandon() {
        lock.release()
        let isMoved = (try? disk.exists(layout.root)) == false
        try? Self.drop(isMoved ? place : layout.root, disk)
    }

    // MARK: The end

    /// Gives a store that is complete its place, and then its catalog the name, with which it exists.
    func finish() throws(StoreError) {
        try onDisk { () throws(DiskError) in
            try disk.syncDirectory(layout.segments)
            try disk.syncDirectory(layout.root)
            try disk.rename(layout.root, to: place)
            try disk.syncDirectory(StoreCreation.parent(of: place))
            try disk.rename(Self.layout(of: place).catalog, to: StoreLayout(root: place).catalog)
        }
        do throws(DiskError) {
            try disk.syncDirectory(place)
        } catch {
            throw StoreCreation.unsynced(place, error)
        }
        // Not before the catalog's name is durable, and if it stays it means nothing.
        try? disk.remove(place + "/" + Self.mark)
        try? disk.syncDirectory(place)
    }

    /// Lets others restore to the same place.
    func release() { lock.release() }
}
