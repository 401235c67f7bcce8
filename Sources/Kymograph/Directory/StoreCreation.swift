// SPDX-License-Identifier: Apache-2.0

import Catalog
import CivilTime
import FileSystem

/// Creates the files of a new store. The next attempt replaces the files that a crash or a full disk left behind.
///
/// The store exists once its catalog has its final name. All earlier steps hold the lock, so that of two processes one
/// creates the store and the other finds it.
struct StoreCreation {
    let layout: StoreLayout
    let options: StoreOptions

    private var disk: any Disk { options.disk }

    /// - Returns: the keys of an encrypted store.
    func run() throws(StoreError) -> StoreKeys? {
        var draft = DraftDirectory(.creation, layout.root, disk)
        try DraftDirectory.unlessExists { () throws(DiskError) in try disk.createDirectory(layout.root) }
        try draft.requireOwn()
        disk.makePrivate(layout.root)
        try DraftDirectory.unlessExists { () throws(DiskError) in try disk.createFile(layout.lock, []) }
        try draft.takeLock()
        defer { draft.release() }
        try draft.requireOwn()
        try DraftDirectory.unlessExists { () throws(DiskError) in try disk.createDirectory(layout.segments) }
        let keys = try makeCatalog(draft)
        try Self.syncNames(layout, disk)
        return keys
    }

    /// Syncs the directory entries of a new store. Before that, a power loss may remove the whole store.
    static func syncNames(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in
            try disk.syncDirectory(layout.root)
            try disk.syncDirectory(parent(of: layout.root))
        }
    }

    /// Renames a complete draft to its final path, and syncs the directory.
    static func move(_ draft: String, to place: String, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in try disk.rename(draft, to: place) }
        do throws(DiskError) {
            try disk.syncDirectory(parent(of: place))
        } catch {
            throw unsynced(place, error)
        }
    }

    /// Returns the error for a complete store or backup whose rename is not durable.
    static func unsynced(_ place: String, _ error: DiskError) -> StoreError {
        StoreError(
            .inputOutput,
            "all files are complete, but a power loss may undo the rename to this path (\(error.message)); to make it "
                + "durable, open the store for writing, or back up to this path again", path: place)
    }

    /// Creates the catalog under a draft name, and renames it once it is complete and synced.
    private func makeCatalog(_ draft: DraftDirectory) throws(StoreError) -> StoreKeys? {
        let zone = options.homeZone
        let version = TimeSeriesStore.formatVersion
        let vfs = options.catalogVFS
        let id = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        if options.catalogPath != nil {
            // The catalog lies in another place, on a disk of its own.
            let keys = try StoreKeys.create(layout, options, store: id)
            try inCatalog { () throws(CatalogError) in
                try CatalogDatabase.create(
                    at: layout.catalog, storeID: id, homeZone: zone, formatVersion: version, vfs: vfs,
                    keys: keys?.pages)
            }
            return keys
        }
        try onDisk { () throws(DiskError) in try draft.clear(keeping: ["LOCK", "segments"]) }
        let keys = try StoreKeys.create(layout, options, store: id)
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.create(
                at: layout.catalogDraft, storeID: id, homeZone: zone, formatVersion: version, vfs: vfs,
                keys: keys?.pages)
        }
        try onDisk { () throws(DiskError) in try disk.rename(layout.catalogDraft, to: layout.catalog) }
        return keys
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
