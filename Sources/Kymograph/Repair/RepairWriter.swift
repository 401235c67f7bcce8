// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem

/// Creates the new store of a repair. It becomes a store when `finish` gives the catalog its final name.
struct RepairWriter {
    private let draft: RepairDraft
    /// The options of the new store, with its keys.
    let options: StoreOptions
    /// Whether the new store has the keys of the old one, so that intact files are copied.
    let keepsKeys: Bool
    let salvage: StoreSalvage
    private var rows: [SegmentRow] = []
    /// The indices in `rows` of segments without a catalog row, by their original ids.
    private var orphans: [[UInt8]: Int] = [:]
    private(set) var copied = 0
    private(set) var rewritten = 0
    private(set) var lost = 0

    var layout: StoreLayout { draft.layout }
    var disk: any Disk { options.disk }

    /// Creates the directory, or claims an empty directory or the remains of an interrupted repair.
    init(
        _ path: String, _ options: StoreOptions, _ salvage: StoreSalvage, _ keys: RepairKeys = .same
    ) throws(StoreError) {
        draft = try RepairDraft(path, options.disk)
        var options = options
        // Ordering: the keys are durable before the catalog has its name.
        do throws(StoreError) { try keys.write(draft.layout, &options, store: salvage.storeID) } catch {
            draft.abandon()
            throw error
        }
        self.options = options
        if case .same = keys { keepsKeys = true } else { keepsKeys = false }
        self.salvage = salvage
    }

    /// Removes the created files after a failure, unless the catalog has its final name.
    func abandon() { draft.abandon() }

    // MARK: Segments

    /// Copies an intact segment, or writes the intact blocks of a damaged one to a new segment.
    mutating func add(_ segment: SegmentSalvage) throws(StoreError) {
        var row: SegmentRow
        if keepsKeys, segment.isSound, let footer = segment.footer {
            try copy(segment)
            row = SegmentRow(
                id: 0, uuid: segment.uuid, bytes: Int64(segment.bytes.count), checksum: footer.checksum,
                born: segment.born,
                runs: RunRows(segment.runs))
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

    /// Sets the commits of segments without a catalog row, given by their original ids.
    mutating func correct(births: [[UInt8]: Int64]) {
        for (uuid, born) in births { if let place = orphans[uuid] { rows[place].born = born } }
    }

    private func copy(_ segment: SegmentSalvage) throws(StoreError) {
        let path = layout.segment(segment.uuid)
        try onDisk { () throws(DiskError) in try disk.createFile(path, segment.bytes) }
    }

    /// The number of samples of a run that are passed to the writer at a time.
    private static let handful = 65_536

    private func rewrite(_ segment: SegmentSalvage) throws(StoreError) -> SegmentRow {
        let uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        let commit = Int64(clamping: segment.header?.commit ?? 0)
        let target = SegmentWriter.Target(
            layout: layout, access: FileAccess(options).unobserved, store: salvage.storeID, uuid: uuid,
            zone: salvage.zone)
        let file = try SegmentWriter(target, after: commit, threads: 1)
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

    /// Creates the catalog under a temporary name, completes it durably, and renames it.
    ///
    /// - Parameter work: completes the store before the rename; `open` opens it for writing.
    func finish(
        tail: [TailRow], deletions: CatalogDeletions, _ extra: ((CatalogTransaction) throws -> Void)?,
        completing work: (_ open: () throws(StoreError) -> TimeSeriesStore) throws(StoreError) -> Void
    ) throws(StoreError) {
        let path = layout.catalogDraft
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
            series: SeriesRows(salvage.series.values.sorted { $0.id < $1.id }), segments: segments, tail: tail,
            deletions: deletions, history: past)
        let (vfs, keys) = (options.catalogVFS, options.keys?.pages)
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.create(
                at: path, storeID: image.storeID, homeZone: image.homeZone, formatVersion: version, vfs: vfs,
                keys: keys)
            let catalog = try CatalogDatabase.open(at: path, readOnly: false, vfs: vfs, keys: keys)
            do throws(CatalogError) {
                try catalog.restore(image, extra: extra)
            } catch {
                try? catalog.close()
                throw error
            }
            try catalog.close()
        }
        try draft.finish(store: salvage.storeID, seq: try completed(by: work) ?? seq, options.keys)
    }

    /// Lets a closure complete the draft. Returns the last commit; nil if the closure did not open the draft.
    private func completed(
        by work: (_ open: () throws(StoreError) -> TimeSeriesStore) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        var opened: TimeSeriesStore?
        var own = options
        (own.catalogPath, own.ballastBytes, own.compacts, own.observer) = (layout.catalogDraft, 0, false, nil)
        defer { opened?.close() }
        try work { () throws(StoreError) in
            draft.lendLock()
            let store = try TimeSeriesStore.open(
                StoreLayout(root: layout.root, catalog: own.catalogPath), .readWrite, own)
            opened = store
            return store
        }
        guard let store = opened else { return nil }
        let last = store.snapshot().sequence
        store.close()
        try draft.takeLock()
        let (vfs, keys) = (options.catalogVFS, options.keys?.pages)
        // Closing a store does not report a failed checkpoint, and the catalog is renamed next.
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.open(at: layout.catalogDraft, readOnly: false, vfs: vfs, keys: keys).close()
        }
        return last
    }
}
