// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// A block of a run, as its index names it.
struct BlockEntry {
    let offset: UInt64
    let length: UInt32
    /// Samples in it, by its index.
    let count: Int64
    /// Whether all of its samples start in the range that was asked for.
    var isWhole = true
    /// What hides some of its samples.
    var mask: Mask?
}

/// How many pages a walk may still open: all that fit below the root. Pages that point in circles, or at one page many
/// times, use it up.
struct PageBudget {
    private var left: UInt64

    init(_ root: IndexRoot) {
        let (end, overflow) = root.offset.addingReportingOverflow(UInt64(root.length))
        left = 1 + (overflow ? 0 : end / 48)
    }

    mutating func take(_ offset: UInt64, _ path: String) throws(StoreError) {
        guard left > 0 else {
            throw StoreError(
                .corrupt, "index pages are shared: more visits than pages can be there", path: path, offset: offset)
        }
        left -= 1
    }
}

extension RunIndex {
    /// The page below an entry of an inner page, from memory or read now. `known` are the parent's children in memory.
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
                .corrupt, "an index page spans other times than its parent says", path: file.path,
                offset: node.offset(i)
            ).concerning(series, TimeRange(of: node.summary(i)))
        }
        file.cache.keep(child, below: node, entry: i)
        return child
    }

    /// The blocks that hold a sample starting in the range, without those that a mask hides whole, and those all of
    /// whose samples start before an instant and end with it or before.
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
