// SPDX-License-Identifier: Apache-2.0

import Catalog
import CivilTime
import FileSystem

/// Makes the files of a new store, so that a crash or a full disk half-way leaves what the next attempt goes over.
///
/// The store exists from the moment its catalog has its name. Everything before happens under the lock, so that of two
/// processes one makes the store and the other finds it.
struct StoreCreation {
    let layout: StoreLayout
    let options: StoreOptions

    private var disk: any Disk { options.disk }
    /// The name of a catalog that is not complete.
    private var draft: String { layout.catalog + ".new" }

    func run() throws(StoreError) {
        let root = layout.root
        try unlessThere { () throws(DiskError) in try disk.createDirectory(root) }
        try requireRoom()
        disk.makePrivate(root)
        try unlessThere { () throws(DiskError) in try disk.createFile(layout.lock, []) }
        guard let lock = try onDisk({ () throws(DiskError) in try disk.lock(layout.lock, exclusive: true, byte: 0) })
        else {
            throw StoreError(
                .locked, "another process is making this store; try again when it is done", path: root)
        }
        defer { lock.release() }
        try requireRoom()
        try unlessThere { () throws(DiskError) in try disk.createDirectory(layout.segments) }
        try makeCatalog()
        try Self.syncNames(layout, disk)
    }

    /// Makes the names of a new store durable: before that, nothing in it is.
    static func syncNames(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in
            try disk.syncDirectory(layout.root)
            try disk.syncDirectory(parent(of: layout.root))
        }
    }

    /// Gives a backup that is complete its name, durably.
    static func move(_ draft: String, to place: String, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in try disk.rename(draft, to: place) }
        do throws(DiskError) {
            try disk.syncDirectory(parent(of: place))
        } catch {
            throw unsynced(place, error)
        }
    }

    /// For a store or a backup that is complete and has its name, but not durably.
    static func unsynced(_ place: String, _ error: DiskError) -> StoreError {
        StoreError(
            .inputOutput,
            "all is there and whole, but a power cut may take its name (\(error.message)); that is over when the "
                + "store is opened for writing, or backed up into this place again", path: place)
    }

    /// Makes something that another attempt, or another process, may have made.
    private func unlessThere(_ make: () throws(DiskError) -> Void) throws(StoreError) {
        do throws(DiskError) {
            try make()
        } catch {
            if !error.alreadyExists { throw StoreError(error) }
        }
    }

    /// Refuses a directory that holds anything but the beginnings of a store.
    private func requireRoom() throws(StoreError) {
        let catalog = "kymograph.sqlite.new"
        let beginnings: Set = ["LOCK", "segments", catalog, catalog + "-wal", catalog + "-shm", catalog + "-journal"]
        let isFree = try onDisk { () throws(DiskError) in
            guard try disk.list(layout.root).allSatisfy(beginnings.contains) else { return false }
            guard try disk.exists(layout.segments) else { return true }
            return try disk.list(layout.segments).isEmpty
        }
        guard isFree else {
            throw StoreError(.alreadyExists, "the directory is not empty; choose another one", path: layout.root)
        }
    }

    /// Makes the catalog under another name and gives it its own when it is complete and synced.
    private func makeCatalog() throws(StoreError) {
        let zone = options.homeZone
        let version = TimeSeriesStore.formatVersion
        let vfs = options.catalogVFS
        let id = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        if options.catalogPath != nil {
            // The catalog lies elsewhere, on a disk of its own.
            try inCatalog { () throws(CatalogError) in
                try CatalogDatabase.create(
                    at: layout.catalog, storeID: id, homeZone: zone, formatVersion: version, vfs: vfs)
            }
            return
        }
        try onDisk { () throws(DiskError) in
            for suffix in ["", "-wal", "-shm", "-journal"] where try disk.exists(draft + suffix) {
                try disk.remove(draft + suffix)
            }
        }
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.create(at: draft, storeID: id, homeZone: zone, formatVersion: version, vfs: vfs)
        }
        try onDisk { () throws(DiskError) in try disk.rename(draft, to: layout.catalog) }
    }

    static func parent(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        while parts.count > 1, parts.last == "" { parts.removeLast() }
        parts.removeLast()
        if parts.isEmpty { return "." }
        let parent = parts.joined(separator: "/")
        return parent.isEmpty ? "/" : parent
    }
}
