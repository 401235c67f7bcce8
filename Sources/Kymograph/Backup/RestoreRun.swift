// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TimeIndex

/// One run of a restoration: creates a store from a backup.
struct RestoreRun {
    private let manifest: BackupManifest
    private let backup: String
    private let place: String
    /// The exported keys, for a backup without keys.
    private let exported: String?
    /// The locked directory, which no other restoration can use meanwhile.
    private(set) var draft: RestoreDraft
    private var options: StoreOptions
    private let disk: any Disk
    private var copier: BackupCopier

    init(
        _ manifest: BackupManifest, _ backup: String, _ place: String, _ options: StoreOptions, keys exported: String?,
        _ progress: ((BackupProgress) -> Bool)?
    ) throws(StoreError) {
        draft = try RestoreDraft(place, options.disk)
        self.manifest = manifest
        self.backup = backup
        self.place = place
        self.exported = exported
        self.options = options
        disk = options.disk
        copier = BackupCopier(options.disk, progress)
        copier.progress.bytesTotal = manifest.bytes
    }

    mutating func make() throws(StoreError) -> BackupReport {
        options.keys = try StoreKeys.open(manifest, in: backup, exported, options)
        try manifest.verify(options.keys, path: backup + "/" + BackupManifest.name)
        let made = draft.layout
        try onDisk { () throws(DiskError) in
            try disk.createDirectory(made.segments)
            if !manifest.attached.isEmpty { try disk.createDirectory(made.attached) }
            try disk.createFile(made.lock, [])
        }
        if let free = try? disk.freeSpace(at: made.root), free < manifest.bytes {
            throw StoreError(
                .diskFull, "the store needs \(manifest.bytes) bytes, \(free) are free; free some space and try again",
                path: place)
        }
        for file in manifest.files where !manifest.keys.contains(file) {
            let source = backup + "/" + file.name
            let isCatalog = file == manifest.catalog
            let sum = try copier.copy(
                source, to: isCatalog ? made.catalog : made.root + "/" + file.name, bytes: file.bytes)
            guard sum == file.checksum else {
                throw StoreError(.corrupt, "the backup is damaged: wrong checksum; use another backup", path: source)
            }
        }
        try options.keys?.write(into: made.root, disk)
        let image = try examine()
        try beginEpoch()
        try draft.finish()
        return BackupReport(
            sequence: image.seq, segments: image.liveSegments.count, segmentsCopied: image.liveSegments.count,
            attachedFiles: manifest.attached.count, bytes: manifest.bytes, bytesCopied: manifest.bytes)
    }

    /// Verifies that the copied files are the store described by the manifest.
    private func examine() throws(StoreError) -> CatalogImage {
        let source = backup + "/" + (manifest.catalog?.name ?? "")
        let copy = try BackupRun.examine(draft.layout.catalog, options, source: source)
        let image = copy.image
        guard StoreLayout.name(image.storeID) == manifest.store, image.seq == manifest.commit,
            manifest.names(image, copy.attached)
        else {
            throw StoreError(
                .corrupt, "the backup's catalog does not match its manifest; use another backup",
                path: source)
        }
        for row in image.liveSegments {
            let file = try SegmentFile(
                row: row, store: image.storeID, path: draft.layout.segment(row.uuid),
                access: FileAccess(options).unobserved,
                cache: IndexCache(bytes: 1 << 20))
            _ = try file.directory()
        }
        // The checksums in the manifest cover the units.
        for row in copy.attached {
            _ = try AttachedFileReader(
                row, at: draft.layout.attachedFile(row.uuid), store: image.storeID,
                FileAccess(options).unobserved)
        }
        return image
    }

    /// Starts a new epoch, so that later commits are distinguishable from those of the original store.
    private func beginEpoch() throws(StoreError) {
        let number = try CommitHistory.newEpoch()
        let (path, vfs, keys) = (draft.layout.catalog, options.catalogVFS, options.keys?.pages)
        try inCatalog { () throws(CatalogError) in
            let catalog = try CatalogDatabase.open(at: path, readOnly: false, vfs: vfs, keys: keys)
            do throws(CatalogError) {
                try catalog.beginEpoch(number)
            } catch {
                try? catalog.close()
                throw error
            }
            try catalog.close()
        }
    }
}
