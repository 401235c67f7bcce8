// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem

/// Makes the new store of a repair. It is no store before `finish` gives its catalog the name.
///
/// Until then it has a file that says what it is, so that what an interrupted repair leaves is neither taken for a
/// damaged store nor in the way of the next one.
struct RepairWriter {
    private static let mark = "REPAIR"

    private let layout: StoreLayout
    private let options: StoreOptions
    private let salvage: StoreSalvage
    private let lock: any DiskLock
    private var rows: [SegmentRow] = []
    /// The places in `rows` of segments that had no row before, by the ids that they had.
    private var orphans: [[UInt8]: Int] = [:]
    private(set) var copied = 0
    private(set) var rewritten = 0
    private(set) var lost = 0
    /// Whether the directory was made for this.
    private let isNew: Bool

    private var disk: any Disk { options.disk }

    /// Makes the directory, or takes one that is empty or has what an interrupted repair left.
    init(_ path: String, _ options: StoreOptions, _ salvage: StoreSalvage) throws(StoreError) {
        let layout = StoreLayout(root: path)
        let disk = options.disk
        guard !path.isEmpty else {
            throw StoreError(.invalidArgument, "the new store needs a name", path: path)
        }
        let kind = try onDisk { () throws(DiskError) in try disk.kind(of: path) }
        isNew = kind == nil
        if kind == nil {
            try onDisk { () throws(DiskError) in try disk.createDirectory(path) }
        } else {
            try Self.clearUnfinished(layout, disk)
            let isEmpty = try onDisk { () throws(DiskError) in
                guard kind == .directory else { return false }
                return try disk.list(path).isEmpty
            }
            guard isEmpty else {
                throw StoreError(
                    .alreadyExists, "there is something here already; name a directory that is empty or not there",
                    path: path)
            }
        }
        self.layout = layout
        self.options = options
        self.salvage = salvage
        do throws(DiskError) {
            try disk.createFile(layout.root + "/" + Self.mark, [])
            try disk.createFile(layout.lock, [])
            try disk.createDirectory(layout.segments)
        } catch {
            try? Self.clear(layout, disk)
            if isNew { try? disk.remove(path) }
            throw StoreError(error)
        }
        guard let lock = try onDisk({ () throws(DiskError) in try disk.lock(layout.lock, exclusive: true, byte: 0) })
        else { throw StoreError(.locked, "another process is making a store here", path: path) }
        self.lock = lock
    }

    // MARK: What is not finished

    /// Whether a directory has what a repair left that did not end.
    private static func isUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(DiskError) -> Bool {
        guard try disk.exists(layout.root + "/" + mark) else { return false }
        if try disk.exists(layout.root + "/kymograph.sqlite") { return false }
        return try !disk.exists(layout.witness)
    }

    /// Refuses to take for a store what a repair left that did not end.
    static func refuseUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) else { return }
        throw StoreError(
            .invalidArgument,
            "no store: this is what an interrupted repair left; repair the damaged store into this place again, or "
                + "remove it",
            path: layout.root)
    }

    /// Removes what a repair left that did not end, unless it is still under way.
    private static func clearUnfinished(_ layout: StoreLayout, _ disk: any Disk) throws(StoreError) {
        guard try onDisk({ () throws(DiskError) in try isUnfinished(layout, disk) }) else { return }
        let isFree = try onDisk { () throws(DiskError) in
            guard try disk.exists(layout.lock) else { return true }
            guard let lock = try disk.lock(layout.lock, exclusive: true, byte: 0) else { return false }
            lock.release()
            return true
        }
        guard isFree else {
            throw StoreError(.locked, "another repair into this place is under way", path: layout.root)
        }
        try onDisk { () throws(DiskError) in try clear(layout, disk) }
    }

    /// Removes what a repair made, what says so last: as long as anything of it is left, so is the mark.
    private static func clear(_ layout: StoreLayout, _ disk: any Disk) throws(DiskError) {
        if try disk.exists(layout.segments) {
            for name in try disk.list(layout.segments) where name.contains(".kseg") {
                try disk.remove(layout.segments + "/" + name)
            }
        }
        let drafts = ["", "-wal", "-shm", "-journal"].map { layout.catalog + ".new" + $0 }
        for path in [layout.segments] + drafts + [layout.lock, layout.root + "/" + mark] where try disk.exists(path) {
            try disk.remove(path)
        }
    }

    /// After a failure: what was made goes, unless the catalog has its name.
    func abandon() {
        lock.release()
        guard (try? Self.isUnfinished(layout, disk)) ?? false else { return }
        try? Self.clear(layout, disk)
        if isNew { try? disk.remove(layout.root) }
    }

    // MARK: Segments

    /// Takes over what is sound of a segment: the whole file, or its sound blocks in a new one.
    mutating func add(_ segment: SegmentSalvage) throws(StoreError) {
        var row: SegmentRow
        if segment.isSound, let footer = segment.footer {
            try copy(segment)
            row = SegmentRow(
                id: 0, uuid: segment.uuid, bytes: Int64(segment.bytes.count), checksum: footer.checksum,
                born: segment.born,
                runs: segment.runs)
            copied += 1
        } else if segment.blocks > 0 {
            row = try rewrite(segment)
            row.born = segment.born
            rewritten += 1
        } else {
            lost += 1
            return
        }
        row.id = segment.row?.id ?? 0
        if segment.row == nil { orphans[segment.uuid] = rows.count }
        rows.append(row)
    }

    /// Gives segments without a row, named by the ids that they had, other births than they say themselves.
    mutating func correct(births: [[UInt8]: Int64]) {
        for (uuid, born) in births { if let place = orphans[uuid] { rows[place].born = born } }
    }

    private func copy(_ segment: SegmentSalvage) throws(StoreError) {
        let path = layout.segment(segment.uuid)
        try onDisk { () throws(DiskError) in try disk.createFile(path, segment.bytes) }
    }

    /// Samples of one run that are handed to the writer at once.
    private static let handful = 65_536

    private func rewrite(_ segment: SegmentSalvage) throws(StoreError) -> SegmentRow {
        let uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        let commit = Int64(clamping: segment.header?.commit ?? 0)
        let file = try SegmentWriter(
            layout: layout, store: salvage.storeID, uuid: uuid, zone: salvage.zone, disk: disk, commit: commit,
            threads: 1)
        var rows = SampleRows()
        var current: Int64 = 0
        func flush() throws(StoreError) {
            if rows.count > 0 { try file.append([RunPart(rows, series: current)]) }
            rows = SampleRows()
        }
        do throws(StoreError) {
            try segment.forEachBlock { (series, block) throws(StoreError) in
                if series != current || rows.count >= Self.handful { try flush() }
                current = series
                rows.append(block)
            }
            try flush()
            return try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Makes the catalog, complete and durable under another name, and gives it its own.
    func finish(
        tail: [TailRow], deletions: CatalogDeletions, _ extra: ((CatalogTransaction) throws -> Void)?
    ) throws(StoreError) {
        let draft = layout.catalog + ".new"
        try onDisk { () throws(DiskError) in try disk.syncDirectory(layout.segments) }
        let seq = max(salvage.seq, rows.map(\.born).max() ?? 0, deletions.tombstones.last?.born ?? 0)
        var next = rows.map(\.id).max() ?? 0
        var segments = rows
        for i in segments.indices where segments[i].id == 0 {
            next += 1
            segments[i].id = next
        }
        let version = TimeSeriesStore.formatVersion
        let past = try salvage.past(seq)
        let image = CatalogImage(
            storeID: salvage.storeID, homeZone: salvage.zone.identifier, formatVersion: version, seq: seq,
            series: salvage.series.values.sorted { $0.id < $1.id }, segments: segments, tail: tail,
            deletions: deletions, history: past)
        let vfs = options.catalogVFS
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.create(
                at: draft, storeID: image.storeID, homeZone: image.homeZone, formatVersion: version, vfs: vfs)
            let catalog = try CatalogDatabase.open(at: draft, readOnly: false, vfs: vfs)
            do throws(CatalogError) {
                try catalog.restore(image, extra: extra)
            } catch {
                try? catalog.close()
                throw error
            }
            try catalog.close()
        }
        try onDisk { () throws(DiskError) in
            try disk.rename(draft, to: layout.catalog)
            let witness = try Witness(layout.witness, store: salvage.storeID, disk: disk)
            try witness.note(seq)
            try witness.close()
            try disk.remove(layout.root + "/" + Self.mark)
        }
        try StoreCreation.syncNames(layout, disk)
        lock.release()
    }
}
