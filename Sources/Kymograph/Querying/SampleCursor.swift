// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// A scan that its caller pulls: the samples of some series in order, as many at a time as the caller wants.
///
/// Where no two runs overlap in time, whole blocks can be decoded directly into the caller's memory. A cursor keeps its
/// working memory, opens a run when it reaches it, and holds its snapshot. Used by one thread at a time.
package final class SampleCursor {
    /// Runs that overlap in time, or a single run.
    private typealias Group = [RunMerge.Source]

    private let snapshot: Snapshot
    private let wanted: RunScan
    private let isMerged: Bool
    /// Whether blocks may be decoded directly.
    private let isDirect: Bool
    /// The series that have not begun, the next last.
    private var waiting: [SeriesID]
    /// The groups of the current series, the next last.
    private var groups: [Group] = []
    private var single: SingleRun?
    private var merge: RunMerge?
    private let scratch: QueryScratch
    private let reversed = BlockBuffer()

    /// - Parameters:
    ///   - merged: whether the samples of all series come in one order, and not series by series.
    /// - Throws: `unknownSeries`, `forked`.
    package init(
        _ snapshot: Snapshot, _ ids: [SeriesID], _ wanted: RunScan, merged: Bool = false
    ) throws(StoreError) {
        for id in ids { try snapshot.known(id) }
        self.snapshot = snapshot
        self.wanted = wanted
        isMerged = merged
        let columns = wanted.columns.set
        isDirect = !wanted.isBackward && columns.subtracting([.starts, .values]).isEmpty
        scratch = QueryScratch(wanted.explanation)
        waiting = ids.reversed()
        if wanted.range.isEmpty { waiting = [] }
        if merged {
            groups = try group(ids)
            waiting = []
        }
    }

    /// Returns the next samples, at most `most`, valid until the next call; nil at the end.
    ///
    /// - Throws: `corrupt`, `inputOutput`, `snapshotExpired`.
    package func next(_ most: Int) throws(StoreError) -> SampleBatch? {
        let most = max(1, most)
        while try openNext() {
            if let single {
                guard let batch = try single.next(most, scratch) else {
                    self.single = nil
                    continue
                }
                return turned(batch)
            }
            guard let (cursor, rows) = try merge?.next() else {
                merge = nil
                continue
            }
            let part =
                wanted.isBackward
                ? max(rows.lowerBound, rows.upperBound - most)..<rows.upperBound
                : rows.lowerBound..<min(rows.upperBound, rows.lowerBound + most)
            let batch = SampleBatch(block: cursor.block, rows: part, series: cursor.series, runBorn: cursor.run.born)
            // The rows are copied, since consuming them may decode the next block into their place.
            reversed.fill(batch, backward: wanted.isBackward)
            let copy = SampleBatch(
                block: reversed, rows: 0..<part.count, series: cursor.series, runBorn: cursor.run.born)
            try cursor.consume(part)
            return copy
        }
        return nil
    }

    /// Decodes whole blocks of one series into the caller's memory, as many as fit.
    ///
    /// - Requires: both spans are empty.
    /// - Returns: the series and the number of rows; nil if `next` must provide the next samples.
    /// - Throws: `corrupt`, `inputOutput`, `snapshotExpired`.
    package func decode(
        _ starts: inout OutputSpan<Int64>, _ values: inout OutputSpan<Double>
    ) throws(StoreError) -> (series: SeriesID, rows: Int)? {
        guard isDirect, try openNext(), let single else { return nil }
        let room = min(starts.freeCapacity, values.freeCapacity)
        let pieces = try single.wholeBlocks(room)
        if pieces.isEmpty { return nil }
        let count = pieces.reduce(0) { $0 + $1.count }
        let rows = try SampleSink.fill(count, &starts, &values) { sink throws(StoreError) in
            try ReadPiece.readWhole(pieces[...], sink, 0, scratch, snapshot.version.threads)
        }
        return (single.series, rows)
    }

    /// Opens the next group unless one is open. Returns false at the end.
    private func openNext() throws(StoreError) -> Bool {
        while single == nil, merge == nil {
            guard let next = groups.popLast() else {
                guard let id = waiting.popLast() else { return false }
                groups = try group([id])
                continue
            }
            if next.count == 1 {
                single = try SingleRun(next[0], wanted)
                wanted.explanation?.runs += 1
            } else {
                merge = RunMerge(next, backward: wanted.isBackward) { [wanted] (run, id, mask) throws(StoreError) in
                    try RunCursor(run, id, wanted, hiding: mask)
                }
            }
        }
        return true
    }

    /// Returns the runs of some series with samples in the range: runs that overlap in time together, the next group
    /// last.
    private func group(_ ids: [SeriesID]) throws(StoreError) -> [Group] {
        var found = try snapshot.sources(ids, wanted).enumerated().map { (place: $0, source: $1) }
        found.sort { ($0.source.run.firstStart, $0.place) < ($1.source.run.firstStart, $1.place) }
        var groups = [[(place: Int, source: RunMerge.Source)]]()
        var last = Int64.min
        for one in found {
            if let end = groups.indices.last, one.source.run.firstStart <= last {
                groups[end].append(one)
            } else {
                groups.append([one])
            }
            last = max(last, one.source.run.lastStart)
        }
        // Of equal samples, the sample of the earlier run comes first.
        let ordered = groups.map { group in group.sorted { $0.place < $1.place }.map(\.source) }
        return wanted.isBackward ? ordered : ordered.reversed()
    }

    private func turned(_ batch: SampleBatch) -> SampleBatch {
        if !wanted.isBackward { return batch }
        reversed.fill(reversing: batch)
        return SampleBatch(block: reversed, rows: 0..<batch.count, series: batch.series, runBorn: batch.runBorn)
    }
}

/// The samples of one run that overlaps no other.
private final class SingleRun {
    let series: SeriesID
    private let run: Run
    private let wanted: RunScan
    private let mask: Mask?
    /// The remaining blocks of a segment; nil for a run of the tail.
    private var walk: BlockWalk?
    /// The next block, if it was taken from the walk already.
    private var pending: BlockEntry?
    /// Whether the block of a run of the tail is still to be decoded.
    private var hasBlock = false
    /// The remaining rows of the decoded block.
    private var rows = 0..<0

    init(_ source: RunMerge.Source, _ wanted: RunScan) throws(StoreError) {
        (run, series, mask) = source
        self.wanted = wanted
        switch run {
        case .tail: hasBlock = true
        case .segment(let index):
            walk = try BlockWalk(
                index, startingIn: wanted.range, lastingTo: wanted.instant, hiding: mask, backward: wanted.isBackward,
                wanted.explanation)
        }
    }

    /// Returns the next rows, ascending, at most `most`; nil at the end.
    func next(_ most: Int, _ scratch: QueryScratch) throws(StoreError) -> SampleBatch? {
        while rows.isEmpty { if try !load(scratch) { return nil } }
        let part: Range<Int>
        if wanted.isBackward {
            part = max(rows.lowerBound, rows.upperBound - most)..<rows.upperBound
            rows = rows.lowerBound..<part.lowerBound
        } else {
            part = rows.lowerBound..<min(rows.upperBound, rows.lowerBound + most)
            rows = part.upperBound..<rows.upperBound
        }
        return SampleBatch(block: scratch.block, rows: part, series: series, runBorn: run.born)
    }

    /// Decodes the next block. Returns false at the end.
    private func load(_ scratch: QueryScratch) throws(StoreError) -> Bool {
        let columns = wanted.columns.set.union(.starts)
        switch run {
        case .tail(let tail):
            guard hasBlock else { return false }
            hasBlock = false
            try scratch.load(tail, columns, mask)
        case .segment(let index):
            guard let entry = try takeEntry() else { return false }
            try scratch.load(index, entry.offset, entry.length, columns, entry.mask)
        }
        let block = scratch.block
        let low = Kernel.lowerBound(block.starts, 0..<block.count, wanted.range.start)
        rows = low..<Kernel.lowerBound(block.starts, low..<block.count, wanted.range.end)
        return true
    }

    private func takeEntry() throws(StoreError) -> BlockEntry? {
        if let entry = pending {
            pending = nil
            return entry
        }
        return try walk?.next(wanted.explanation)
    }

    /// Takes the next blocks, if they lie in the range, have no deleted samples and fit in `room` rows.
    func wholeBlocks(_ room: Int) throws(StoreError) -> [ReadPiece] {
        guard rows.isEmpty, case .segment(let index) = run else { return [] }
        var pieces = [ReadPiece]()
        var left = Int64(room)
        while let entry = try takeEntry() {
            guard entry.isWhole, entry.mask == nil, (1...left).contains(entry.count) else {
                pending = entry
                break
            }
            left -= entry.count
            pieces.append(.whole(index, entry))
            if left == 0 { break }
        }
        return pieces
    }
}
