// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The temporary directory in which a restoration creates its store, beside the final path.
///
/// The directory is moved to the final path when its files are durable. It is not opened as a store before the catalog
/// is renamed, which is the last step.
struct RestoreDraft {
    /// The final path of the store.
    private let place: String
    private let disk: any Disk
    private var draft: DraftDirectory
    /// Whether the move to the final path was attempted.
    private var isMoving = false

    /// Returns the temporary directory for a path.
    static func root(for place: String) -> String { place + ".partial" }

    /// The layout of the temporary directory, with the catalog under a temporary name.
    var layout: StoreLayout {
        StoreLayout(root: draft.root, catalog: StoreLayout(root: draft.root).catalogDraft)
    }

    /// Creates the directory, or claims an empty directory or the remains of an interrupted restoration, which are
    /// removed.
    init(_ place: String, _ disk: any Disk) throws(StoreError) {
        var left = DraftDirectory(.restoration, place, disk)
        let hasRemains = try Self.hasRemains(left, disk)
        var draft = DraftDirectory(.restoration, Self.root(for: place), disk)
        try draft.claim()
        do throws(StoreError) {
            try onDisk { () throws(DiskError) in try draft.clear() }
            disk.makePrivate(draft.root)
            if hasRemains {
                try Self.claim(&left)
                defer { left.release() }
                try onDisk { () throws(DiskError) in try left.remove() }
            }
        } catch {
            draft.abandon()
            throw error
        }
        self.place = place
        self.disk = disk
        self.draft = draft
    }

    /// Returns true if the final path holds a restoration that was interrupted at its very end.
    /// - Throws: `alreadyExists` if the path holds anything else.
    private static func hasRemains(_ left: DraftDirectory, _ disk: any Disk) throws(StoreError) -> Bool {
        let (isFree, hasRemains) = try onDisk { () throws(DiskError) in
            guard let kind = try disk.kind(of: left.root) else { return (true, false) }
            guard kind == .directory else { return (false, false) }
            if try disk.list(left.root).isEmpty { return (true, false) }
            let isUnfinished = try left.isUnfinished()
            return (isUnfinished, isUnfinished)
        }
        guard isFree else { throw taken(left.root) }
        return hasRemains
    }

    private static func claim(_ left: inout DraftDirectory) throws(StoreError) {
        do throws(StoreError) {
            try left.claim()
        } catch {
            // Another process may just have finished a store.
            throw error.kind == .alreadyExists ? taken(left.root) : error
        }
    }

    private static func taken(_ path: String) -> StoreError {
        StoreError(.alreadyExists, "the path already exists; choose another one", path: path)
    }

    /// Removes the created files after a failure, unless the catalog has its final name.
    func abandon() {
        var draft = draft
        // The failure may have followed the move to the final path.
        if isMoving, (try? disk.exists(draft.root)) == false { draft.root = place }
        draft.abandon()
    }

    /// Moves a complete store to its path and then renames its catalog, which makes the directory a store.
    mutating func finish() throws(StoreError) {
        let (store, layout, disk, place) = (StoreLayout(root: place), layout, disk, place)
        try onDisk { () throws(DiskError) in
            try disk.syncDirectory(layout.segments)
            if try disk.exists(layout.attached) { try disk.syncDirectory(layout.attached) }
            try disk.syncDirectory(layout.root)
        }
        isMoving = true
        try onDisk { () throws(DiskError) in
            try disk.rename(layout.root, to: place)
            try disk.syncDirectory(StoreCreation.parent(of: place))
            try disk.rename(store.catalogDraft, to: store.catalog)
        }
        do throws(DiskError) {
            try disk.syncDirectory(place)
        } catch {
            throw StoreCreation.unsynced(place, error)
        }
        // Only after the catalog's name is durable. A mark that remains has no meaning.
        try? disk.remove(place + "/" + draft.use.mark)
        try? disk.syncDirectory(place)
    }

    /// Allows other restorations to the same path.
    func release() { draft.release() }
}
