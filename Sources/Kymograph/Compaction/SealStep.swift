// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization

/// One sealing of the tail: moves samples of one version of the tail into segments. Invisible before a commit.
struct SealStep {
    /// Bytes of the tail above which all series are sealed.
    private static let largeTail = 16 << 20

    private let context: StoreContext
    /// The version at the beginning of the step.
    private let version: Version
    /// The series that are sealed.
    private let due: Set<Int64>
    private let bytes: Int
    /// The segment writers; only the last one may be open.
    private var files: [SegmentWriter] = []
    /// The finished segments.
    private(set) var rows = [SegmentRow]()
    /// Samples in the segments.
    private(set) var samples = 0
    /// The samples that stay in the tail, as one small row.
    private(set) var kept = [(series: Int64, rows: SampleRows)]()
    /// Deleted samples that were left out, by series and tombstone.
    private(set) var removed = [Int64: [Int64: Int64]]()
    var samplesRemoved: Int { removed.values.reduce(0) { $0 + Int($1.values.reduce(0, +)) } }
    /// The newest commit whose deleted samples were left out.
    private(set) var horizon: Int64 = 0

    init(_ context: StoreContext, _ version: Version, everything: Bool) {
        self.context = context
        self.version = version
        bytes = version.tailBlocks.reduce(0) { $0 + $1.length }
        let isLarge = bytes > Self.largeTail
        let enough = everything || isLarge ? 1 : Swift.max(1, context.options.sealSamples / 8)
        due = Set(version.tailSamples.filter { $0.value >= enough }.keys)
    }

    /// The rows of the tail that the step replaces.
    var tail: [Int64] { version.tailRows }
    /// The commit whose samples the step moves.
    var sequence: Int64 { version.seq }

    /// Writes the segments, and syncs them and their directory. After an error, or if they are not committed, call
    /// `abandon`.
    mutating func run() throws(StoreError) {
        if tail.isEmpty { return }
        try context.requireRoom(UInt64(bytes) / 2 + 65_536, reserve: 0, for: "sealing")
        let scratch = QueryScratch(nil)
        for series in version.tailSamples.keys.sorted() {
            var rows = try samples(of: series, version, scratch)
            if rows.count == 0 { continue }
            // Samples that an earlier sealing kept lie in a younger row than samples appended during that sealing.
            rows.sortByCommit()
            if due.contains(series) {
                samples += rows.count
                try append(RunPart(rows, series: series))
            } else {
                kept.append((series, rows))
            }
        }
        if let file = files.last { rows.append(try complete(file)) }
    }

    private mutating func append(_ part: RunPart) throws(StoreError) {
        if let full = files.last, !full.last.canTake(part) { rows.append(try complete(full)) }
        if files.count == rows.count { files.append(try context.newSegment(threads: 1, after: version.seq)) }
        try files.last?.append([part])
    }

    /// Applies deletions that were committed during the step. The segments are as old as the version, so that those
    /// deletions hide their samples. The row of kept samples is younger than the deletions, so it must not hold hidden
    /// samples.
    mutating func keepUp(with now: Version) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for i in kept.indices {
            let series = kept[i].series
            guard now.tombstones[series]?.all.contains(where: { $0.born > sequence }) ?? false else { continue }
            removed[series] = nil
            kept[i].rows = try samples(of: series, now, scratch)
            kept[i].rows.sortByCommit()
        }
        kept.removeAll { $0.rows.count == 0 }
    }

    /// Finishes a segment, and syncs it and its directory.
    private func complete(_ segment: SegmentWriter) throws(StoreError) -> SegmentRow {
        let row = try segment.finish()
        let (disk, segments) = (context.disk, context.layout.segments)
        try onDisk { () throws(DiskError) in try disk.syncDirectory(segments) }
        context.telemetry.syncs.add(2, ordering: .relaxed)
        return row
    }

    /// Removes the new files.
    func abandon() {
        for file in files { file.abandon() }
    }

    /// Returns the samples of a series in the step's rows of the tail, without samples that a version hides.
    private mutating func samples(
        of series: Int64, _ version: Version, _ scratch: QueryScratch
    ) throws(StoreError) -> SampleRows {
        var rows = SampleRows()
        var counter = version.tombstones[series].map { TombstoneCounter($0) }
        for case .tail(let block) in version.runs[series] where block.seq <= sequence {
            try scratch.load(block, .all)
            // A row of the tail is born with its commit; in a segment each sample needs the commit's number.
            if case .absent = scratch.block.born { scratch.block.born = .constant(block.seq) }
            counter?.take(scratch.block, born: block.seq)
            if scratch.block.count > 0 { rows.append(scratch.block) }
        }
        if let counter, !counter.counts.isEmpty {
            removed[series] = counter.counts
            horizon = Swift.max(horizon, counter.newest)
        }
        return rows
    }
}
