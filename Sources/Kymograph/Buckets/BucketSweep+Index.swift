// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

extension BucketSweep {
    /// Takes a run through its index, decoding only the blocks that an edge cuts.
    mutating func take(_ run: RunIndex, _ scratch: QueryScratch) throws(StoreError) {
        guard let top = try run.rootNode() else { return }
        var budget = PageBudget(run.root)
        try take(top, of: run, &budget, scratch)
    }

    /// Takes the entries of a page: stretches that lie in one bucket in one go, others by what is below them.
    mutating func take(
        _ node: IndexNode, of run: RunIndex, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) {
        scratch.explanation?.indexPages += 1
        try take(node, 0..<node.count, of: run, &budget, scratch)
    }

    /// Takes some entries of a page.
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
        // What starts before the row matters only if it may reach into it.
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
            // An index that contradicts its blocks might go back in time.
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

    /// Where the first of some entries end that lie in the bucket in hand. Of those that reach over its end, ones of
    /// which only the last sample does are among them; that sample is shared here.
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

    /// Shares the last sample of an entry.
    private mutating func share(_ node: IndexNode, _ i: Int, from bucket: Int) {
        share(start: node.lastStart(i), end: node.lastEnd(i), value: node.lastValue(i), from: bucket)
    }
}
