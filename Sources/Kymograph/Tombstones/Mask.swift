// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// The samples that a set of tombstones of one series hides.
final class Mask: Sendable {
    /// The effect of a mask on a range of samples.
    enum Overlap {
        /// The mask hides no sample.
        case none
        /// The mask may hide some of the samples.
        case some
        /// The mask hides all samples.
        case all
    }

    /// The hidden ranges, ascending, without overlaps or contact.
    private let rangeStarts: [Int64]
    private let rangeEnds: [Int64]
    private let listed: ListedSamples
    /// If set, samples of all other commits are hidden, too.
    private let births: CommitRange?
    /// The commit of the run's samples without an entry in the `born` column.
    private let runBorn: Int64

    /// Creates a mask that hides the samples of another mask, and the samples of all commits outside of a range.
    ///
    /// - Parameter runBorn: the commit of the run that the mask is for.
    init(_ base: Mask?, births: CommitRange, runBorn: Int64) {
        self.births = births
        self.runBorn = runBorn
        rangeStarts = base?.rangeStarts ?? []
        rangeEnds = base?.rangeEnds ?? []
        listed = base?.listed ?? ListedSamples()
    }

    init(_ tombstones: ArraySlice<Tombstone>) {
        births = nil
        runBorn = 0
        var starts = [Int64]()
        var ends = [Int64]()
        for range in tombstones.filter({ $0.listed == nil }).map(\.range).sorted(by: { $0.start < $1.start }) {
            if let last = ends.last, range.start <= last {
                ends[ends.count - 1] = max(last, range.end)
            } else {
                starts.append(range.start)
                ends.append(range.end)
            }
        }
        rangeStarts = starts
        rangeEnds = ends
        listed = ListedSamples(merging: tombstones.compactMap(\.listed))
    }

    /// The content of a mask without births, and without its cached summaries. It is the base of masks of more
    /// tombstones.
    struct Outline: Sendable {
        fileprivate let starts: [Int64]
        fileprivate let ends: [Int64]
        fileprivate let listed: ListedSamples

        /// The number of ranges and listed samples.
        var count: Int { starts.count + listed.count }

        /// Returns true if adding tombstones costs less than building a new mask. Each addition moves the ranges behind
        /// it; lists are sorted again.
        func isGoodBase(for fresh: ArraySlice<Tombstone>) -> Bool {
            fresh.count <= 64 && (listed.count < 4_096 || !fresh.contains { $0.listed != nil })
        }
    }

    var outline: Outline { Outline(starts: rangeStarts, ends: rangeEnds, listed: listed) }

    /// Creates a mask that hides the samples of another mask and of more tombstones. O(ranges), without a sort.
    init(_ base: Outline, adding fresh: ArraySlice<Tombstone>) {
        births = nil
        runBorn = 0
        var (starts, ends) = (base.starts, base.ends)
        for range in fresh.filter({ $0.listed == nil }).map(\.range) {
            let from = Kernel.lowerBound(ends, 0..<ends.count, range.start)
            let to = max(from, Self.firstIndex(after: range.end, in: starts))
            let start = from < to ? min(range.start, starts[from]) : range.start
            let end = from < to ? max(range.end, ends[to - 1]) : range.end
            starts.replaceSubrange(from..<to, with: CollectionOfOne(start))
            ends.replaceSubrange(from..<to, with: CollectionOfOne(end))
        }
        rangeStarts = starts
        rangeEnds = ends
        let lists = fresh.compactMap(\.listed)
        listed = lists.isEmpty ? base.listed : ListedSamples(merging: [base.listed] + lists)
    }

    deinit { MaskedSummaries.shared.forget(ObjectIdentifier(self)) }

    /// The number of samples hidden by identity.
    var listedSamples: Int { listed.count }

    /// The columns that a block must have to be masked.
    var columns: ColumnSet {
        ColumnSet.starts.union(listed.isEmpty ? [] : .identity).union(births == nil ? [] : .born)
    }

    /// Returns the effect on samples that start from `first` to `last`. O(log tombstones).
    func overlap(_ first: Int64, _ last: Int64) -> Overlap {
        let overlap = delete(first, last)
        return overlap == .none && births != nil ? .some : overlap
    }

    /// Returns the effect of the tombstones alone on samples that start from `first` to `last`.
    private func delete(_ first: Int64, _ last: Int64) -> Overlap {
        let at = Self.firstIndex(after: first, in: rangeEnds)
        if at < rangeEnds.count, rangeStarts[at] <= last {
            return rangeStarts[at] <= first && last < rangeEnds[at] ? .all : .some
        }
        let next = Kernel.lowerBound(listed.starts, 0..<listed.count, first)
        return next < listed.count && listed.starts[next] <= last ? .some : .none
    }

    /// Returns the effect on the samples below an entry of an index page.
    func overlap(_ node: IndexNode, _ i: Int) -> Overlap {
        // If no block has a `born` column, neither do the entries.
        guard let births, node.maxBorn(i) > 0 else { return overlap(node.firstStart(i), node.lastStart(i)) }
        let outside = births.overlap(node.minBorn(i), node.maxBorn(i))
        if outside == .all { return .all }
        let overlap = delete(node.firstStart(i), node.lastStart(i))
        return overlap == .none ? outside : overlap
    }

    /// Removes hidden samples, and samples that start outside of a range, from a decoded block.
    func apply(to block: BlockBuffer, keeping range: TimeRange = .all) {
        if block.count == 0 { return }
        let isHidden = hidden(in: block, outside: range)
        var kept = [Range<Int>]()
        var row = 0
        while row < isHidden.count {
            if isHidden[row] {
                row += 1
                continue
            }
            let end = isHidden[row...].firstIndex(of: true) ?? isHidden.count
            kept.append(row..<end)
            row = end
        }
        block.keep(kept)
    }

    /// Returns for each row of a decoded block whether it is hidden or starts outside of a range.
    /// - Requires: the block is not empty.
    func hidden(in block: BlockBuffer, outside range: TimeRange = .all) -> [Bool] {
        let first = block.starts[0]
        let last = block.starts[block.count - 1]
        var isHidden = [Bool](repeating: false, count: block.count)
        func hide(_ from: Int64, _ to: Int64) {
            let low = Kernel.lowerBound(block.starts, 0..<block.count, from)
            for row in low..<Kernel.lowerBound(block.starts, low..<block.count, to) { isHidden[row] = true }
        }
        if first < range.start { hide(.min, range.start) }
        // No sample can start at Int64.max.
        if last >= range.end { hide(range.end, .max) }
        var at = Self.firstIndex(after: first, in: rangeEnds)
        while at < rangeEnds.count, rangeStarts[at] <= last {
            hide(rangeStarts[at], rangeEnds[at])
            at += 1
        }
        hideListed(block, first, last, &isHidden)
        if let births {
            for row in 0..<block.count where !births.contains(block.born.value(at: row) ?? runBorn) {
                isHidden[row] = true
            }
        }
        return isHidden
    }

    private func hideListed(_ block: BlockBuffer, _ first: Int64, _ last: Int64, _ isHidden: inout [Bool]) {
        if block.identityHigh.isAbsent { return }
        var at = Kernel.lowerBound(listed.starts, 0..<listed.count, first)
        var low = 0
        while at < listed.count, listed.starts[at] <= last {
            let start = listed.starts[at]
            low = Kernel.lowerBound(block.starts, low..<block.count, start)
            var row = low
            while row < block.count, block.starts[row] == start {
                if SampleIdentity(block, row) == listed.identity(at) { isHidden[row] = true }
                row += 1
            }
            at += 1
        }
    }

    /// Returns the index of the first number after `instant` in an ascending column.
    private static func firstIndex(after instant: Int64, in column: [Int64]) -> Int {
        instant == .max ? column.count : Kernel.lowerBound(column, 0..<column.count, instant + 1)
    }

    // The summary of a block's remaining samples is computed once.

    func known(_ place: BlockPlace) -> Summary? {
        MaskedSummaries.shared.summary(of: place, below: ObjectIdentifier(self))
    }

    func note(_ summary: Summary, of place: BlockPlace) {
        MaskedSummaries.shared.note(summary, of: place, below: ObjectIdentifier(self))
    }

    /// Returns the summary of a run's remaining samples.
    func summary(of run: Run, _ scratch: QueryScratch) throws(StoreError) -> Summary {
        if let known = known(run.place) { return known }
        var summary = Summary()
        switch run {
        case .tail(let block): try loadMasked(block, scratch, &summary)
        case .segment(let index):
            try index.forEachEntry(scratch.explanation, by: overlap) { (node, i, overlap) throws(StoreError) in
                switch overlap {
                case .all: return
                case .none: summary.append(node.summary(i))
                case .some: summary.append(try self.summary(of: node, i, of: index, scratch))
                }
            }
        }
        note(summary, of: run.place)
        return summary
    }

    private func loadMasked(
        _ block: TailBlock, _ scratch: QueryScratch, _ summary: inout Summary
    ) throws(StoreError) {
        try scratch.load(block, [.starts, .ends, .values], self)
        summary = scratch.block.summary
    }

    /// Returns the summary of a block's remaining samples.
    func summary(
        of node: IndexNode, _ i: Int, of run: RunIndex, _ scratch: QueryScratch
    ) throws(StoreError) -> Summary {
        let place = BlockPlace(file: run.file.number, offset: node.offset(i))
        if let known = known(place) { return known }
        try scratch.load(run, node.offset(i), node.length(i), [.starts, .ends, .values], self)
        let summary = scratch.block.summary
        note(summary, of: place)
        return summary
    }
}

extension Run {
    /// The commit that wrote the run.
    var born: Int64 {
        switch self {
        case .segment(let run): run.file.row.born
        case .tail(let block): block.seq
        }
    }

    /// The first and the last commit of the samples.
    var births: (first: Int64, last: Int64) {
        let summary = self.summary
        // A bulk load of one commit stores no `born` column; its samples have the row's commit.
        return summary.maxBorn > 0 ? (summary.minBorn, summary.maxBorn) : (born, born)
    }

    /// A place for the run itself, which no block of a segment has.
    var place: BlockPlace {
        switch self {
        case .segment(let run): BlockPlace(file: run.file.number, offset: .max)
        case .tail(let block): BlockPlace(file: -block.seq, offset: block.ordinal)
        }
    }
}
