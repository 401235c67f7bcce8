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

/// The number of pages that a traversal may still open: at most all pages that fit in the file. Cyclic or repeated page
/// references exhaust the budget.
struct PageBudget {
    private var left: UInt64

    init(_ root: IndexRoot) {
        let (end, overflow) = root.offset.addingReportingOverflow(UInt64(root.length))
        left = 1 + (overflow ? 0 : end / 48)
    }

    mutating func take(_ offset: UInt64, _ path: String) throws(StoreError) {
        guard left > 0 else {
            throw StoreError(
                .corrupt, "the index refers to more pages than the segment can hold", path: path, offset: offset)
        }
        left -= 1
    }
}

extension RunIndex {
    /// Returns the page below an entry of an inner page, from memory or from the file.
    /// - Parameter known: the parent's children in memory.
    func child(
        of node: IndexNode, _ i: Int, _ known: [IndexNode?], _ budget: inout PageBudget
    ) throws(StoreError) -> IndexNode {
        try budget.take(node.offset(i), file.path)
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
