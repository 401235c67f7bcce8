// SPDX-License-Identifier: Apache-2.0

import Kernels
import TimeIndex

extension Snapshot {
    /// Returns the range from the start of the first sample to the latest end, or `nil` if the series is empty.
    ///
    /// O(runs). With deletions, the first call also descends the index to both ends and decodes blocks that a deletion
    /// cuts.
    ///
    /// - Throws: `corrupt`, `inputOutput`; only with deletions.
    public func extent(of id: SeriesID) throws(StoreError) -> TimeRange? {
        try extent(of: [id])
    }

    func extent(of ids: [SeriesID]) throws(StoreError) -> TimeRange? {
        try requireOwnProcess()
        var search = ExtentSearch()
        var masked = [(run: Run, mask: Mask)]()
        for id in ids {
            let tombstones = version.tombstones(of: id)
            for run in runs(id) {
                if let mask = tombstones?.mask(over: run) {
                    masked.append((run, mask))
                } else if run.summary.count > 0 {
                    search.take(run.summary.firstStart, run.summary.maxEnd)
                }
            }
        }
        // Runs without deletions come first: most of the other runs then lie inside.
        for (run, mask) in masked { try search.take(run, hiding: mask) }
        return search.found
    }
}

/// A search for the ends of the remaining samples. Only parts that may lie outside of the range found so far are
/// opened.
private struct ExtentSearch {
    private(set) var found: TimeRange?
    private let scratch = QueryScratch(nil)
    /// Whether the current run has no remaining samples so far.
    private var isEmpty = false

    private func isWider(_ first: Int64, _ end: Int64) -> Bool {
        found.map { first < $0.start || end > $0.end } ?? true
    }

    mutating func take(_ first: Int64, _ end: Int64) {
        let old = found ?? TimeRange(first, end)
        found = TimeRange(min(old.start, first), max(old.end, end))
    }

    mutating func take(_ run: Run, hiding mask: Mask) throws(StoreError) {
        guard isWider(run.summary.firstStart, run.summary.maxEnd) else { return }
        if let left = mask.known(run.place) {
            if left.count > 0 { take(left.firstStart, left.maxEnd) }
            return
        }
        switch run {
        case .tail:
            let left = try mask.summary(of: run, scratch)
            if left.count > 0 { take(left.firstStart, left.maxEnd) }
        case .segment(let index):
            guard let top = try index.rootNode() else { return }
            var budget = PageBudget(index.root)
            isEmpty = true
            try take(top, of: index, mask, &budget)
            // Without this note, each query would read all blocks of the run again.
            if isEmpty { mask.note(Summary(), of: run.place) }
        }
    }

    /// Adds the entries of a page, not in the order of time: first the entries without hidden samples, then the outer
    /// ones, so that few pages and blocks are opened.
    private mutating func take(
        _ node: IndexNode, of run: RunIndex, _ mask: Mask, _ budget: inout PageBudget
    ) throws(StoreError) {
        let overlaps = (0..<node.count).map { mask.overlap(node, $0) }
        for i in 0..<node.count where overlaps[i] == .none {
            take(node.firstStart(i), node.maxEnd(i))
            isEmpty = false
        }
        let known = node.level > 0 ? node.childrenInMemory() : []
        // The first and the last entry are likely to widen the range most.
        let order = node.count < 3 ? Array(0..<node.count) : [0, node.count - 1] + Array(1..<node.count - 1)
        for i in order where overlaps[i] == .some {
            guard isWider(node.firstStart(i), node.maxEnd(i)) else {
                isEmpty = false
                continue
            }
            if node.level > 0 {
                try take(try run.child(of: node, i, known, &budget), of: run, mask, &budget)
            } else {
                let left = try mask.summary(of: node, i, of: run, scratch)
                if left.count > 0 {
                    take(left.firstStart, left.maxEnd)
                    isEmpty = false
                }
            }
        }
    }
}
