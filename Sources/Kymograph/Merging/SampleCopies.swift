// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization

/// Surplus copies in a series: samples that equal another sample in start, end and value. Of each group of equal
/// samples, all but one are here, in order of start.
struct SampleCopies: Sendable {
    var starts: [Int64] = []
    var ends: [Int64] = []
    var values: [Double] = []

    /// Returns the copies that start before an instant.
    func before(_ instant: Int64) -> SampleCopies {
        let end = Kernel.lowerBound(starts, 0..<starts.count, instant)
        return SampleCopies(
            starts: Array(starts[..<end]), ends: Array(ends[..<end]), values: Array(values[..<end]))
    }
}

/// A cache of the copies in a store's series, so that queries do not compare the same samples again.
final class CopiesCache: Sendable {
    /// The identity of a run in every version, with its first start.
    struct RunKey: Hashable {
        /// The UUID of the segment; empty for a run of the tail.
        let segment: [UInt8]
        /// The commit of the run, and the ordinal in the commit's row of the tail (0 for a segment).
        let born: Int64
        let ordinal: UInt64
        let firstStart: Int64

        init(_ run: Run) {
            firstStart = run.firstStart
            switch run {
            case .segment(let index): (segment, born, ordinal) = (index.file.row.uuid, index.file.row.born, 0)
            case .tail(let block): (segment, born, ordinal) = ([], block.seq, block.ordinal)
            }
        }
    }

    struct Entry {
        let runs: Set<RunKey>
        /// The id of the last deletion.
        let tombstone: Int64?
        let copies: SampleCopies
    }

    private static let mostSeries = 1_024
    private let entries = Mutex<[Int64: Entry]>([:])

    func entry(_ series: Int64) -> Entry? { entries.withLock { $0[series] } }

    func note(_ entry: Entry, of series: Int64) {
        entries.withLock { entries in
            if entries.count >= Self.mostSeries { entries.removeAll() }
            entries[series] = entry
        }
    }
}

extension Snapshot {
    /// Returns the copies in a series. The first call compares all samples. After commits, a call compares the samples
    /// from the first added or moved one on; after a deletion, all samples.
    func copies(of id: SeriesID, _ explanation: QueryExplanation?) throws(StoreError) -> SampleCopies {
        let runs = Set(runs(id).map { CopiesCache.RunKey($0) })
        let tombstone = version.tombstones(of: id)?.all.last?.id
        // For a past commit, the same runs and tombstones may show fewer samples.
        let isPart = version.tombstones(of: id)?.births != nil
        var from = Int64.min
        var known = SampleCopies()
        if !isPart, let entry = version.copies.entry(id.rawValue), entry.tombstone == tombstone {
            if entry.runs == runs { return entry.copies }
            from = entry.runs.symmetricDifference(runs).map(\.firstStart).min() ?? .min
            known = entry.copies.before(from)
        }
        var search = CopySearch(known)
        try merge([id], RunScan(TimeRange(from, .max), [.starts, .ends, .values])) { batch throws(StoreError) in
            search.compare(batch.block, batch.rows)
            explanation?.samplesCompared += batch.count
            return true
        }
        if !isPart {
            version.copies.note(.init(runs: runs, tombstone: tombstone, copies: search.found), of: id.rawValue)
        }
        return search.found
    }
}

/// A search for copies among samples in order of start.
private struct CopySearch {
    private struct Key: Hashable {
        let end: Int64
        let value: UInt64
    }

    var found: SampleCopies
    private var last: (start: Int64, end: Int64, value: Double)?
    /// The samples that share the start of the last sample, if there are several.
    private var together = Set<Key>()

    init(_ known: SampleCopies) { found = known }

    mutating func compare(_ block: BlockBuffer, _ rows: Range<Int>) {
        guard let first = rows.first, let end = rows.last else { return }
        take(block, first)
        // Nearly all samples have a start of their own.
        for row in rows.dropFirst() where block.starts[row] == block.starts[row - 1] {
            last = (block.starts[row - 1], block.end(at: row - 1), block.values[row - 1])
            take(block, row)
        }
        last = (block.starts[end], block.end(at: end), block.values[end])
    }

    private mutating func take(_ block: BlockBuffer, _ row: Int) {
        guard let last, last.start == block.starts[row] else { return }
        if let known = start, known != last.start { together.removeAll() }
        start = last.start
        together.insert(Key(end: last.end, value: last.value.bitPattern))
        let key = Key(end: block.end(at: row), value: block.values[row].bitPattern)
        if !together.insert(key).inserted {
            found.starts.append(last.start)
            found.ends.append(key.end)
            found.values.append(block.values[row])
        }
    }

    /// The start of the samples in `together`.
    private var start: Int64?
}

extension BucketSweep {
    /// Subtracts copies from buckets that hold their whole series.
    mutating func takeBack(_ copies: SampleCopies, under cover: SourceCoverage?) throws(StoreError) {
        let block = BlockBuffer()
        var out = BucketSweep(edges: edges, options: options)
        out.isShared = true
        for low in stride(from: 0, to: copies.starts.count, by: 1_024) {
            let rows = low..<Swift.min(low + 1_024, copies.starts.count)
            if copies.starts[low] >= last { break }
            block.count = rows.count
            block.hasEnds = true
            for (to, from) in rows.enumerated() {
                block.starts[to] = copies.starts[from]
                block.ends[to] = copies.ends[from]
                block.values[to] = copies.values[from]
            }
            out.begin()
            if let cover {
                try cover.begin()
                try out.take(block, under: cover)
            } else {
                out.take(block)
            }
        }
        for i in rows.indices where out.rows[i].count > 0 || !out.shares.isEmpty { subtract(out, i) }
    }

    private mutating func subtract(_ out: BucketSweep, _ i: Int) {
        if shares.isEmpty { shares = [Share](repeating: Share(), count: rows.count) }
        if out.rows[i].count > 0 {
            // The original of each copy stays, so minimum, maximum, first and last do not change.
            rows[i].count -= out.rows[i].count
            let sum = out.rows[i].sum
            if sum.hi.isFinite { rows[i].sum.add(DoubleDouble(hi: -sum.hi, lo: -sum.lo)) }
            if !out.extras.isEmpty { shares[i].duration -= out.extras[i].summary.durationSum }
        }
        if !out.shares.isEmpty {
            let sum = out.shares[i].sum
            if sum.hi.isFinite { shares[i].sum.add(DoubleDouble(hi: -sum.hi, lo: -sum.lo)) }
            shares[i].duration -= out.shares[i].duration
        }
    }
}
