// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TimeIndex

/// One check of a backup: its files against its list, and what they hold as in a store. Nothing is changed.
///
/// `open` gives the backup as a store that can be asked; what was found in it goes to `finish`.
package struct BackupCheck {
    private let root: String
    private let options: StoreOptions
    private let disk: any Disk
    /// Nil where it is damaged.
    private let manifest: BackupManifest?
    /// Keeps others from making a backup here meanwhile; none where there is nothing to lock.
    private let lock: (any DiskLock)?
    private var problems: [VerifyReport.Problem] = []

    /// Nil where the directory holds no backup.
    /// - Throws: `isBackup` (one that was never completed), `newerFormat`, `locked`, `inputOutput`.
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

    /// A medium without locks, or a backup that was copied without its mark, has nobody who writes it.
    private static func lock(_ root: String, _ disk: any Disk) throws(StoreError) -> (any DiskLock)? {
        let path = root + "/" + BackupManifest.mark
        do throws(DiskError) {
            if let lock = try disk.lock(path, exclusive: false, byte: 0) { return lock }
        } catch {
            guard error.isMissing || error.isWithoutLocks || error.isWrongKind else { throw StoreError(error) }
            return nil
        }
        throw StoreError(.locked, "a backup is being made here; try again when it is done", path: root)
    }

    // MARK: As a store

    /// The backup, opened like a store, for reading; nil where its catalog cannot be opened, which is noted.
    package mutating func open() throws(StoreError) -> TimeSeriesStore? {
        guard let name = try catalogName() else { return nil }
        let layout = StoreLayout(root: root, catalog: root + "/" + name)
        do throws(StoreError) {
            let catalog = try inCatalog { () throws(CatalogError) in
                try CatalogDatabase.openCopy(at: layout.catalog, vfs: options.catalogVFS)
            }
            let image = try inCatalog { () throws(CatalogError) in try catalog.load() }
            let store = try StoreOpening(layout, options).openCopy(catalog, image)
            compare(image, layout)
            return store
        } catch {
            if error.kind == .newerFormat || error.isRefusal { throw error }
            problems.append(
                .init(
                    path: error.path ?? layout.catalog, offset: error.offset,
                    message: "the backup's catalog cannot be opened: \(error.message)"))
            return nil
        }
    }

    /// The catalog that the list names or, without a list, the one that is there.
    private mutating func catalogName() throws(StoreError) -> String? {
        if let name = manifest?.catalog?.name { return name }
        let there = try names().filter { !$0.hasPrefix("segments/") && BackupManifest.isName($0[...]) }
        if there.count == 1 { return there[0] }
        problems.append(.init(path: root, message: "\(there.count) catalogs are here, and no list says which counts"))
        return nil
    }

    /// Holds the catalog against the list.
    private mutating func compare(_ image: CatalogImage, _ layout: StoreLayout) {
        guard let manifest else { return }
        let named = Set(image.liveSegments.map { "segments/" + StoreLayout.name($0.uuid) + ".kseg" })
        let isTheOne =
            StoreLayout.name(image.storeID) == manifest.store && image.seq == manifest.commit
            && named == Set(manifest.segments.map(\.name))
        if isTheOne { return }
        problems.append(
            .init(path: layout.catalog, message: "the backup's catalog is not the one that its list tells of"))
    }

    // MARK: As files

    /// What was found, with what the files say: `found` is the check of the store that `open` gave, if it gave one.
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
            report.remarks.append("\(root)/\(name) is not in the backup's list; the next backup into it removes it")
        }
        lock?.release()
        return report
    }

    /// What is wrong with a file as the list has it.
    /// - Throws: where it cannot be read for another reason.
    private func problem(of file: BackupManifest.File, _ path: String) throws(StoreError) -> String? {
        var copier = BackupCopier(disk, nil)
        do throws(StoreError) {
            let bytes = try onDisk { () throws(DiskError) in try disk.size(of: path) }
            guard bytes == file.bytes else { return "the file has \(bytes) bytes where the list says \(file.bytes)" }
            let sum = try copier.checksum(path, bytes: bytes)
            return sum == file.checksum ? nil : "the file's checksum is not the one of the list"
        } catch {
            if error.isRefusal { throw error }
            return error.message
        }
    }

    /// Looks for sound blocks in segments without a catalog that explains them.
    private func lookThrough(_ report: inout VerifyReport) throws(StoreError) {
        guard let manifest, let store = StoreLayout.uuid(ofFile: manifest.store + ".kseg") else { return }
        for file in manifest.segments {
            guard let uuid = StoreLayout.uuid(ofFile: String(file.name.dropFirst("segments/".count))) else { continue }
            let segment = SegmentSalvage(
                path: root + "/" + file.name, uuid: uuid, store: store, row: nil, disk: disk,
                most: SegmentSalvage.bound(options))
            report.segments += 1
            report.bytes += Int64(segment.bytes.count)
            report.blocks += segment.blocks
            report.samples += segment.samples
            report.problems += segment.report.losses.map(\.problem)
        }
    }

    /// All files, relative to the backup.
    private func names() throws(StoreError) -> [String] {
        let (root, disk) = (root, disk)
        return try onDisk { () throws(DiskError) in
            let folder = root + "/segments"
            let segments = try disk.kind(of: folder) == .directory ? disk.list(folder).map { "segments/" + $0 } : []
            return try disk.list(root).filter { $0 != "segments" } + segments
        }
    }
}
