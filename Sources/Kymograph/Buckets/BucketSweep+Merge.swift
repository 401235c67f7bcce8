// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

// Runs of a source whose time is partly hidden by earlier sources: `Docs/Guide/Statistics.md`.
extension BucketSweep {
    /// Adds a run. Entries outside of all covered time are answered by their summaries.
    mutating func take(
        _ run: Run, under cover: SourceCoverage, hiding mask: Mask?, _ scratch: QueryScratch
    ) throws(StoreError) {
        scratch.explanation?.runs += 1
        switch run {
        case .tail(let block):
            try scratch.load(block, [.starts, .ends, .values], mask)
            try take(scratch.block, under: cover)
        case .segment(let index):
            guard let top = try index.rootNode() else { return }
            var budget = PageBudget(index.root)
            try take(top, of: index, under: cover, hiding: mask, &budget, scratch)
        }
    }

    private mutating func take(
        _ node: IndexNode, of run: RunIndex, under cover: SourceCoverage, hiding mask: Mask?,
        _ budget: inout PageBudget,
        _ scratch: QueryScratch
    ) throws(StoreError) {
        let known = node.level > 0 ? node.childrenInMemory() : []
        scratch.explanation?.indexPages += 1
        var i = 0
        while i < node.count, node.firstStart(i) < last {
            let end = try firstContested(node, from: i, under: cover)
            if end > i {
                if let mask {
                    try take(node, i..<end, of: run, hiding: mask, &budget, scratch)
                } else {
                    try take(node, i..<end, of: run, &budget, scratch)
                }
                i = end
                continue
            }
            let overlap = mask?.overlap(node, i) ?? .none
            if overlap != .all {
                let mask = overlap == .none ? nil : mask
                if node.level == 0 {
                    try scratch.load(run, node.offset(i), node.length(i), [.starts, .ends, .values], mask)
                    try take(scratch.block, under: cover)
                } else {
                    let child = try run.child(of: node, i, known, &budget)
                    try take(child, of: run, under: cover, hiding: mask, &budget, scratch)
                }
            }
            i += 1
        }
    }

    /// Returns the first entry from `low` on that reaches into the buckets and may share time with an earlier source.
    private func firstContested(
        _ node: IndexNode, from low: Int, under cover: SourceCoverage
    ) throws(StoreError) -> Int {
        var i = low
        while i < node.count, node.firstStart(i) < last {
            if node.lastStart(i) >= first || node.maxEnd(i) > first,
                try cover.touches(node.firstStart(i), node.occupiedEnd(i))
            {
                return i
            }
            i += 1
        }
        return i
    }

    /// Adds a decoded block that may share time with an earlier source.
    mutating func take(_ block: BlockBuffer, under cover: SourceCoverage) throws(StoreError) {
        guard block.count > 0 else { return }
        let (starts, ends) = (block.starts, block.hasEnds ? block.ends : block.starts)
        let low = Kernel.lowerBound(starts, 0..<block.count, first)
        let high = Kernel.lowerBound(starts, low..<block.count, last)
        for i in 0..<low where ends[i] > first {
            try cover.require(first, ends[i])
            share(start: starts[i], end: ends[i], value: block.values[i], from: -1, under: cover)
        }
        guard low < high else { return }
        // A damaged index may contradict its blocks, so starts may decrease.
        if starts[low] < edges[cursor] { cursor = 0 }
        let before = cursor
        var isAnyHidden = false
        var row = low
        while row < high {
            try cover.require(starts[row], max(ends[row], starts[row] &+ 1))
            var next = row + 1
            let horizon = cover.horizon
            while next < high, max(ends[next], starts[next] &+ 1) <= horizon { next += 1 }
            if cover.hide(starts, ends, row..<next) { isAnyHidden = true }
            if block.hasEnds { shareEnds(block, row..<next, under: cover) }
            row = next
        }
        cursor = before
        if isAnyHidden {
            addVisible(block, ends, low..<high, cover)
            return
        }
        if !extras.isEmpty { takeExtras(block, low..<high) }
        rows.add(
            starts: starts, ends: block.hasEnds ? ends : nil, values: block.values, range: low..<high, edges: edges,
            cursor: &cursor)
    }

    /// Adds the uncovered parts of a block's samples that start in the buckets.
    private mutating func addVisible(
        _ block: BlockBuffer, _ ends: [Int64], _ range: Range<Int>, _ cover: SourceCoverage
    ) {
        if shares.isEmpty { shares = [Share](repeating: Share(), count: rows.count) }
        forEachStretch(block.starts, range) { sweep, stretch in
            let bucket = sweep.cursor
            let (row, hidden) = Kernel.visible(
                starts: block.starts, ends: ends, values: block.values, hidden: cover.hidden, range: stretch)
            sweep.rows[bucket].merge(row)
            sweep.shares[bucket].sum.add(DoubleDouble(hi: -hidden.hi, lo: -hidden.lo))
            guard sweep.options.contains(.duration) else { return }
            for i in stretch {
                let length = UInt64(bitPattern: ends[i] &- block.starts[i])
                if cover.hidden[i] < length { sweep.shares[bucket].duration += Int128(length - cover.hidden[i]) }
            }
        }
    }
}
