// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The temporary directory in which a restoration creates its store, beside the final path.
///
/// A locked mark file identifies the directory; it is created and synced first. The directory is not opened as a store
/// before the catalog is renamed, which is the last step, after all else is durable and in place.
/// - Invariant: only a directory that has the mark, holds only files of a restoration, and is not locked is ever
///   cleared. Other files may be the only copy of something.
struct RestoreDraft {
    static let mark = "RESTORE"

    /// The final path of the store.
    private let place: String
    /// The layout of the temporary directory, with the catalog under a temporary name.
    let layout: StoreLayout
    private let disk: any Disk
    private let lock: any DiskLock

    /// Returns the temporary directory for a path.
    static func root(for place: String) -> String { place + ".partial" }

    private static func layout(of root: String) -> StoreLayout {
        StoreLayout(root: root, catalog: StoreLayout(root: root).catalog + ".new")
    }

    /// Creates the directory, or claims an empty directory or the remains of an interrupted restoration, which are
    /// removed.
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

    /// Throws `alreadyExists` if a path holds anything but a restoration that was interrupted at its very end.
    private static func requireFree(_ place: String, _ disk: any Disk) throws(StoreError) {
        let isFree = try onDisk { () throws(DiskError) in
            guard let kind = try disk.kind(of: place) else { return true }
            guard kind == .directory else { return false }
            if try disk.list(place).isEmpty { return true }
            return try isUnfinished(place, disk)
        }
        guard isFree else {
            throw StoreError(.alreadyExists, "the path already exists; choose another one", path: place)
        }
    }

    /// Creates the directory and the mark if they do not exist.
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
            // An existing mark is synced, too: its creator may have been killed before the sync.
            try disk.syncDirectory(root)
        } catch {
            try? drop(root, disk)
            throw StoreError(error)
        }
    }

    /// Creates a file or a directory unless another restoration has just created it. The lock then decides which of
    /// them continues.
    private static func unlessThere(_ make: () throws(DiskError) -> Void) throws(DiskError) {
        do throws(DiskError) {
            try make()
        } catch {
            if !error.alreadyExists { throw error }
        }
    }

    /// Locks a directory that has the mark. Throws if it holds anything but files of a restoration.
    private static func lock(_ root: String, _ disk: any Disk) throws(StoreError) -> any DiskLock {
        let held: (any DiskLock)?
        do throws(DiskError) {
            held = try disk.lock(root + "/" + mark, exclusive: true, byte: 0)
        } catch {
            // The holder of the mark has just finished.
            guard error.isMissing else { throw StoreError(error) }
            held = nil
        }
        guard let held else {
            throw StoreError(.locked, "another restoration is running here; try again after its end", path: root)
        }
        guard try onDisk({ () throws(DiskError) in try isOurs(root, disk) }) else {
            held.release()
            throw foreign(root)
        }
        return held
    }

    /// Returns true if a directory holds only files of a restoration.
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
            "this temporary directory already holds other files, perhaps a store or a backup without its "
                + "final name: check it, rename or remove it, or choose another "
                + "path for the new store", path: root)
    }

    // MARK: Unfinished restorations

    /// Returns true if a directory has the files of an interrupted or running restoration.
    private static func isUnfinished(_ root: String, _ disk: any Disk) throws(DiskError) -> Bool {
        guard try disk.exists(root + "/" + mark) else { return false }
        // Beside a catalog the mark has no meaning: only its removal is missing.
        let store = StoreLayout(root: root)
        if try disk.exists(store.catalog) { return false }
        return try !disk.exists(store.witness)
    }

    /// Throws `notAStore` if a directory has the files of an interrupted or running restoration.
    static func refuse(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout.root, disk) }) else { return }
        throw StoreError(
            .notAStore,
            "not a store: an interrupted or running restoration made this directory; restore the backup "
                + "again, or remove this directory", path: layout.root)
    }

    /// Removes all files except the mark.
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
                // Remove the mark after the other removals are durable, since it identifies the files as those of a
                // restoration.
                try disk.syncDirectory(root)
                try disk.remove(root + "/" + mark)
            }
            try disk.remove(root)
        }
    }

    /// Removes the created files after a failure, unless the catalog has its final name.
    func abandon() {
        lock.release()
        let isMoved = (try? disk.exists(layout.root)) == false
        try? Self.drop(isMoved ? place : layout.root, disk)
    }

    // MARK: Completion

    /// Moves a complete store to its path and then renames its catalog, which makes the directory a store.
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
        // Only after the catalog's name is durable. A mark that remains has no meaning.
        try? disk.remove(place + "/" + Self.mark)
        try? disk.syncDirectory(place)
    }

    /// Allows other restorations to the same path.
    func release() { lock.release() }
}
