// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// The time that samples of some runs cover. `touches` searches the index; `require` decodes blocks, after which `hide`
/// and `time` return how much time is covered. Only the blocks that matter are decoded.
///
/// A value must be used by one thread at a time.
/// - Ordering: `begin` starts a pass; within a pass, each call's `from` is not before the previous one's.
final class SourceCoverage {
    private let members: [CoverageCursor]
    private let explanation: QueryExplanation?
    private let scratch: QueryScratch

    // State of `touches`, which searches the index.
    private var probing: [CoverageCursor] = []
    private var nextToProbe = 0
    /// No index entry occupies time from `freeFrom` until before `freeUntil`.
    private var freeFrom = Int64.min
    private var freeUntil = Int64.min

    // State of `require`, which decodes blocks.
    private var feeding: [CoverageCursor] = []
    private var nextToFeed = 0
    private var covered = CoveredTime()
    /// All covered time between the last `from` and this instant is known.
    private(set) var horizon = Int64.min
    private var merged = (starts: [Int64](), ends: [Int64]())
    private var spare = (starts: [Int64](), ends: [Int64]())

    /// The hidden time of each row of a block, in nanoseconds; see `hide`.
    private(set) var hidden = [UInt64](repeating: 0, count: BlockBuffer.arrayLength)

    init(_ runs: [(run: Run, mask: Mask?)], _ explanation: QueryExplanation?) {
        members = runs.map { CoverageCursor($0.run, hiding: $0.mask) }.sorted { $0.firstStart < $1.firstStart }
        self.explanation = explanation
        scratch = QueryScratch(explanation)
    }

    /// Starts a pass.
    func begin() throws(StoreError) {
        probing.removeAll(keepingCapacity: true)
        feeding.removeAll(keepingCapacity: true)
        nextToProbe = 0
        nextToFeed = 0
        freeFrom = .min
        freeUntil = .min
        covered.removeAll()
        horizon = .min
        for member in members { try member.begin(explanation) }
    }

    /// Returns true if a block occupies time in `from` ..< `to`. Deleted blocks do not count.
    @inline(__always)
    func touches(_ from: Int64, _ to: Int64) throws(StoreError) -> Bool {
        if from >= freeFrom, to <= freeUntil { return false }
        return try probe(from, to)
    }

    private func probe(_ from: Int64, _ to: Int64) throws(StoreError) -> Bool {
        while nextToProbe < members.count, members[nextToProbe].firstStart < to {
            probing.append(members[nextToProbe])
            nextToProbe += 1
        }
        var until = nextToProbe < members.count ? members[nextToProbe].firstStart : .max
        var i = 0
        while i < probing.count {
            switch try probing[i].probe(from, to, explanation) {
            case .block: return true
            case .later(let start):
                until = min(until, start)
                i += 1
            case .end: probing.swapRemove(at: i)
            }
        }
        freeFrom = from
        freeUntil = until
        return false
    }

    /// Decodes blocks until all covered time in `from` ..< `to` is known.
    func require(_ from: Int64, _ to: Int64) throws(StoreError) {
        covered.forget(endingBy: from)
        if to <= horizon { return }
        while nextToFeed < members.count, members[nextToFeed].firstStart < to {
            feeding.append(members[nextToFeed])
            nextToFeed += 1
        }
        var known = nextToFeed < members.count ? members[nextToFeed].firstStart : .max
        for member in feeding {
            try member.load(from, to, scratch, explanation)
            known = min(known, member.next)
        }
        cover(until: known)
        horizon = known
    }

    /// Adds the decoded samples that start before an instant to the covered time. Samples of several runs are merged
    /// first.
    private func cover(until instant: Int64) {
        var isFirst = true
        var waiting: CoverageCursor?
        var i = 0
        while i < feeding.count {
            let member = feeding[i]
            if member.hasRows(before: instant) {
                if let one = waiting {
                    if isFirst { merged = one.take(before: instant) }
                    isFirst = false
                    mergeIn(member.take(before: instant))
                } else {
                    waiting = member
                }
            }
            if member.isDone, member !== waiting { feeding.swapRemove(at: i) } else { i += 1 }
        }
        if let one = waiting, isFirst { one.take(before: instant, into: &covered) }
        if !isFirst { covered.add(starts: merged.starts, ends: merged.ends, 0..<merged.starts.count) }
    }

    /// Merges ascending samples into `merged`.
    private func mergeIn(_ other: (starts: [Int64], ends: [Int64])) {
        spare.starts.removeAll(keepingCapacity: true)
        spare.ends.removeAll(keepingCapacity: true)
        var (i, j) = (0, 0)
        while i < merged.starts.count || j < other.starts.count {
            if j == other.starts.count || i < merged.starts.count && merged.starts[i] <= other.starts[j] {
                spare.starts.append(merged.starts[i])
                spare.ends.append(merged.ends[i])
                i += 1
            } else {
                spare.starts.append(other.starts[j])
                spare.ends.append(other.ends[j])
                j += 1
            }
        }
        swap(&merged, &spare)
    }

    /// Stores the covered time of samples in `hidden`. Returns true if any sample is hidden, at least in part.
    /// - Requires: `require` was called for the time of the samples.
    func hide(_ starts: [Int64], _ ends: [Int64], _ rows: Range<Int>) -> Bool {
        if hidden.count < rows.upperBound { hidden = [UInt64](repeating: 0, count: rows.upperBound) }
        return covered.hide(starts: starts, ends: ends, rows, into: &hidden)
    }

    /// Returns how much of the time in `from` ..< `to` is covered, in nanoseconds.
    /// - Requires: `require` was called for this time.
    func time(_ from: Int64, _ to: Int64) -> UInt64 { covered.time(from: from, to: to) }

    /// Marks a row as not hidden, after its value was divided among the buckets.
    func show(_ row: Int) { hidden[row] = 0 }
}

extension Array {
    /// Removes an element and puts the last one in its place.
    fileprivate mutating func swapRemove(at i: Int) {
        swapAt(i, count - 1)
        removeLast()
    }
}
