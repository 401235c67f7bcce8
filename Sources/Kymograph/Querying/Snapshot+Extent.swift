// SPDX-License-Identifier: Apache-2.0

import Kernels
import TimeIndex

extension Snapshot {
    /// From the start of the first sample to the latest end, or `nil` if the series is empty. O(runs); where something
    /// was deleted, plus a way down the index to either end, and there the blocks that a deletion cuts, the first time.
    ///
    /// - Throws: `corrupt`, `inputOutput`, only where something was deleted.
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
        // What is known without looking comes first: most of the rest then lies inside.
        for (run, mask) in masked { try search.take(run, hiding: mask) }
        return search.found
    }
}

/// Looks for the ends of what is left of runs, and only where something may lie outside of what was found.
private struct ExtentSearch {
    private(set) var found: TimeRange?
    private let scratch = QueryScratch(nil)
    /// Whether the run under way has had nothing left so far.
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
            // Or each time all its blocks would be looked at again.
            if isEmpty { mask.note(Summary(), of: run.place) }
        }
    }

    private mutating func take(
        _ node: IndexNode, of run: RunIndex, _ mask: Mask, _ budget: inout PageBudget
    ) throws(StoreError) {
        let overlaps = (0..<node.count).map { mask.overlap(node, $0) }
        for i in 0..<node.count where overlaps[i] == .none {
            take(node.firstStart(i), node.maxEnd(i))
            isEmpty = false
        }
        let known = node.level > 0 ? node.childrenInMemory() : []
        // The first and the last one say most.
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
