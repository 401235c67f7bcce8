// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import CivilTime
import FileSystem

/// The readable content of a store in any state. The store is not changed.
///
/// - Ordering: `init` reads the catalog as far as possible, then `forEachSegment` reads the segments one by one, then
///   `tail` reads the tail, which depends on the segments found.
final class StoreSalvage {
    let layout: StoreLayout
    let access: FileAccess
    private var disk: any Disk { access.disk }
    /// The keys of an encrypted store.
    var keys: StoreKeys? { access.keys }
    /// The maximum size of a segment file, in bytes; longer files are not read.
    private let most: UInt64
    /// The catalog, for the tables of other layers; nil if SQLite cannot read it at all.
    let catalog: CatalogSalvage?
    let storeID: [UInt8]
    let zone: CivilZone
    /// The last commit known from any source.
    private(set) var seq: Int64
    private(set) var report = RepairReport()
    /// By number. Series known only from their samples have placeholder names.
    private(set) var series: [Int64: SeriesRow] = [:]
    /// The greatest metadata number of a sample.
    private(set) var highestMetadata: Int64 = 0
    /// The numbers in the provenance column of all samples, each with a series that uses it.
    private(set) var provenances: [Int64: Int64] = [:]

    private let rows: SalvagedCatalog
    /// The deletions, as far as they are readable.
    var deletions: CatalogDeletions { rows.deletions }
    /// Whether the catalog is complete and names all segments.
    private let isWhole: Bool
    /// The segments to read, with the catalog's rows if there are any.
    private var segments: [(uuid: [UInt8], row: SegmentRow?)]
    /// Identities of the tail's samples, collected if segments without a catalog row may hold the same samples.
    private var tailIdentities: Set<SampleMark> = []
    private var metIdentities: Set<SampleMark> = []

    init(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        self.layout = layout
        access = FileAccess(options)
        most = SegmentSalvage.bound(options)
        let disk = options.disk
        let names: [String]
        do throws(DiskError) {
            var kind = try disk.kind(of: layout.root)
            // The target of a symbolic link counts.
            if kind == .symbolicLink { kind = try disk.kind(of: layout.root + "/.") }
            guard kind == .directory else {
                throw DiskError("open", layout.root, DiskError.missing, "there is no directory")
            }
            names = try disk.kind(of: layout.segments) == .directory ? disk.list(layout.segments) : []
        } catch {
            // A path that cannot be examined may exist, so the error is thrown.
            if !error.isMissing, !error.isWrongKind { throw StoreError(error) }
            throw StoreError(.notAStore, "there is no store here: \(error.message)", path: layout.root)
        }
        try DraftDirectory.refuse(layout.root, disk)
        var report = RepairReport()
        (catalog, rows) = try Self.readCatalog(layout, options, &report)
        let files = names.compactMap { StoreLayout.uuid(ofFile: $0) }
        for path in [layout.witness] + files.map(layout.segment) { try Self.requireReadable(path, disk) }
        guard catalog != nil || !files.isEmpty || Self.wasStore(layout, disk) else {
            throw StoreError(.notAStore, "there is no catalog, no witness and no segment", path: layout.root)
        }
        storeID = Self.identify(rows, files, layout, options, &report)
        let zone = rows.meta.flatMap { CivilZone(identifier: $0.zone) }
        if zone == nil { report.remarks.append("the home zone is lost; \(options.homeZone) is used instead") }
        self.zone = zone ?? CivilZone(identifier: options.homeZone) ?? .utc
        for row in rows.series where SeriesKind(rawValue: row.kind) != nil { series[row.id] = row }
        let isRolledBack = Self.witness(layout, options, storeID, rows, &report)
        let named = Set(rows.segments.map(\.uuid))
        let orphans = files.filter { !named.contains($0) }
        let last = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        let store = storeID
        let later = orphans.count { SegmentHeader.isLater(layout.segment($0), than: last, of: store, disk) }
        let isOld = Self.isOld(rows, last, later, isReported: isRolledBack, layout.catalog, &report)
        // An intact catalog names all segments; other files were never committed.
        let isPartial =
            catalog?.isOlderThanLog ?? true || rows.meta == nil || isRolledBack || isOld
            || rows.gaps.contains { $0.table == "segment" }
        isWhole = !isPartial && rows.gaps.isEmpty
        segments =
            rows.segments.filter { $0.died == nil }.map { ($0.uuid, $0) }
            + (isPartial ? orphans.map { ($0, nil) } : [])
        if !isPartial, !orphans.isEmpty {
            report.remarks.append("\(orphans.count) files that were never committed are left out")
        }
        seq = max(
            rows.deletions.tombstones.map(\.born).max() ?? 0,
            rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0, rows.segments.map(\.born).max() ?? 0)
        if case .commit(let known, _)? = Self.testimony(layout, options, storeID) { seq = max(seq, known) }
        self.report = report
        if isPartial, !orphans.isEmpty {
            noteTailIdentities()
            try leaveOutReplaced()
        }
    }

    /// Leaves out segments that merges have replaced, if the rows that recorded this are lost.
    private func leaveOutReplaced() throws(StoreError) {
        var replaced = SupersededSegmentFinder()
        for (uuid, row) in segments { try replaced.add(salvaged(uuid, row)) }
        for (place, segment) in segments.enumerated() {
            try replaced.look(salvaged(segment.uuid, segment.row), at: place)
        }
        let found = replaced.found
        segments.removeAll { found[$0.uuid] != nil }
        for (old, new) in found.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            report.remarks.append("\(layout.segment(old)) was left out: \(layout.segment(new)) replaced it")
        }
    }

    // MARK: Segments

    /// Reads the segments one by one, so that only one is in memory.
    func forEachSegment(_ body: (SegmentSalvage) throws(StoreError) -> Void) throws(StoreError) {
        var missing = LostSampleFinder(rows)
        for (uuid, row) in segments {
            try Self.requireReadable(layout.segment(uuid), disk)
            let salvage = salvaged(uuid, row)
            if row == nil {
                if salvage.blocks == 0, salvage.header == nil, salvage.refusal == nil {
                    report.remarks.append("\(salvage.path) has no catalog row and holds no data of this store")
                    continue
                }
                let what = salvage.refusal == nil ? "it was included" : "it was left out"
                report.remarks.append("\(salvage.path) has no catalog row; \(what)")
                try meet(salvage)
                // Segments without a row come last.
                try missing.look(salvage)
            }
            missing.note(salvage, losses: report.losses.count)
            report.losses += salvage.report.losses
            report.remarks += salvage.report.remarks
            report.blocks += salvage.blocks
            report.samples += salvage.samples
            highestMetadata = max(highestMetadata, salvage.highestMetadata)
            provenances.merge(salvage.provenances) { $1 }
            seq = max(seq, salvage.commit)
            for id in salvage.found.keys { name(id) }
            try body(salvage)
        }
        missing.settle(&report)
    }

    private func salvaged(_ uuid: [UInt8], _ row: SegmentRow?) -> SegmentSalvage {
        SegmentSalvage(path: layout.segment(uuid), uuid: uuid, store: storeID, row: row, access, most: most)
    }

    /// Throws if an existing file cannot be read for a reason other than damage; its data is not lost.
    @inline(never)  // tests identify call sites from the stack
    private static func requireReadable(_ path: String, _ disk: any Disk) throws(StoreError) {
        do throws(DiskError) {
            try disk.open(path, writable: false).close()
        } catch {
            if error.isMissing || error.isWrongKind || error.isDamage { return }
            throw StoreError(error)
        }
    }

    /// Reads a segment without a catalog row again; reports nothing.
    func again(_ uuid: [UInt8]) -> SegmentSalvage { salvaged(uuid, nil) }

    /// Returns the attached files to copy: those of live rows, and all others if rows are lost.
    ///
    /// - Parameter names: the names in the directory of the attached files.
    func attachedFiles(_ names: [String], _ files: AttachedFiles) throws(StoreError) -> [AttachedFileRow] {
        var found = rows.attachedFiles.filter { $0.died == nil }
        let known = Set(rows.attachedFiles.map(\.uuid))
        for uuid in names.compactMap({ StoreLayout.uuid(ofAttached: $0) }) where !known.contains(uuid) {
            let path = layout.attachedFile(uuid)
            if isWhole {
                report.remarks.append("\(path) was never committed and is left out")
            } else if let row = try files.row(ofFile: uuid) {
                found.append(row)
            }
        }
        return found
    }

    /// Records a damaged or missing attached file.
    func loseFile(_ path: String, _ error: StoreError) {
        report.lose(path, at: error.offset, error.message)
        report.losses[report.losses.count - 1].concernsSamples = false
    }

    /// Whether no loss is known so far.
    var isComplete: Bool { report.isComplete }

    func remark(_ text: String) { report.remarks.append(text) }

    /// Records samples that are both in the tail and in a segment: a lost commit sealed them.
    private func meet(_ salvage: SegmentSalvage) throws(StoreError) {
        if tailIdentities.isEmpty { return }
        try salvage.forEachBlock { series, block in
            if case .absent = block.identityHigh { return }
            for row in 0..<block.count {
                let one = SampleMark(series, block, row)
                if self.tailIdentities.contains(one) { self.metIdentities.insert(one) }
            }
        }
    }

    private func noteTailIdentities() {
        let buffer = BlockBuffer()
        for row in rows.tail {
            var codec = TailCodec(store: storeID)
            for block in (try? codec.decode(row.body, seq: row.seq)) ?? [] {
                var decoder = BlockDecoder()
                let isRead: Void? = try? decoder.decode(
                    block.bytes, at: 0, length: block.length, identity: block.identity,
                    columns: [.starts, .identity], into: buffer)
                guard isRead != nil else { continue }
                for row in 0..<buffer.count { tailIdentities.insert(SampleMark(block.series, buffer, row)) }
            }
        }
    }

    // MARK: The tail

    /// Returns the rows of the tail with their intact blocks, without samples found in segments.
    /// - Ordering: once, after `forEachSegment`.
    func tail() -> [TailRow] {
        var kept: [TailRow] = []
        for row in rows.tail {
            let salvage = TailSalvage(row, store: storeID, path: layout.catalog, leavingOut: metIdentities)
            report.losses += salvage.losses
            report.blocks += salvage.blocks
            report.samples += salvage.samples
            highestMetadata = max(highestMetadata, salvage.highestMetadata)
            provenances.merge(salvage.provenances) { $1 }
            for id in salvage.series { name(id) }
            if let row = salvage.row { kept.append(row) }
        }
        report.tailRows = kept.count
        return kept
    }

    /// Ensures that a series has a row.
    private func name(_ id: Int64) {
        if series[id] != nil { return }
        series[id] = SeriesRow(id: id, name: "lost-name-\(id)", kind: SeriesKind.discrete.rawValue)
        if catalog == nil { return }
        report.lose(
            layout.catalog, series: id,
            "the name, the labels and the kind of series \(id) are lost; its new name is "
                + "lost-name-\(id)")
        report.losses[report.losses.count - 1].concernsSamples = false
    }

    /// Records that a deletion is unreadable.
    func lose(_ tombstone: TombstoneRow, _ message: String) {
        report.lose(
            layout.catalog, series: tombstone.series, in: TimeRange(tombstone.start, tombstone.end),
            "the deletion of commit \(tombstone.born) is lost, and its samples may be visible again: \(message)")
        report.losses[report.losses.count - 1].concernsSamples = false
    }

    /// Returns the history of the new store, with a new epoch. After any loss, the history begins with the last commit,
    /// and older anchors are invalid.
    /// - Ordering: after all segments and the tail are read.
    func past(_ seq: Int64) throws(StoreError) -> CatalogHistory {
        let number = try CommitHistory.newEpoch()
        let horizon = rows.history.horizon ?? rows.deletions.tombstones.map(\.born).max() ?? 0
        let starts = rows.history.epochs.map(\.start) + [seq]
        let horizons = rows.history.feedHorizons
        guard isWhole, report.losses.isEmpty, horizon <= seq, starts == starts.sorted(),
            horizons.values.allSatisfy({ $0 <= seq })
        else {
            report.remarks.append("the history and the anchors of the new store begin with commit \(seq)")
            return CatalogHistory(horizon: seq, epochs: [EpochRow(number: number, start: 0)])
        }
        let epochs = rows.history.epochs + [EpochRow(number: number, start: seq)]
        return CatalogHistory(horizon: horizon, epochs: epochs, feedHorizons: horizons)
    }

    /// Returns the findings with the names of series.
    /// - Ordering: after all segments and the tail are read.
    func finish() -> RepairReport {
        var result = report
        for i in result.losses.indices {
            result.losses[i].seriesName = result.losses[i].series.flatMap { series[$0.rawValue]?.name }
        }
        catalog?.close()
        return result
    }
}
