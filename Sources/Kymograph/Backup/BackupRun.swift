// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import TimeIndex

/// One run of a backup.
struct BackupRun {
    private let store: TimeSeriesStore
    /// A snapshot that protects the segments during the run. The copied catalog has its commit or a later one.
    private let snapshot: Snapshot
    private let disk: any Disk
    /// The path of the backup.
    private let place: String
    /// Whether the keys of an encrypted store are copied.
    private let includesKeys: Bool
    /// The directory of the run: a temporary one, unless the backup's directory exists.
    private(set) var draft: DraftDirectory
    private let known: BackupManifest?
    private var copier: BackupCopier
    /// Whether the new manifest may be in place, so that the created files must stay after a failure.
    private var isPublished = false
    private var segmentsCopied = 0
    private var isCatalogCopied = false
    private var keysCopied: UInt64 = 0

    private var root: String { draft.root }
    /// The keys of an encrypted store.
    private var keys: StoreKeys? { store.context.options.keys }

    init(
        _ store: TimeSeriesStore, _ place: String, includesKeys: Bool, _ progress: ((BackupProgress) -> Bool)?
    ) throws(StoreError) {
        if !includesKeys, store.context.options.keys == nil {
            throw StoreError(
                .notEncrypted, "the store is not encrypted, so it has no keys to leave out of the backup",
                path: store.path)
        }
        guard !place.isEmpty else {
            throw StoreError(.invalidArgument, "the path of the backup is empty; name a directory", path: place)
        }
        let disk = store.disk
        self.store = store
        snapshot = store.snapshot()
        self.disk = disk
        self.place = place
        self.includesKeys = includesKeys
        copier = BackupCopier(disk, progress)
        let isThere = try onDisk { () throws(DiskError) in try disk.exists(place) }
        draft = DraftDirectory(.backup, isThere ? place : place + ".partial", disk)
        try draft.claim()
        // The owner may have opened an earlier backup to others.
        if draft.isFresh { disk.makePrivate(draft.root) }
        known = try Self.known(draft.root, store)
        if known != nil, draft.root != place {
            // The earlier backup was complete but not renamed. Rename it before any change, since it may be the only
            // copy of the store.
            try onDisk { () throws(DiskError) in
                try disk.rename(draft.root, to: place)
                try disk.syncDirectory(StoreCreation.parent(of: place))
            }
            draft.root = place
        }
    }

    /// Returns the manifest of the backup in a directory.
    /// - Requires: the lock, since another run may just have completed the backup.
    private static func known(_ root: String, _ store: TimeSeriesStore) throws(StoreError) -> BackupManifest? {
        guard let known = try BackupManifest.read(root, store.disk) else { return nil }
        guard known.store == StoreLayout.name(store.context.storeID) else {
            throw StoreError(
                .alreadyExists, "this is a backup of another store, \(known.store); choose another path", path: root)
        }
        try StoreKeys.requireSame(known, in: root, store.context.options)
        return known
    }

    mutating func make() throws(StoreError) -> BackupReport {
        if known != nil { try keepName() }
        try onDisk { () throws(DiskError) in try removeOthers(than: known) }
        try keys?.refresh()
        let (copy, catalog) = try copyCatalog()
        let image = copy.image
        let old = Dictionary((known?.files ?? []).map { ($0.name, $0) }) { first, _ in first }
        var files = [catalog]
        if let keys, includesKeys { files += try copyKeys(keys) }
        var due = [SegmentRow]()
        for row in image.liveSegments {
            let name = Self.name(of: row)
            if let file = old[name], file.bytes == UInt64(row.bytes), try isSound(file) {
                files.append(file)
            } else {
                due.append(row)
            }
        }
        var attached = [AttachedFileRow]()
        for row in copy.attached {
            if let file = old[Self.name(of: row)], file.bytes == fileBytes(row), try isSound(file) {
                files.append(file)
            } else {
                attached.append(row)
            }
        }
        let bytes = BackupManifest.sum(due.map { UInt64(clamping: $0.bytes) } + attached.map(fileBytes))
        try requireRoom(BackupManifest.sum([bytes, 4096]))
        copier.progress = BackupProgress(bytesDone: 0, bytesTotal: bytes)
        for row in due { files.append(try copySegment(row)) }
        for row in attached { files.append(try copyAttached(row)) }
        files.sort { $0.name < $1.name }
        let manifest = try BackupManifest(
            store: StoreLayout.name(image.storeID), commit: image.seq, files: files
        ).authenticated(by: keys)
        if manifest != known || segmentsCopied > 0 || !attached.isEmpty || isCatalogCopied { try finish(manifest) }
        return BackupReport(
            sequence: image.seq, segments: image.liveSegments.count, segmentsCopied: segmentsCopied,
            attachedFiles: copy.attached.count, bytes: manifest.bytes,
            bytesCopied: BackupManifest.sum([bytes, isCatalogCopied ? catalog.bytes : 0, keysCopied]))
    }

    /// Returns true if a file of the earlier backup is undamaged. Damaged files are copied again.
    private mutating func isSound(_ file: BackupManifest.File) throws(StoreError) -> Bool {
        guard size(file.name) == file.bytes else { return false }
        do throws(StoreError) {
            return try copier.checksum(root + "/" + file.name, bytes: file.bytes) == file.checksum
        } catch {
            if error.kind == .cancelled { throw error }
            return false
        }
    }

    /// Copies the catalog of one commit and names the copy. If a file of that commit is removed meanwhile, the copy is
    /// repeated: a later commit does not name the file.
    private mutating func copyCatalog() throws(StoreError) -> (CatalogCopy, BackupManifest.File) {
        let draft = root + "/catalog.new"
        for attempt in 1... {
            let (path, vfs) = (store.context.layout.catalog, store.context.options.catalogVFS)
            let reader = try keys.retrying { () throws(StoreError) in
                try inCatalog { () throws(CatalogError) in
                    try CatalogDatabase.open(at: path, readOnly: true, vfs: vfs, keys: keys?.pages)
                }
            }
            defer { try? reader.close() }
            try requireRoom(UInt64(clamping: reader.fileBytes))
            try keys.retrying { () throws(StoreError) in
                try inCatalog { () throws(CatalogError) in try reader.copy(to: draft) }
            }
            let layout = store.context.layout
            let copy = try Self.examine(draft, store.context.options, source: layout.catalog)
            let paths =
                copy.image.liveSegments.map { layout.segment($0.uuid) }
                + copy.attached.map { layout.attachedFile($0.uuid) }
            let missing = try onDisk { () throws(DiskError) -> String? in
                for path in paths where try !disk.exists(path) { return path }
                return nil
            }
            if let missing {
                try onDisk { () throws(DiskError) in try disk.remove(draft) }
                if attempt < 3 { continue }
                throw StoreError(
                    .corrupt, "a file that the catalog names is missing; restore it from an earlier backup",
                    path: missing)
            }
            return (copy, try nameCatalog(draft, copy))
        }
        throw StoreError(
            .corrupt, "the catalog changes faster than it can be copied", path: store.context.layout.catalog)
    }

    /// The content of a copied catalog.
    struct CatalogCopy: Equatable {
        let image: CatalogImage
        /// The live attached files.
        let attached: [AttachedFileRow]
    }

    /// Checks and reads a copied catalog. Errors name the source.
    static func examine(
        _ path: String, _ options: StoreOptions, source: String
    ) throws(StoreError) -> CatalogCopy {
        do throws(CatalogError) {
            let copy = try CatalogDatabase.openCopy(
                at: path, vfs: options.catalogVFS, keys: options.keys?.pages)
            defer { try? copy.close() }
            let problems = try copy.integrityProblems()
            if let first = problems.first {
                throw CatalogError(.corrupt, "the catalog is damaged: \(first)", path: source)
            }
            let image = try copy.load()
            return CatalogCopy(image: image, attached: try copy.read { try $0.attachedFiles(isDead: false) })
        } catch {
            throw StoreError(error.naming(source))
        }
    }

    /// Renames a copied catalog to a name that is unique for its content.
    private mutating func nameCatalog(_ draft: String, _ copy: CatalogCopy) throws(StoreError) -> BackupManifest.File {
        let commit = copy.image.seq
        if keys != nil, let file = known?.catalog, file.name.hasPrefix("catalog-\(commit)-"), try isSound(file),
            try Self.examine(root + "/" + file.name, store.context.options, source: root) == copy
        {
            // No two encrypted copies of the same content have the same bytes.
            try onDisk { () throws(DiskError) in try disk.remove(draft) }
            return file
        }
        let bytes = try onDisk { () throws(DiskError) in try disk.size(of: draft) }
        let sum = try copier.checksum(draft, bytes: bytes)
        let file = BackupManifest.File(
            name: "catalog-\(commit)-\(BackupManifest.hex(sum)).sqlite", bytes: bytes, checksum: sum)
        if known?.catalog == file, try isSound(file) {
            try onDisk { () throws(DiskError) in try disk.remove(draft) }
            return file
        }
        try onDisk { () throws(DiskError) in try disk.rename(draft, to: root + "/" + file.name) }
        isCatalogCopied = true
        return file
    }

    private mutating func copySegment(_ row: SegmentRow) throws(StoreError) -> BackupManifest.File {
        let folder = root + "/segments"
        let name = Self.name(of: row)
        let (source, target) = (store.context.layout.segment(row.uuid), root + "/" + name)
        try onDisk { () throws(DiskError) in
            if try !disk.exists(folder) { try disk.createDirectory(folder) }
        }
        let sum = try copier.copy(source, to: target + ".new", bytes: UInt64(clamping: row.bytes))
        try verifyCopy(of: row, at: target + ".new", source: source)
        try onDisk { () throws(DiskError) in try disk.rename(target + ".new", to: target) }
        segmentsCopied += 1
        return BackupManifest.File(name: name, bytes: UInt64(clamping: row.bytes), checksum: sum)
    }

    private mutating func copyAttached(_ row: AttachedFileRow) throws(StoreError) -> BackupManifest.File {
        let folder = root + "/attachments"
        let name = Self.name(of: row)
        let (source, target) = (store.context.layout.attachedFile(row.uuid), root + "/" + name)
        try onDisk { () throws(DiskError) in
            if try !disk.exists(folder) { try disk.createDirectory(folder) }
        }
        let sum = try copier.copy(source, to: target + ".new", bytes: fileBytes(row))
        do throws(StoreError) {
            try AttachedFiles(StoreLayout(root: root), store.context.access.unobserved).check(
                row, at: target + ".new", store: store.context.storeID)
        } catch {
            guard error.kind == .corrupt || error.kind == .forged else { throw error }
            throw StoreError(
                error.kind, "\(error.message); the backup was not made: `kymo verify` lists all that is damaged",
                path: source, offset: error.offset)
        }
        try onDisk { () throws(DiskError) in try disk.rename(target + ".new", to: target) }
        return BackupManifest.File(name: name, bytes: fileBytes(row), checksum: sum)
    }

    /// Syncs all files and then publishes the manifest, which completes the backup.
    private mutating func finish(_ manifest: BackupManifest) throws(StoreError) {
        let (root, place, disk) = (root, place, disk)
        try onDisk { () throws(DiskError) in
            for folder in DraftDirectory.folders where try disk.exists(root + "/" + folder) {
                try disk.syncDirectory(root + "/" + folder)
            }
            try disk.syncDirectory(root)
        }
        try onDisk { () throws(DiskError) in try disk.createFile(BackupManifest.draft(root), manifest.encoded()) }
        // After an error of a later backup here, a power loss may leave either manifest.
        isPublished = root == place
        try BackupManifest.publish(root, disk)
        isPublished = true
        if root != place {
            try StoreCreation.move(root, to: place, disk)
            draft.root = place
        }
        // The backup is complete. Files that it does not name may be removed now or by the next run.
        try? removeOthers(than: manifest)
    }

    /// Makes the directory's name durable, since the call that renamed it may have failed later. Without permission to
    /// read the parent directory, this process did not create the name.
    private func keepName() throws(StoreError) {
        do throws(DiskError) {
            try disk.syncDirectory(StoreCreation.parent(of: place))
        } catch {
            guard error.isDenied else { throw StoreError(error) }
        }
    }

    /// Removes the files that a manifest does not name.
    private func removeOthers(than manifest: BackupManifest?) throws(DiskError) {
        let named = manifest.map { $0.files.map(\.name) + [BackupManifest.name] } ?? []
        try draft.clear(keeping: Set(named + DraftDirectory.folders))
    }

    /// Removes the created files, and a directory created for them, after a failure.
    func abandon() {
        if isPublished { return }
        // A copy that replaced a damaged file also belongs to the earlier backup.
        if root == place { try? removeOthers(than: known) } else { draft.abandon() }
    }

    /// Checks a copy of a segment as `verify` would, against its rows in the catalog.
    /// - Parameter source: the path that an error names.
    private func verifyCopy(of row: SegmentRow, at path: String, source: String) throws(StoreError) {
        let file = try SegmentFile(
            row: row, store: store.context.storeID, path: path, access: store.context.access.unobserved,
            cache: IndexCache(bytes: 1 << 20))
        var report = VerifyReport()
        StoreCheck.check(file, &report)
        guard let problem = report.problems.first ?? report.unread.first else { return }
        guard problem.kind == .corrupt || problem.kind == .forged else {
            throw StoreError(problem.kind, problem.message, path: problem.path, offset: problem.offset)
        }
        let error = StoreError(
            problem.kind, "\(problem.message); the backup was not made: `kymo verify` lists all that is damaged",
            path: source, offset: problem.offset)
        throw problem.series.map { error.concerning($0.rawValue, problem.range) } ?? error
    }

    private func fileBytes(_ row: AttachedFileRow) -> UInt64 { row.fileBytes(isEncrypted: keys != nil) }

    /// Writes the keys twice, under names that are unique for their content.
    private mutating func copyKeys(_ keys: StoreKeys) throws(StoreError) -> [BackupManifest.File] {
        let image = keys.ring.image
        let bytes = image.encoded()
        let sum = Kernel.crc32c(bytes, 0..<bytes.count)
        let files = BackupManifest.keysNames(image.number, sum).map {
            BackupManifest.File(name: $0, bytes: UInt64(bytes.count), checksum: sum)
        }
        for file in files {
            if known?.keys.contains(file) == true, try isSound(file) { continue }
            keysCopied += file.bytes
            let path = root + "/" + file.name
            try onDisk { () throws(DiskError) in
                // The remains of an interrupted run, or a damaged copy.
                if try disk.exists(path) { try disk.remove(path) }
                try disk.createFile(path, bytes)
            }
        }
        return files
    }

    private func requireRoom(_ bytes: UInt64) throws(StoreError) {
        guard let free = try? disk.freeSpace(at: root), free < bytes else { return }
        throw StoreError(
            .diskFull, "the backup needs \(bytes) bytes more, \(free) are free; free some space and try again",
            path: place)
    }

    private func size(_ name: String) -> UInt64? { try? disk.size(of: root + "/" + name) }

    private static func name(of row: AttachedFileRow) -> String {
        "attachments/" + StoreLayout.attachedName(row.uuid)
    }

    private static func name(of row: SegmentRow) -> String { "segments/" + StoreLayout.name(row.uuid) + ".kseg" }
}

extension DraftDirectory.Use {
    /// A complete backup keeps its mark: backups and checks of the directory lock it. The next backup of the same store
    /// claims the complete backup. A backup is complete if it has a manifest.
    static let backup = Self(
        mark: BackupManifest.mark, busy: "a backup or a check of this directory is running; try again later",
        foreign: "the directory has files that belong to no backup; choose another path", followsLinks: true
    ) { name in
        [BackupManifest.mark, "segments", "attachments", BackupManifest.name, BackupManifest.name + ".new"].contains(
            name)
            || name.hasPrefix("catalog.new")
            || BackupManifest.isName(name[...])
            || name.hasPrefix("segments/") && (name.hasSuffix(".kseg") || name.hasSuffix(".kseg.new"))
            || isAttached(name)
    }
}
