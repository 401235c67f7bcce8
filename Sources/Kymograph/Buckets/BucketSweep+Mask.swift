// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

extension BucketSweep {
    /// Adds a run with hidden samples. Entries without hidden samples are answered by their summaries.
    mutating func take(_ run: Run, hiding mask: Mask, _ scratch: QueryScratch) throws(StoreError) {
        scratch.explanation?.runs += 1
        switch run {
        case .tail(let block):
            try scratch.load(block, [.starts, .ends, .values], mask)
            take(scratch.block)
        case .segment(let index):
            guard let top = try index.rootNode() else { return }
            var budget = PageBudget(index.root)
            try take(top, of: index, hiding: mask, &budget, scratch)
        }
    }

    private mutating func take(
        _ node: IndexNode, of run: RunIndex, hiding mask: Mask, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) {
        scratch.explanation?.indexPages += 1
        let low = isShared ? 0 : node.firstEntry(startingAtOrAfter: first, from: 0)
        try take(node, low..<node.count, of: run, hiding: mask, &budget, scratch)
    }

    /// Adds some entries of a page one by one. `RunIndex.forEachEntry` does not fit: a page without hidden samples
    /// continues in the faster sweep, and an edge opens entries that the mask does not cut. The summary of an entry's
    /// remaining samples is used if it is known.
    mutating func take(
        _ node: IndexNode, _ entries: Range<Int>, of run: RunIndex, hiding mask: Mask, _ budget: inout PageBudget,
        _ scratch: QueryScratch
    ) throws(StoreError) {
        let known = node.level > 0 ? node.childrenInMemory() : []
        for i in entries {
            if node.firstStart(i) >= last { return }
            // No sample of the entry reaches the first bucket, with or without deletions.
            if node.lastStart(i) < first, !isShared || node.maxEnd(i) <= first { continue }
            let overlap = mask.overlap(node, i)
            if overlap == .all { continue }
            let place = BlockPlace(file: run.file.number, offset: node.offset(i))
            let summary = overlap == .none ? node.summary(i) : node.level == 0 ? mask.known(place) : nil
            if let summary, !needsMore(than: summary, scratch) { continue }
            if node.level == 0 {
                try scratch.load(
                    run, node.offset(i), node.length(i), [.starts, .ends, .values], overlap == .none ? nil : mask)
                if overlap == .some, summary == nil { mask.note(scratch.block.summary, of: place) }
                take(scratch.block)
            } else {
                let child = try run.child(of: node, i, known, &budget)
                if overlap == .none {
                    try take(child, of: run, &budget, scratch)
                } else {
                    try take(child, of: run, hiding: mask, &budget, scratch)
                }
            }
        }
    }

    /// Adds a summary if it suffices. Returns true if the entry must be opened.
    private mutating func needsMore(than summary: borrowing Summary, _ scratch: QueryScratch) -> Bool {
        // A damaged index may contradict its blocks, so starts may decrease.
        if summary.firstStart >= first, summary.firstStart < edges[cursor] { cursor = 0 }
        switch consider(summary) {
        case .descend: return true
        case .skip, .stop: return false
        case .whole:
            scratch.explanation?.summaries += 1
            return false
        }
    }
}
