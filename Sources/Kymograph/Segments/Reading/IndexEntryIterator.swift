// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// A forward iterator over the blocks of a run that opens only the pages whose time matters.
///
/// A `BlockWalk` has a fixed range. Here the caller chooses the next time at each block, and a page is opened only when
/// the caller reaches the time of its samples.
struct IndexEntryIterator {
    /// The position of the iterator.
    enum Place {
        /// After the last block.
        case end
        /// Before a block that starts at or after the given instant; no time is occupied until then.
        case later(Int64)
        /// At a block that occupies some of the requested time.
        case block
    }

    private struct Level {
        let node: IndexNode
        let known: [IndexNode?]
        var at = 0
    }

    private let run: RunIndex
    private let mask: Mask?
    private var budget: PageBudget
    private var above: [Level] = []
    private var level: Level?

    init(_ run: RunIndex, hiding mask: Mask?, _ explanation: QueryExplanation?) throws(StoreError) {
        self.run = run
        self.mask = mask
        budget = PageBudget(run.root)
        if let root = try run.rootNode() { open(root, explanation) }
    }

    private mutating func open(_ node: IndexNode, _ explanation: QueryExplanation?) {
        explanation?.indexPages += 1
        if let level { above.append(level) }
        level = Level(node: node, known: node.level > 0 ? node.childrenInMemory() : [])
    }

    /// Skips blocks that end by `from` and fully deleted blocks. Returns the new position.
    /// - Requires: `from` is not before that of an earlier call.
    mutating func advance(
        from: Int64, to: Int64, _ explanation: QueryExplanation?
    ) throws(StoreError) -> Place {
        while let current = level {
            let node = current.node
            var at = current.at
            while at < node.count, node.occupiedEnd(at) <= from || isDeleted(node, at) { at += 1 }
            level?.at = at
            if at == node.count {
                level = above.popLast()
                // The children of the entry are done.
                level?.at += 1
                continue
            }
            if node.firstStart(at) >= to { return .later(node.firstStart(at)) }
            if node.level == 0 { return .block }
            let child = try run.child(of: node, at, current.known, &budget)
            open(child, explanation)
        }
        return .end
    }

    private func isDeleted(_ node: IndexNode, _ i: Int) -> Bool {
        guard let mask else { return false }
        return mask.overlap(node, i) == .all
    }

    /// The first start of the current block.
    var firstStart: Int64? {
        guard let level, level.at < level.node.count else { return nil }
        return level.node.firstStart(level.at)
    }

    /// Decodes columns of the current block and moves to the next one.
    mutating func takeBlock(_ columns: ColumnSet, _ scratch: QueryScratch) throws(StoreError) {
        guard let current = level, current.node.level == 0, current.at < current.node.count else { return }
        let (node, at) = (current.node, current.at)
        let overlap = mask?.overlap(node, at) ?? .none
        try scratch.load(run, node.offset(at), node.length(at), columns, overlap == .none ? nil : mask)
        level?.at += 1
    }
}

extension IndexNode {
    /// Returns the first instant after the time that an entry's samples occupy. A point occupies the instant of its
    /// start.
    func occupiedEnd(_ i: Int) -> Int64 { max(maxEnd(i), lastStart(i) &+ 1) }
}

extension Run {
    /// The first instant after the time that the samples occupy. A point occupies the instant of its start.
    var occupiedEnd: Int64 { max(maxEnd, lastStart &+ 1) }
}
