// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// A block of a run, as listed in its index.
struct BlockEntry {
    let offset: UInt64
    let length: UInt32
    /// The number of samples, according to the index.
    let count: Int64
    /// Whether all samples start in the range of the query.
    var isWhole = true
    /// The mask of the block's deleted samples.
    var mask: Mask?
}

extension RunIndex {
    /// Returns the page below an entry of an inner page, from memory or from the file.
    /// - Parameter known: the parent's children in memory.
    func child(
        of node: IndexNode, _ i: Int, _ known: [IndexNode?], _ budget: inout PageBudget
    ) throws(StoreError) -> IndexNode {
        guard budget.take() else {
            throw StoreError(
                .corrupt, "the index refers to more pages than the segment can hold", path: file.path,
                offset: node.offset(i))
        }
        if let child = known[i] {
            child.touch()
            return child
        }
        let child = try load(node.offset(i), node.length(i), level: node.level - 1, below: node.summary(i))
        guard child.firstStart(0) == node.firstStart(i), child.lastStart(child.count - 1) == node.lastStart(i) else {
            throw StoreError(
                .corrupt, "the times of an index page do not match its parent", path: file.path,
                offset: node.offset(i)
            ).concerning(series, TimeRange(of: node.summary(i)))
        }
        file.cache.keep(child, below: node, entry: i)
        return child
    }

    /// Passes the entries of the index to `body` in order. An inner entry with the answer `some` is not passed itself;
    /// the entries of its page follow instead. So an entry passed with `some` is a block.
    /// - Parameter overlap: returns whether none, some or all samples of an entry are in a mask or a range of commits.
    func forEachEntry(
        _ explanation: QueryExplanation?, by overlap: (IndexNode, Int) -> Mask.Overlap,
        _ body: (IndexNode, Int, Mask.Overlap) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let top = try rootNode() else { return }
        var budget = PageBudget(root)
        func visit(_ node: IndexNode) throws(StoreError) {
            explanation?.indexPages += 1
            let known = node.level > 0 ? node.childrenInMemory() : []
            for i in 0..<node.count {
                let found = overlap(node, i)
                if found == .some, node.level > 0 {
                    try visit(child(of: node, i, known, &budget))
                } else {
                    try body(node, i, found)
                }
            }
        }
        try visit(top)
    }

    /// Scans the whole index and continues past damage. Reads every page from the file, even if it is in memory.
    func scan(_ body: (IndexScan.Finding) -> Void) {
        var scan = IndexScan(root, summary: summary) { [self] (offset, length, level) throws(IndexError) in
            try page(offset: offset, length: length, level: level)
        }
        scan.run(body)
    }

    /// Returns the blocks with samples that start in the range. Fully deleted blocks are skipped, and blocks in which
    /// every sample starts before and ends at or before `instant`.
    func blocks(
        startingIn range: TimeRange, lastingTo instant: Int64 = .min, hiding mask: Mask? = nil,
        _ explanation: QueryExplanation?
    ) throws(StoreError) -> [BlockEntry] {
        var found = [BlockEntry]()
        var walk = try BlockWalk(self, startingIn: range, lastingTo: instant, hiding: mask, explanation)
        while let entry = try walk.next(explanation) { found.append(entry) }
        return found
    }
}
