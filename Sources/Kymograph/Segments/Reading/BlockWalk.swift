// SPDX-License-Identifier: Apache-2.0

import TimeIndex

/// An iterator over the blocks of a run with samples that start in a range of time, in either direction.
///
/// A page of the index is opened when the iterator reaches it, so a caller that stops early reads only the pages it
/// needs.
struct BlockWalk {
    /// An open page and its remaining entries.
    private struct Level {
        let node: IndexNode
        let known: [IndexNode?]
        var left: Range<Int>
        let mask: Mask?
    }

    private let run: RunIndex
    private let range: TimeRange
    private let instant: Int64
    private let backward: Bool
    private var budget: PageBudget
    /// The open pages, the root first.
    private var levels: [Level] = []

    /// Creates an iterator. It skips fully deleted blocks, and blocks in which every sample starts before and ends at
    /// or before `instant`.
    init(
        _ run: RunIndex, startingIn range: TimeRange, lastingTo instant: Int64 = .min, hiding mask: Mask? = nil,
        backward: Bool = false, _ explanation: QueryExplanation?
    ) throws(StoreError) {
        self.run = run
        self.range = range
        self.instant = instant
        self.backward = backward
        budget = PageBudget(run.root)
        if let root = try run.rootNode() { open(root, mask, explanation) }
    }

    private mutating func open(_ node: IndexNode, _ mask: Mask?, _ explanation: QueryExplanation?) {
        explanation?.indexPages += 1
        let first = node.firstEntry(startingAtOrAfter: range.start, from: 0)
        let last = node.firstEntry(withFirstStartAtOrAfter: range.end, from: first)
        levels.append(
            Level(
                node: node, known: node.level > 0 ? node.childrenInMemory() : [], left: first..<last, mask: mask))
    }

    /// Returns the next block; nil after the last.
    mutating func next(_ explanation: QueryExplanation?) throws(StoreError) -> BlockEntry? {
        while let top = levels.indices.last {
            guard let i = backward ? levels[top].left.last : levels[top].left.first else {
                levels.removeLast()
                continue
            }
            if backward { levels[top].left.removeLast() } else { levels[top].left.removeFirst() }
            let node = levels[top].node
            if node.lastStart(i) < instant, node.maxEnd(i) <= instant { continue }
            var touching: Mask?
            if let mask = levels[top].mask {
                let overlap = mask.overlap(node, i)
                if overlap == .all { continue }
                if overlap == .some { touching = mask }
            }
            if node.level == 0 {
                return BlockEntry(
                    offset: node.offset(i), length: node.length(i), count: node.samples(i),
                    isWhole: node.firstStart(i) >= range.start && node.lastStart(i) < range.end, mask: touching)
            }
            open(try run.child(of: node, i, levels[top].known, &budget), touching, explanation)
        }
        return nil
    }
}
