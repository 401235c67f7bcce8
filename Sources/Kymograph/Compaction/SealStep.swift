// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization

/// The samples of the tail of one version on their way into a segment. Nothing of it is visible before a commit.
struct SealStep {
    /// Bytes of the tail above which everything in it is sealed.
    private static let largeTail = 16 << 20

    private let context: StoreContext
    /// What it was begun with.
    private let version: Version
    /// The series that go into the segment.
    private let due: Set<Int64>
    private let bytes: Int
    /// The last one is open.
    private var files: [SegmentWriter] = []
    /// What was written.
    private(set) var rows = [SegmentRow]()
    /// Samples in it.
    private(set) var samples = 0
    /// What stays in the tail, as one row, which has to be small.
    private(set) var kept = [(series: Int64, rows: SampleRows)]()
    /// Samples that were left out because they are deleted: by series, and by the tombstone's id.
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

    /// The rows of the tail that it takes.
    var tail: [Int64] { version.tailRows }
    /// The commit whose samples it moves.
    var sequence: Int64 { version.seq }

    /// Writes the segment and makes it durable, with its name. If it throws, or what was written is not committed,
    /// `abandon`.
    mutating func run() throws(StoreError) {
        if tail.isEmpty { return }
        try context.requireRoom(UInt64(bytes) / 2 + 65_536, reserve: 0, for: "sealing")
        let scratch = QueryScratch(nil)
        for series in version.tailSamples.keys.sorted() {
            var rows = try samples(of: series, version, scratch)
            if rows.count == 0 { continue }
            // What stayed in the tail when it was sealed before has a younger row than what came meanwhile.
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

    /// Takes deletions that came meanwhile into account. The segment is as old as the version, so that they hide its
    /// samples; the row of what is kept is younger than they are, and must not hold what they hide.
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

    /// Finishes a segment and makes it durable, with its name.
    private func complete(_ segment: SegmentWriter) throws(StoreError) -> SegmentRow {
        let row = try segment.finish()
        let (disk, segments) = (context.disk, context.layout.segments)
        try onDisk { () throws(DiskError) in try disk.syncDirectory(segments) }
        context.telemetry.syncs.add(2, ordering: .relaxed)
        return row
    }

    /// Removes the files that were written.
    func abandon() {
        for file in files { file.abandon() }
    }

    /// The samples of a series in the rows of the tail that it takes, without those that a version hides.
    private mutating func samples(
        of series: Int64, _ version: Version, _ scratch: QueryScratch
    ) throws(StoreError) -> SampleRows {
        var rows = SampleRows()
        var counter = version.tombstones[series].map { TombstoneCounter($0) }
        for case .tail(let block) in version.runs[series] where block.seq <= sequence {
            try scratch.load(block, .all)
            // A row of the tail was born with its commit; here that has to be written down.
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
