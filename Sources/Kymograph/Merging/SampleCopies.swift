// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization

/// Samples of a series to which another sample of it is equal in start, end and value: all but one of each such group,
/// by start.
struct SampleCopies: Sendable {
    var starts: [Int64] = []
    var ends: [Int64] = []
    var values: [Double] = []

    /// Only those that start before an instant.
    func before(_ instant: Int64) -> SampleCopies {
        let end = Kernel.lowerBound(starts, 0..<starts.count, instant)
        return SampleCopies(
            starts: Array(starts[..<end]), ends: Array(ends[..<end]), values: Array(values[..<end]))
    }
}

/// What is known of the copies in a store's series, so that samples are compared once and not for each query.
final class CopiesCache: Sendable {
    /// A run, whichever version it is of, and where it begins.
    struct RunKey: Hashable {
        /// The segment; empty for the tail.
        let segment: [UInt8]
        /// The commit, and the place in its row of the tail.
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
        /// The last deletion.
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
    /// The copies in a series. Compares all samples the first time, and after commits those from the first on that they
    /// brought or moved; all again after a deletion.
    func copies(of id: SeriesID, _ explanation: QueryExplanation?) throws(StoreError) -> SampleCopies {
        let runs = Set(runs(id).map { CopiesCache.RunKey($0) })
        let tombstone = version.tombstones(of: id)?.all.last?.id
        // The same runs and tombstones may show fewer samples in the past.
        let isPart = version.tombstones(of: id)?.births != nil
        var from = Int64.min
        var known = SampleCopies()
        if !isPart, let entry = version.copies.entry(id.rawValue), entry.tombstone == tombstone {
            if entry.runs == runs { return entry.copies }
            from = entry.runs.symmetricDifference(runs).map(\.firstStart).min() ?? .min
            known = entry.copies.before(from)
        }
        var search = CopySearch(known)
        try merge([id], TimeRange(from, .max), [.starts, .ends, .values], backward: false, nil) {
            batch throws(StoreError) in
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

/// Finds copies among samples that come by start.
private struct CopySearch {
    private struct Key: Hashable {
        let end: Int64
        let value: UInt64
    }

    var found: SampleCopies
    private var last: (start: Int64, end: Int64, value: Double)?
    /// Those that start with the last one, where there are several.
    private var together = Set<Key>()

    init(_ known: SampleCopies) { found = known }

    mutating func compare(_ block: BlockBuffer, _ rows: Range<Int>) {
        guard let first = rows.first, let end = rows.last else { return }
        take(block, first)
        // Nearly all start alone.
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

    /// The instant of `together`.
    private var start: Int64?
}

extension BucketSweep {
    /// Takes copies back out of a row of buckets to which their whole series was added.
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
            // The sample that each is a copy of is there, so that least, greatest, first and last stay.
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
