// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TimeIndex

/// A check of a backup: its files against its manifest, and their content as in a store. The backup is not changed.
///
/// - Ordering: `open` returns the backup as a store for queries; the findings of its check are then passed to `finish`.
package struct BackupCheck {
    private let root: String
    private var options: StoreOptions
    private let disk: any Disk
    /// Nil if it is damaged.
    private let manifest: BackupManifest?
    /// Excludes backups into this directory during the check; nil if locks are impossible.
    private let lock: (any DiskLock)?
    private var problems: [VerifyReport.Problem] = []

    /// Whether the backup is that of an encrypted store; nil if the manifest is damaged.
    var isEncrypted: Bool? { manifest?.isEncrypted }

    /// Returns nil if the directory holds no backup.
    /// - Throws: `isBackup` (an incomplete backup), `newerFormat`, `locked`, `inputOutput`.
    package init?(_ path: String, _ options: StoreOptions) throws(StoreError) {
        guard try BackupManifest.isBackup(path, options.disk) else { return nil }
        try TimeSeriesStore.requireDescriptors(path)
        root = path
        self.options = options
        disk = options.disk
        lock = try Self.lock(path, options.disk)
        do throws(StoreError) {
            manifest = try BackupManifest.read(path, options.disk)
        } catch {
            if error.kind == .newerFormat || error.isRefusal { throw error }
            manifest = nil
            problems.append(.init(path: error.path ?? path, offset: error.offset, message: error.message))
            return
        }
        if manifest == nil { throw BackupManifest.incomplete(path) }
    }

    /// Returns a shared lock on the mark; nil without file locks or without a mark, since then no backup can be
    /// running.
    private static func lock(_ root: String, _ disk: any Disk) throws(StoreError) -> (any DiskLock)? {
        let path = root + "/" + BackupManifest.mark
        do throws(DiskError) {
            if let lock = try disk.lock(path, exclusive: false, byte: 0) { return lock }
        } catch {
            guard error.isMissing || error.isWithoutLocks || error.isWrongKind else { throw StoreError(error) }
            return nil
        }
        throw StoreError(.locked, "a backup into this directory is running; try again after its end", path: root)
    }

    // MARK: As a store

    /// Opens the backup like a store, for reading. Returns nil and records a problem if the catalog cannot be opened.
    /// - Parameter exported: the exported keys, for a backup without keys.
    package mutating func open(keys exported: String?) throws(StoreError) -> TimeSeriesStore? {
        guard let name = try catalogName() else { return nil }
        let layout = StoreLayout(root: root, catalog: root + "/" + name)
        do throws(StoreError) {
            options.keys = try StoreKeys.open(manifest, in: root, exported, options)
            try manifest?.verify(options.keys, path: root + "/" + BackupManifest.name)
            let catalog = try inCatalog { () throws(CatalogError) in
                try CatalogDatabase.openCopy(at: layout.catalog, vfs: options.catalogVFS, keys: options.keys?.pages)
            }
            let image = try inCatalog { () throws(CatalogError) in try catalog.load() }
            let store = try TimeSeriesStore.openCopy(catalog, image, layout, options)
            let attached = try inCatalog { () throws(CatalogError) in
                try catalog.read { try $0.attachedFiles(isDead: false) }
            }
            compare(image, attached, layout)
            return store
        } catch {
            let keys: [StoreError.Kind] = [.needsKey, .wrongKey, .notEncrypted]
            if error.kind == .newerFormat || error.isRefusal || keys.contains(error.kind) { throw error }
            problems.append(
                .init(
                    path: error.path ?? layout.catalog, offset: error.offset,
                    message: "the backup's catalog cannot be opened: \(error.message)"))
            return nil
        }
    }

    /// Returns the catalog named in the manifest or, without a manifest, the only one in the directory.
    private mutating func catalogName() throws(StoreError) -> String? {
        if let name = manifest?.catalog?.name { return name }
        let there = try names().filter { $0.hasSuffix(".sqlite") && BackupManifest.isName($0[...]) }
        if there.count == 1 { return there[0] }
        problems.append(.init(path: root, message: "the backup has \(there.count) catalogs and no valid manifest"))
        return nil
    }

    /// Compares the catalog with the manifest.
    private mutating func compare(_ image: CatalogImage, _ attached: [AttachedFileRow], _ layout: StoreLayout) {
        guard let manifest else { return }
        let isTheOne =
            StoreLayout.name(image.storeID) == manifest.store && image.seq == manifest.commit
            && manifest.names(image, attached)
        if isTheOne { return }
        problems.append(
            .init(path: layout.catalog, message: "the backup's catalog does not match its manifest"))
    }

    // MARK: As files

    /// Checks the files and returns all findings.
    /// - Parameter found: the check of the store that `open` returned; nil without such a store.
    package mutating func finish(_ found: VerifyReport?) throws(StoreError) -> VerifyReport {
        var report = found ?? VerifyReport()
        report.isBackup = true
        report.remarks = []
        report.checkAccess(to: root, disk)
        report.problems = problems + report.problems
        if found == nil { try lookThrough(&report) }
        let known = Set((report.problems + report.unread).map(\.path))
        for file in manifest?.files ?? [] {
            let path = root + "/" + file.name
            do throws(StoreError) {
                guard let problem = try problem(of: file, path), !known.contains(path) else { continue }
                report.problems.append(.init(path: path, message: problem))
            } catch {
                if !known.contains(path) { report.note(error, path: path) }
            }
        }
        let listed = Set(manifest?.files.map(\.name) ?? [])
        let own: Set = [BackupManifest.name, BackupManifest.mark]
        for name in try names() where manifest != nil && !listed.contains(name) && !own.contains(name) {
            report.remarks.append("\(root)/\(name) is not in the backup's manifest; the next backup removes it")
        }
        lock?.release()
        return report
    }

    /// Compares a file with its entry in the manifest. Returns a description of the damage, or nil.
    /// - Throws: if the file is unreadable for a reason other than damage.
    private func problem(of file: BackupManifest.File, _ path: String) throws(StoreError) -> String? {
        var copier = BackupCopier(disk, nil)
        do throws(StoreError) {
            let bytes = try onDisk { () throws(DiskError) in try disk.size(of: path) }
            guard bytes == file.bytes else { return "the file has \(bytes) bytes, in the manifest \(file.bytes)" }
            let sum = try copier.checksum(path, bytes: bytes)
            return sum == file.checksum ? nil : "the file's checksum does not match the manifest"
        } catch {
            if error.isRefusal { throw error }
            return error.message
        }
    }

    /// Searches segments for intact blocks, without a catalog.
    private func lookThrough(_ report: inout VerifyReport) throws(StoreError) {
        // Without keys no block of an encrypted segment can be read.
        guard let manifest, !manifest.isEncrypted || options.keys != nil,
            let store = StoreLayout.uuid(ofFile: manifest.store + ".kseg")
        else { return }
        for file in manifest.segments {
            guard let uuid = StoreLayout.uuid(ofFile: String(file.name.dropFirst("segments/".count))) else { continue }
            let segment = SegmentSalvage(
                path: root + "/" + file.name, uuid: uuid, store: store, row: nil, FileAccess(options),
                most: SegmentSalvage.bound(options))
            report.segments += 1
            report.bytes += Int64(segment.bytes.count)
            report.blocks += segment.blocks
            report.samples += segment.samples
            report.problems += segment.report.losses.map(\.problem)
        }
    }

    /// Returns the paths of all files, relative to the backup.
    private func names() throws(StoreError) -> [String] {
        let (root, disk) = (root, disk)
        return try onDisk { () throws(DiskError) in
            var names = try disk.list(root).filter { !DraftDirectory.folders.contains($0) }
            for folder in DraftDirectory.folders where try disk.kind(of: root + "/" + folder) == .directory {
                names += try disk.list(root + "/" + folder).map { folder + "/" + $0 }
            }
            return names
        }
    }
}
