// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import CivilTime
import FileSystem

/// What can be read of a store in whatever state it is. Nothing is changed.
///
/// First the catalog is read as far as it can be; then each segment, one at a time, is looked through by
/// `forEachSegment`; `tail` comes last, because it depends on which segments were there.
final class StoreSalvage {
    let layout: StoreLayout
    private let disk: any Disk
    /// The bytes of the longest segment that is read.
    private let most: UInt64
    /// The catalog, for the tables of other layers; nil where SQLite cannot read it at all.
    let catalog: CatalogSalvage?
    let storeID: [UInt8]
    let zone: CivilZone
    /// The last commit that anything knows of.
    private(set) var seq: Int64
    private(set) var report = RepairReport()
    /// By number; those of which only samples are left have made-up names.
    private(set) var series: [Int64: SeriesRow] = [:]
    /// The greatest number of a metadata set that a sample has.
    private(set) var highestMetadata: Int64 = 0
    /// The numbers in the provenance column of all samples, each with a series whose samples have it.
    private(set) var provenances: [Int64: Int64] = [:]

    private let rows: SalvagedCatalog
    /// What was deleted, as far as the catalog can still tell.
    var deletions: CatalogDeletions { rows.deletions }
    /// Whether the catalog names all there is, and says all that it has to say.
    private let isWhole: Bool
    /// The segments to look through, with the catalog's rows where there are any.
    private var segments: [(uuid: [UInt8], row: SegmentRow?)]
    /// Identities of the tail's samples, where segments that no row names may hold them as well.
    private var tailIdentities: Set<SampleMark> = []
    private var metIdentities: Set<SampleMark> = []

    init(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        self.layout = layout
        disk = options.disk
        most = SegmentSalvage.bound(options)
        let disk = self.disk
        let names: [String]
        do throws(DiskError) {
            var kind = try disk.kind(of: layout.root)
            // What a link leads to counts.
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
        try RepairPlace.refuseUnfinished(layout, disk)
        try RestoreDraft.refuse(layout, disk)
        var report = RepairReport()
        (catalog, rows) = try Self.readCatalog(layout, options, &report)
        let files = names.compactMap { StoreLayout.uuid(ofFile: $0) }
        for path in [layout.witness] + files.map(layout.segment) { try Self.requireReadable(path, disk) }
        guard catalog != nil || !files.isEmpty || Self.wasStore(layout, disk) else {
            throw StoreError(.notAStore, "there is no catalog, no witness and no segment", path: layout.root)
        }
        storeID = Self.identify(rows, files, layout, disk, &report)
        let zone = rows.meta.flatMap { CivilZone(identifier: $0.zone) }
        if zone == nil { report.remarks.append("the home zone is lost; \(options.homeZone) was taken") }
        self.zone = zone ?? CivilZone(identifier: options.homeZone) ?? .utc
        for row in rows.series where SeriesKind(rawValue: row.kind) != nil { series[row.id] = row }
        let isRolledBack = Self.witness(layout, disk, storeID, rows, &report)
        let named = Set(rows.segments.map(\.uuid))
        let orphans = files.filter { !named.contains($0) }
        let isOld = Self.isOld(layout, disk, storeID, rows, orphans, isRolledBack, &report)
        // A sound catalog names all there is. Files that it does not name were never committed.
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
        if case .commit(let known, _)? = Self.testimony(layout, disk, storeID) { seq = max(seq, known) }
        self.report = report
        if isPartial, !orphans.isEmpty {
            noteTailIdentities()
            try leaveOutReplaced()
        }
    }

    /// Leaves out segments that merges have replaced, of which no row says so any more.
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

    // MARK: The catalog

    private static let deletionTables: Set = ["tombstone", "retention"]
    private static let historyTables: Set = ["horizon", "epoch", "feed_horizon"]

    private static func readCatalog(
        _ layout: StoreLayout, _ options: StoreOptions, _ report: inout RepairReport
    ) throws(StoreError) -> (CatalogSalvage?, SalvagedCatalog) {
        let isDenied = try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.isDenied(at: layout.catalog, vfs: options.catalogVFS)
        }
        if isDenied { throw StoreError(DiskError("open", layout.catalog, DiskError.denied)) }
        let salvage: CatalogSalvage
        do throws(CatalogError) {
            salvage = try CatalogSalvage(at: layout.catalog, vfs: options.catalogVFS)
        } catch {
            if case .newerFormat = error.kind { throw StoreError(error) }
            // What cannot be read at the moment is not lost.
            if error.isRefusal { throw StoreError(error) }
            report.lose(
                layout.catalog,
                "the catalog cannot be read (\(error.message)): the names of all series, the tail, "
                    + "deletions and everything that is no sample")
            return (nil, SalvagedCatalog())
        }
        if salvage.hasLogCopy {
            report.lose(
                layout.catalog + "-wal",
                "a copy of the log lies beside it, which a writer makes before it writes the log again, and has what "
                    + "the log lacks; open the store for writing once, which brings it back")
        }
        if salvage.isOlderThanLog {
            report.lose(
                layout.catalog,
                "the file is older than the write-ahead log beside it, so an earlier copy was put in its place: what "
                    + "the log holds, and what was committed before it and after the copy, is lost, but for segments")
        }
        let rows = salvage.engineRows()
        if let problem = salvage.problem {
            report.remarks.append("the catalog cannot be opened (\(problem.message)); it was read page by page")
        }
        if rows.meta == nil {
            report.remarks.append("the catalog's own row is lost; the store's id is what its other files tell")
        }
        for gap in rows.gaps where deletionTables.contains(gap.table) {
            report.lose(
                layout.catalog,
                "the rows of \(gap.text) are lost: \(gap.message); samples that were deleted may be there again")
            report.losses[report.losses.count - 1].concernsSamples = false
        }
        let otherTables = deletionTables.union(historyTables).union(["meta", "segment"])
        for gap in rows.gaps where !otherTables.contains(gap.table) {
            if gap.table == "tail" {
                report.loseTail(gap, of: rows, seq: lastCommit(rows, layout, options.disk), layout.catalog)
                continue
            }
            report.lose(layout.catalog, "names of the rows of \(gap.text) are lost: \(gap.message)")
            report.losses[report.losses.count - 1].concernsSamples = false
        }
        for gap in rows.gaps where historyTables.contains(gap.table) {
            report.remarks.append(
                "the rows of \(gap.text) are lost (\(gap.message)); the new store cannot be looked at as of before")
        }
        for gap in rows.gaps where gap.table == "segment" {
            report.remarks.append(
                "rows of \(gap.text) are lost (\(gap.message)); the files themselves were looked through")
        }
        return (salvage, rows)
    }

    /// The last commit that the catalog or the witness knows of.
    private static func lastCommit(_ rows: SalvagedCatalog, _ layout: StoreLayout, _ disk: any Disk) -> Int64 {
        let known = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        guard let store = rows.meta?.store, case .commit(let seq, _)? = testimony(layout, disk, store) else {
            return known
        }
        return max(known, seq)
    }

    /// Whether there are traces of a store, of which nothing else may be left.
    private static func wasStore(_ layout: StoreLayout, _ disk: any Disk) -> Bool {
        let traces = [layout.catalog, layout.witness].map { (try? disk.exists($0)) ?? true }
        return traces.contains(true)
    }

    /// The store's id: what most of its parts say.
    private static func identify(
        _ rows: SalvagedCatalog, _ files: [[UInt8]], _ layout: StoreLayout, _ disk: any Disk,
        _ report: inout RepairReport
    ) -> [UInt8] {
        var votes: [[UInt8]: Int] = [:]
        for uuid in files {
            guard let header = SegmentHeader.read(layout.segment(uuid), disk), header.segment == uuid else { continue }
            votes[header.store, default: 0] += 1
        }
        if let store = rows.meta?.store {
            // One word against nobody's, or as good as another.
            if votes.isEmpty || votes[store] != nil { return store }
            report.remarks.append("the catalog's id of the store is damaged; the segments tell it")
        }
        let witness = rows.meta == nil ? (try? Witness.read(layout.witness, disk: disk))?.store : nil
        if let witness, votes.isEmpty || votes[witness] != nil { return witness }
        // Of as many votes the lesser id, so that each repair finds the same one.
        let most = votes.max { a, b in
            a.value != b.value ? a.value < b.value : b.key.lexicographicallyPrecedes(a.key)
        }
        return most?.key ?? rows.meta?.store ?? [UInt8](repeating: 0, count: SegmentFormat.idBytes)
    }

    private static func testimony(_ layout: StoreLayout, _ disk: any Disk, _ store: [UInt8]) -> Witness.Testimony? {
        let said = (try? Witness.read(layout.witness, disk: disk))?.testimony(for: store)
        // A number that no store reaches was written by nobody who commits.
        if case .commit(let seq, _)? = said, seq > SegmentSalvage.mostNumber { return .unreadable }
        return said
    }

    /// Whether the witness knows commits that the catalog does not.
    private static func witness(
        _ layout: StoreLayout, _ disk: any Disk, _ store: [UInt8], _ rows: SalvagedCatalog,
        _ report: inout RepairReport
    ) -> Bool {
        let last = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        switch testimony(layout, disk, store) {
        case .commit(let seq, _)? where seq > last:
            if rows.meta == nil { return true }
            report.lose(
                layout.catalog,
                "commits \(last + 1) to \(seq) were acknowledged, and the catalog does not know them: what they held "
                    + "is lost, but for segments; of which series and of what times it was is unknown")
            return true
        case .unreadable?, nil: report.remarks.append("the witness cannot be read; a repair makes a new one")
        default: break
        }
        return false
    }

    /// Whether a file that no row names was begun after a later commit than the catalog's last.
    private static func isOld(
        _ layout: StoreLayout, _ disk: any Disk, _ store: [UInt8], _ rows: SalvagedCatalog, _ orphans: [[UInt8]],
        _ isTold: Bool, _ report: inout RepairReport
    ) -> Bool {
        let mayLackLast = rows.gaps.contains { ["meta", "tail", "segment"].contains($0.table) }
        guard rows.meta != nil, !mayLackLast else { return false }
        let last = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        let later = orphans.filter { SegmentHeader.isLater(layout.segment($0), than: last, of: store, disk) }
        if later.isEmpty { return false }
        if !isTold {
            report.lose(
                layout.catalog,
                "the catalog knows no commit after \(last), but \(later.count) segments were begun after later ones: "
                    + "it is an older one, and what was committed since is lost, but for segments")
        }
        return true
    }

    // MARK: Segments

    /// Looks through the segments, one after the other, so that only one is in memory.
    func forEachSegment(_ body: (SegmentSalvage) throws(StoreError) -> Void) throws(StoreError) {
        var missing = LostSampleFinder(rows)
        for (uuid, row) in segments {
            try Self.requireReadable(layout.segment(uuid), disk)
            let salvage = salvaged(uuid, row)
            if row == nil {
                if salvage.blocks == 0, salvage.header == nil, salvage.refusal == nil {
                    report.remarks.append("\(salvage.path) is named by no row and holds nothing of this store")
                    continue
                }
                let what = salvage.refusal == nil ? "it was taken in" : "it was left out"
                report.remarks.append("\(salvage.path) is named by no row that is left; \(what)")
                try meet(salvage)
                // Those without a row come last.
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
        SegmentSalvage(path: layout.segment(uuid), uuid: uuid, store: storeID, row: row, disk: disk, most: most)
    }

    /// Refuses a file that is there and cannot be read for a reason that is no damage: it is not lost.
    @inline(never)  // so that a stack names the call
    private static func requireReadable(_ path: String, _ disk: any Disk) throws(StoreError) {
        do throws(DiskError) {
            try disk.open(path, writable: false).close()
        } catch {
            if error.isMissing || error.isWrongKind || error.isDamage { return }
            throw StoreError(error)
        }
    }

    /// A segment of which no row is left, once more; nothing is reported.
    func again(_ uuid: [UInt8]) -> SegmentSalvage { salvaged(uuid, nil) }

    /// Whether nothing was lost, as far as everything was looked through.
    var isComplete: Bool { report.isComplete }

    func remark(_ text: String) { report.remarks.append(text) }

    /// Remembers which samples of the tail are in a segment, too: one that sealed them, by a commit that was lost.
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

    /// The rows of the tail with their sound blocks, but for samples that segments were found to hold. To be called
    /// once, after `forEachSegment`.
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

    /// Makes sure that a series has a row.
    private func name(_ id: Int64) {
        if series[id] != nil { return }
        series[id] = SeriesRow(id: id, name: "lost-name-\(id)", kind: SeriesKind.discrete.rawValue)
        if catalog == nil { return }
        report.lose(
            layout.catalog, series: id,
            "the name, the labels and the kind of series \(id), which is called "
                + "lost-name-\(id) now")
        report.losses[report.losses.count - 1].concernsSamples = false
    }

    /// Notes that a deletion cannot be read any more.
    func lose(_ tombstone: TombstoneRow, _ message: String) {
        report.lose(
            layout.catalog, series: tombstone.series, in: TimeRange(tombstone.start, tombstone.end),
            "the deletion of commit \(tombstone.born) is lost, and what it deleted may be there again: \(message)")
        report.losses[report.losses.count - 1].concernsSamples = false
    }

    /// How far back the new store can be looked at, and the epoch that begins with it; after everything was looked
    /// through. Where anything is lost, nothing that was told of the old store holds for the new one.
    func past(_ seq: Int64) throws(StoreError) -> CatalogHistory {
        let number = try CommitHistory.newEpoch()
        let horizon = rows.history.horizon ?? rows.deletions.tombstones.map(\.born).max() ?? 0
        let starts = rows.history.epochs.map(\.start) + [seq]
        let told = rows.history.feedHorizons
        guard isWhole, report.losses.isEmpty, horizon <= seq, starts == starts.sorted(),
            told.values.allSatisfy({ $0 <= seq })
        else {
            report.remarks.append("the new store's past and its anchors begin with commit \(seq)")
            return CatalogHistory(horizon: seq, epochs: [EpochRow(number: number, start: 0)])
        }
        let epochs = rows.history.epochs + [EpochRow(number: number, start: seq)]
        return CatalogHistory(horizon: horizon, epochs: epochs, feedHorizons: told)
    }

    /// What was found, with the names of series; after everything was looked through.
    func finish() -> RepairReport {
        var result = report
        for i in result.losses.indices {
            result.losses[i].seriesName = result.losses[i].series.flatMap { series[$0.rawValue]?.name }
        }
        catalog?.close()
        return result
    }
}

extension StoreLayout {
    /// The id of a segment by its file's name; nil for other files.
    static func uuid(ofFile name: String) -> [UInt8]? {
        guard name.hasSuffix(".kseg") else { return nil }
        let digits = name.dropLast(5).filter { $0 != "-" }
        guard digits.utf8.count == 32 else { return nil }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return Self.name(bytes) + ".kseg" == name ? bytes : nil
    }
}
