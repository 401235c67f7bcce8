// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Kernels
import Synchronization

/// One merge of segments: reads segments of one version, and writes their remaining samples into new files. The files
/// are invisible until a commit names them.
///
/// Samples that were deleted up to that version are left out; later deletions also hide samples of the new files.
struct CompactionStep {
    /// Samples that are passed to the segment writer at once.
    private static let portion = 65_536

    private let context: StoreContext
    private let inputs: [SegmentFile]
    /// The version to read, with only the inputs as segments.
    private let source: Snapshot
    /// Deleted samples that were left out, by series and tombstone.
    private(set) var removed: [Int64: [Int64: Int64]] = [:]
    /// The newest commit whose deleted samples were left out.
    private(set) var horizon: Int64 = 0
    /// Samples that were written.
    private(set) var samples = 0
    /// The new segments, for the commit.
    private(set) var rows: [SegmentRow] = []
    private var writers: [SegmentWriter] = []
    private var pending = SampleRows()
    /// Late samples of the current series, for a segment of their own; nil if late samples are not separated.
    private var late: SampleRows?
    private var lateWriter: SegmentWriter?

    /// - Parameter inputs: segments of the version.
    init(_ context: StoreContext, _ version: Version, _ inputs: [SegmentFile]) {
        self.context = context
        self.inputs = inputs
        let ids = Set(inputs.map(\.row.id))
        var part = Version()
        part.seq = version.seq
        part.series = version.series
        part.tombstones = version.tombstones
        part.runs = version.runs.filter(segments: { ids.contains($0.row.id) }, runs: { _ in false })
        for file in inputs { part.segments[file.row.id] = file }
        source = Snapshot(version: part)
    }

    /// The commit whose samples the step reads.
    var sequence: Int64 { source.sequence }
    var bytesRead: Int64 { inputs.reduce(0) { $0 + $1.row.bytes } }
    var bytesWritten: Int64 { rows.reduce(0) { $0 + $1.bytes } }
    var samplesRemoved: Int { removed.values.reduce(0) { $0 + Int($1.values.reduce(0, +)) } }

    /// A low estimate of the bytes to write: half of the bytes read, times the share of samples that are not deleted.
    private var leastBytesToWrite: UInt64 {
        let all = inputs.reduce(Int64(0)) { $0 + $1.totals.samples }
        let kept = Double(max(0, all - Int64(samplesRemoved))) / Double(max(1, all))
        return UInt64(Double(max(0, bytesRead)) / 2 * kept)
    }

    /// Reads and merges the inputs, writes the new files, and syncs them and their directory. After an error call
    /// `abandon`.
    ///
    /// - Parameter proceed: called regularly; throws to cancel.
    mutating func run(
        _ plan: CompactionPlan, _ proceed: (_ samples: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        try countRemoved(proceed)
        try context.requireRoom(leastBytesToWrite, reserve: 0, for: "compaction")
        for output in try outputs(plan) {
            late = output.isPartition && plan.dividesLate(bytes: bytesRead) ? SampleRows() : nil
            try write(output.ranges, proceed)
        }
        if !rows.isEmpty {
            let directory = context.layout.segments
            try onDisk { () throws(DiskError) in try context.disk.syncDirectory(directory) }
            context.telemetry.syncs.add(rows.count + 1, ordering: .relaxed)
        }
    }

    /// Removes the new files.
    func abandon() {
        for writer in writers { writer.abandon() }
    }

    private var series: [Int64] { source.version.runs.series }

    /// Counts the deleted samples of the inputs by tombstone.
    private mutating func countRemoved(_ proceed: (Int) throws(StoreError) -> Void) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for id in series {
            guard let tombstones = source.version.tombstones[id] else { continue }
            var counter = TombstoneCounter(tombstones)
            for run in source.version.runs[id] {
                try proceed(samples)
                try counter.take(run, scratch)
            }
            if !counter.counts.isEmpty { removed[id] = counter.counts }
            horizon = max(horizon, counter.newest)
        }
    }

    /// Returns the time ranges of each file to write, ascending, and whether the file is one partition of the inputs.
    private func outputs(
        _ plan: CompactionPlan
    ) throws(StoreError) -> [(ranges: [TimeRange], isPartition: Bool)] {
        guard inputs.count > 1, let first = inputs.map(\.totals.firstStart).min(),
            let last = inputs.map(\.totals.lastStart).max(), first <= last
        else {
            return [([.all], false)]
        }
        let partitions = CompactionPartition.of(first)...CompactionPartition.of(last)
        if partitions.count == 1 { return [([.all], true)] }
        let edges = (partitions.lowerBound...partitions.upperBound + 1).map { CompactionPartition.start($0) }
        var samples = [Int: Int]()
        for id in series {
            let counts = try source.buckets(of: SeriesID(rawValue: id), .edges(edges))
            for (i, bucket) in counts.enumerated() where bucket.count > 0 {
                samples[partitions.lowerBound + i, default: 0] += bucket.count
            }
        }
        let own = plan.ownPartitions(samples: samples, bytes: bytesRead)
        var rest = [TimeRange]()
        var from = Int64.min
        for partition in own {
            let range = CompactionPartition.range(partition)
            if from < range.start { rest.append(TimeRange(from, range.start)) }
            from = range.end
        }
        if from < .max { rest.append(TimeRange(from, .max)) }
        return own.map { ([CompactionPartition.range($0)], true) } + [(rest, false)]
    }

    /// Writes the samples that start in the ranges into a file, if there are any.
    private mutating func write(
        _ ranges: [TimeRange], _ proceed: (Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        var writer: SegmentWriter?
        for id in series {
            for range in ranges {
                var wanted = RunScan(range, .all)
                wanted.ordersByCommit = true
                try source.merge([SeriesID(rawValue: id)], wanted) { batch throws(StoreError) in
                    pending.append(batch.block, batch.rows, born: batch.runBorn)
                    if pending.count >= Self.portion { try flush(id, &writer, proceed) }
                    return true
                }
            }
            try flush(id, &writer, proceed)
            try flushLate(id)
        }
        for writer in [writer, lateWriter].compactMap({ $0 }) { rows.append(try writer.finish()) }
        lateWriter = nil
    }

    private mutating func flush(
        _ series: Int64, _ writer: inout SegmentWriter?, _ proceed: (Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        if pending.count == 0 { return }
        var part = SampleRows()
        swap(&part, &pending)
        samples += part.count
        if late != nil, let (inOrder, behind) = Self.divided(part) {
            part = inOrder
            late?.append(behind)
            if late?.count ?? 0 >= Self.portion { try flushLate(series) }
        }
        try append(part, series, &writer)
        try proceed(samples)
    }

    private mutating func flushLate(_ series: Int64) throws(StoreError) {
        guard let part = late, part.count > 0 else { return }
        late = SampleRows()
        var writer = lateWriter
        try append(part, series, &writer)
        lateWriter = writer
    }

    private mutating func append(
        _ part: SampleRows, _ series: Int64, _ writer: inout SegmentWriter?
    ) throws(StoreError) {
        let next = RunPart(part, series: series)
        if let full = writer, !full.last.canTake(next) {
            rows.append(try full.finish())
            writer = nil
        }
        let open: SegmentWriter
        if let known = writer {
            open = known
        } else {
            // Deletions up to the version are applied, and later deletions must hide samples: the file is born with the
            // version.
            open = try context.newSegment(threads: 1, after: sequence - 1)
            writers.append(open)
            writer = open
        }
        try open.append([next])
    }

    /// Divides samples, in time order, into samples that were committed in that order, and samples that were committed
    /// after a later one. Returns nil if no samples are late, or more than a quarter.
    ///
    /// Identities and commits of samples in order count up. A late sample interrupts the count, which costs as many
    /// bytes as the sample itself.
    private static func divided(_ rows: SampleRows) -> (SampleRows, SampleRows)? {
        var (inOrder, behind) = ([Int](), [Int]())
        var least = Int64.max
        for row in rows.starts.indices.reversed() {
            let commit = rows.born.at(row)
            if commit > least { behind.append(row) } else { inOrder.append(row) }
            least = min(least, commit)
        }
        if behind.isEmpty || behind.count > rows.count / 4 { return nil }
        return (rows.rows(inOrder.reversed()), rows.rows(behind.reversed()))
    }
}

extension CompactionPartition {
    static func range(_ partition: Int) -> TimeRange { TimeRange(start(partition), start(partition + 1)) }
}
