// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import TimeIndex

/// Commits that a follower of the changes has: all up to one, and ranges of later ones.
package struct KnownCommits: Hashable, Sendable {
    /// The last of the first commits.
    package var through: Int64
    /// Other ranges of commits, ascending.
    package var ranges: [ClosedRange<Int64>]

    package init(through: Int64, ranges: [ClosedRange<Int64>] = []) {
        self.through = through
        self.ranges = ranges
    }

    /// Returns whether the follower has the changes of a commit.
    ///
    /// - Complexity: O(log ranges).
    package func contains(_ commit: Int64) -> Bool {
        if commit <= through { return true }
        let place = ranges.indices.partitioningIndex { ranges[$0].upperBound >= commit }
        return place < ranges.count && ranges[place].contains(commit)
    }
}

extension Snapshot {
    /// Returns the earliest start of the samples of a series that a pruning of its history must keep: samples that end
    /// at an instant or later, and samples of commits that no other store has. Nil if there is none before `limit`.
    ///
    /// - Parameters:
    ///   - end: samples that end at this instant or later are kept.
    ///   - limit: only samples that start before this instant.
    ///   - known: the commits that another store has.
    /// - Complexity: O(index pages), plus decoding the blocks before the limit that may hold such samples.
    package func firstKept(
        of id: SeriesID, endingFrom end: Int64, startingBefore limit: Int64, besides known: KnownCommits
    ) throws(StoreError) -> Int64? {
        try self.known(id)
        let scratch = QueryScratch(nil)
        let tombstones = version.tombstones(of: id)
        let columns: ColumnSet = [.starts, .ends, .born]
        var first: Int64?
        func note(_ runBorn: Int64) {
            let block = scratch.block
            for row in 0..<block.count {
                let start = block.starts[row]
                if start >= min(limit, first ?? limit) { return }
                let born = block.born.isAbsent ? runBorn : block.born.at(row)
                if block.end(at: row) >= end || !known.contains(born) { first = start }
            }
        }
        for run in runs(id) where run.firstStart < min(limit, first ?? limit) {
            let mask = tombstones?.mask(over: run)
            switch run {
            case .tail(let block):
                try scratch.load(block, columns, mask)
                note(run.born)
            case .segment(let index):
                try index.forEachEntry(nil) { node, i in
                    if node.firstStart(i) >= min(limit, first ?? limit) { return .none }
                    let isOld = max(node.maxEnd(i), node.lastStart(i)) < end && node.maxBorn(i) <= known.through
                    return isOld ? .none : .some
                } _: { (node, i, overlap) throws(StoreError) in
                    if overlap == .none { return }
                    try scratch.load(index, node.offset(i), node.length(i), columns, mask)
                    note(run.born)
                }
            }
        }
        return first
    }
}

extension SampleRows {
    /// Returns the end of a row's sample.
    package func end(of row: Int) -> Int64 { ends.isEmpty ? starts[row] : ends[row] }

    /// Returns the creation time of a row's sample; nil if it is unknown.
    package func created(of row: Int) -> Int64? { created.value(at: row) }
}

extension TimeSeriesStore {
    /// Erases the samples of pruned history, and all overdue deletions.
    ///
    /// - Throws: the errors of a merge.
    package func erasePruned() throws(StoreError) {
        try eraser.eraseOverdue(merges: .max)
        try eraser.removeReplaced()
    }

    /// The history that this opening keeps: `StoreOptions.keepsHistory`.
    package var keptHistory: KeptHistory { context.options.keepsHistory }

    /// The time of the machine's clock, in nanoseconds since 1970-01-01 UTC.
    package var wallClock: Int64 { context.options.wallClock() }
}

extension Snapshot {
    /// The latest start of all samples; nil if there are none. O(segments + blocks of the tail).
    package var newestStart: Int64? { version.newestStart }
}
