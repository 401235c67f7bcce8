// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem

/// Makes the new store of a repair. It is no store before `finish` gives its catalog the name.
struct RepairWriter {
    private let place: RepairPlace
    private let options: StoreOptions
    private let salvage: StoreSalvage
    private var rows: [SegmentRow] = []
    /// The places in `rows` of segments that had no row before, by the ids that they had.
    private var orphans: [[UInt8]: Int] = [:]
    private(set) var copied = 0
    private(set) var rewritten = 0
    private(set) var lost = 0

    private var layout: StoreLayout { place.layout }
    private var disk: any Disk { options.disk }

    /// Makes the directory, or takes one that is empty or has what an interrupted repair left.
    init(_ path: String, _ options: StoreOptions, _ salvage: StoreSalvage) throws(StoreError) {
        place = try RepairPlace(path, options.disk)
        self.options = options
        self.salvage = salvage
    }

    /// After a failure: what was made goes, unless the catalog has its name.
    func abandon() { place.abandon() }

    // MARK: Segments

    /// Takes over what is sound of a segment: the whole file, or its sound blocks in a new one.
    mutating func add(_ segment: SegmentSalvage) throws(StoreError) {
        var row: SegmentRow
        if segment.isSound, let footer = segment.footer {
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
    ///
    /// - Parameter work: works on the store that is there but for its names, which `open` opens for writing.
    func finish(
        tail: [TailRow], deletions: CatalogDeletions, _ extra: ((CatalogTransaction) throws -> Void)?,
        completing work: (_ open: () throws(StoreError) -> TimeSeriesStore) throws(StoreError) -> Void
    ) throws(StoreError) {
        let draft = layout.catalogDraft
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
        try place.finish(store: salvage.storeID, seq: try completed(by: work) ?? seq)
    }

    /// Has somebody work on the draft; the last commit then, nil if nobody opened it.
    private func completed(
        by work: (_ open: () throws(StoreError) -> TimeSeriesStore) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        var opened: TimeSeriesStore?
        var own = options
        (own.catalogPath, own.ballastBytes, own.compacts, own.observer) = (layout.catalogDraft, 0, false, nil)
        defer { opened?.close() }
        try work { () throws(StoreError) in
            place.lendLock()
            let store = try TimeSeriesStore.open(at: layout.root, options: own)
            opened = store
            return store
        }
        guard let store = opened else { return nil }
        let last = store.snapshot().sequence
        store.close()
        try place.takeLock()
        let vfs = options.catalogVFS
        // Closing a store tells nobody what it could not bring from the log into the catalog, which is to be renamed.
        try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.open(at: layout.catalogDraft, readOnly: false, vfs: vfs).close()
        }
        return last
    }
}
