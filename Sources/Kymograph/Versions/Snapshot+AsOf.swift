// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

extension TimeSeriesStore {
    /// Returns the store as of a commit: without later samples, and without later deletions. See
    /// `Docs/Operations/Retention.md`.
    ///
    /// - Parameter commit: from `info().oldestCommit` to the last commit; 0 is the store before its first commit.
    /// - Throws: `notRetained` (samples of that commit are permanently removed), `invalidArgument` (a commit that this
    ///   opening does not know), `closed`, `corrupt`, `inputOutput`.
    /// - Complexity: O(runs), plus decoding the commits of blocks that have samples both up to and after the commit.
    public func snapshot(asOf commit: Int64) throws(StoreError) -> Snapshot {
        try requireOpen()
        return try snapshot(snapshot(), asOf: commit)
    }

    /// Returns a snapshot of this store as of a commit that is not after the given snapshot's.
    package func snapshot(_ now: Snapshot, asOf commit: Int64) throws(StoreError) -> Snapshot {
        let last = now.version.seq
        guard commit >= 0, commit <= last else {
            throw StoreError(
                .invalidArgument,
                "there is no commit \(commit); commits \(now.version.past.horizon) to \(last) can be shown",
                path: path)
        }
        let oldest = now.version.past.horizon
        guard commit >= oldest else {
            throw StoreError(
                .notRetained,
                "no snapshot as of commit \(commit) is possible, since samples deleted by "
                    + "commit \(oldest) are gone; the oldest commit that can be shown is \(oldest)", path: path)
        }
        return commit == last ? now : Snapshot(version: try now.version.asOf(commit))
    }
}

extension Version {
    /// Returns the version as of an earlier commit.
    /// - Requires: the commit is not before the horizon.
    fileprivate func asOf(_ commit: Int64) throws(StoreError) -> Version {
        let window = CommitRange(after: -1, through: commit)
        var past = self
        past.seq = commit
        var kept = [Int64: Tombstones]()
        for (series, all) in tombstones {
            let earlier = all.all.prefix { $0.born <= commit }
            if earlier.isEmpty { continue }
            // The cached summaries remain valid if there are no later deletions.
            let isSame = earlier.count == all.all.count && all.births == nil
            kept[series] = isSame ? all : Tombstones(Array(earlier))
        }
        past.runs = runs(in: window)
        for (series, mixed) in past.mixedRuns(window) {
            var counter = BirthCounter(window)
            for run in mixed { try counter.take(run) }
            kept[series] = Tombstones(kept[series]?.all ?? [], births: window, outside: counter.outside)
        }
        past.tombstones = kept
        return past
    }
}

/// Counts the samples that commits outside of a range added.
private struct BirthCounter {
    private let window: CommitRange
    private let scratch = QueryScratch(nil)
    private(set) var outside = 0

    init(_ window: CommitRange) { self.window = window }

    mutating func take(_ run: Run) throws(StoreError) {
        switch run {
        case .tail(let block):
            try scratch.load(block, .born)
            takeBlock(run.born)
        case .segment(let index):
            let window = window
            try index.forEachEntry(nil) { node, i in
                window.overlap(node.minBorn(i), node.maxBorn(i))
            } _: { (node, i, overlap) throws(StoreError) in
                switch overlap {
                case .none: return
                // Clamped, so that implausible counts do not overflow.
                case .all: outside = min(outside + Int(min(node.samples(i), 1 << 60)), 1 << 60)
                case .some:
                    try scratch.load(index, node.offset(i), node.length(i), .born)
                    takeBlock(run.born)
                }
            }
        }
    }

    private mutating func takeBlock(_ runBorn: Int64) {
        let block = scratch.block
        for row in 0..<block.count where !window.contains(block.born.value(at: row) ?? runBorn) { outside += 1 }
    }
}
