// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

extension BucketSweep {
    /// Adds a run through its index and decodes only the blocks that an edge cuts.
    ///
    /// A kernel adds the summaries of all successive entries of a page in one bucket at once.
    mutating func take(_ run: RunIndex, _ scratch: QueryScratch) throws(StoreError) {
        guard let top = try run.rootNode() else { return }
        var budget = PageBudget(run.root)
        try take(top, of: run, &budget, scratch)
    }

    /// Adds the entries of a page. Entries that lie in one bucket are added together; the others are descended into.
    mutating func take(
        _ node: IndexNode, of run: RunIndex, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) {
        scratch.explanation?.indexPages += 1
        try take(node, 0..<node.count, of: run, &budget, scratch)
    }

    /// Adds some entries of a page.
    @inline(__always)
    mutating func take(
        _ node: IndexNode, _ entries: Range<Int>, of run: RunIndex, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) {
        let known = node.level > 0 ? node.childrenInMemory() : []
        func descend(_ i: Int, _ sweep: inout BucketSweep) throws(StoreError) {
            if node.level == 0 {
                try scratch.load(run, node.offset(i), node.length(i), [.starts, .ends, .values])
                sweep.take(scratch.block)
            } else {
                try sweep.take(try run.child(of: node, i, known, &budget), of: run, &budget, scratch)
            }
        }
        // An entry that starts before the first bucket matters only if a sample of the entry may end inside.
        var i = isShared ? entries.lowerBound : node.firstEntry(startingAtOrAfter: first, from: entries.lowerBound)
        while i < entries.upperBound {
            let start = node.firstStart(i)
            if start >= last { return }
            if start < first {
                if node.lastStart(i) >= first || node.maxEnd(i) > first && node.maxEndExceptLast(i) > first {
                    try descend(i, &self)
                } else if node.maxEnd(i) > first {
                    share(node, i, from: -1)
                    scratch.explanation?.summaries += 1
                }
                i += 1
                continue
            }
            // A damaged index may contradict its blocks, so starts may decrease.
            if start < edges[cursor] { cursor = 0 }
            seek(start)
            let end = wholeEntries(of: node, i..<entries.upperBound)
            if end == i {
                try descend(i, &self)
                i += 1
            } else {
                Kernel.add(entries: i..<end, of: node.words, to: &rows[cursor])
                if !extras.isEmpty { for entry in i..<end { addExtra(node.summary(entry), to: cursor) } }
                scratch.explanation?.summaries += end - i
                i = end
            }
        }
    }

    /// Returns the end of the leading entries that lie in the current bucket. An entry whose last sample alone ends
    /// after the bucket is included, and the value of this sample is divided among the buckets here.
    private mutating func wholeEntries(of node: IndexNode, _ entries: Range<Int>) -> Int {
        let low = entries.lowerBound
        let end = min(node.firstEntry(startingAtOrAfter: upper, from: low), entries.upperBound)
        guard isShared else { return end }
        for i in low..<end where node.maxEnd(i) > upper {
            if node.maxEndExceptLast(i) > upper { return i }
            share(node, i, from: cursor)
        }
        return end
    }

    /// Divides the value of an entry's last sample among the buckets.
    private mutating func share(_ node: IndexNode, _ i: Int, from bucket: Int) {
        share(start: node.lastStart(i), end: node.lastEnd(i), value: node.lastValue(i), from: bucket)
    }
}
