// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// A cursor over the samples of one run that start in a range of time, block by block, in either direction.
final class RunCursor {
    let run: Run
    let series: SeriesID
    private let range: TimeRange
    private let backward: Bool
    private let columns: ColumnSet
    /// Whether the commit orders samples with equal start and end.
    private let ordersByCommit: Bool
    /// The mask of the run's deleted samples.
    private let mask: Mask?
    private let scratch: QueryScratch
    /// The remaining blocks of a segment; nil for a run of the tail.
    private var walk: BlockWalk?
    /// Whether the block of a run of the tail is still to be decoded.
    private var hasBlock: Bool
    private let explanation: QueryExplanation?
    /// The remaining rows of the current block.
    private(set) var rows = 0..<0

    var block: BlockBuffer { scratch.block }

    init(
        _ run: Run, _ series: SeriesID, _ wanted: RunScan, hiding mask: Mask?
    ) throws(StoreError) {
        let explanation = wanted.explanation
        self.run = run
        self.series = series
        range = wanted.range
        backward = wanted.isBackward
        self.mask = mask
        // The order of samples depends on starts and ends.
        columns = wanted.columns.set.union(wanted.ordersByCommit ? [.starts, .ends, .born] : [.starts, .ends])
        ordersByCommit = wanted.ordersByCommit
        scratch = QueryScratch(explanation)
        self.explanation = explanation
        explanation?.runs += 1
        switch run {
        case .tail: hasBlock = true
        case .segment(let index):
            hasBlock = false
            walk = try BlockWalk(
                index, startingIn: range, lastingTo: wanted.instant, hiding: mask, backward: backward, explanation)
        }
        try advance()
    }

    var isAtEnd: Bool { rows.isEmpty }

    /// The sort key of a sample: the start, the end and, if `ordersByCommit`, the commit.
    typealias Head = (start: Int64, end: Int64, commit: Int64)

    /// The sort key of the next sample.
    /// - Requires: the cursor is not at the end.
    var head: Head {
        let row = backward ? rows.upperBound - 1 : rows.lowerBound
        return (block.starts[row], block.end(at: row), ordersByCommit ? commit(of: row) : 0)
    }

    /// Returns the commit of a row: its own or, without one, that of the segment or of the row of the tail.
    private func commit(of row: Int) -> Int64 {
        if let born = block.born.value(at: row) { return born }
        switch run {
        case .tail(let tail): return tail.seq
        case .segment(let index): return index.file.row.born
        }
    }

    /// Returns the rows before another cursor's head, at least one row.
    func rows(before other: Head?) -> Range<Int> {
        guard let other else { return rows }
        if backward {
            let at = Kernel.lowerBound(block.starts, rows, other.start &+ 1)
            return at < rows.upperBound ? at..<rows.upperBound : rows.upperBound - 1..<rows.upperBound
        }
        let at = Kernel.lowerBound(block.starts, rows, other.start)
        return rows.lowerBound..<max(at, rows.lowerBound + 1)
    }

    /// Drops rows that the caller has used, and decodes the next block if no rows remain.
    func consume(_ used: Range<Int>) throws(StoreError) {
        rows = backward ? rows.lowerBound..<used.lowerBound : used.upperBound..<rows.upperBound
        try advance()
    }

    private func advance() throws(StoreError) {
        while rows.isEmpty {
            switch run {
            case .tail(let tail):
                guard hasBlock else { return }
                hasBlock = false
                try scratch.load(tail, columns, mask)
            case .segment(let index):
                guard let next = try walk?.next(explanation) else { return }
                try scratch.load(index, next.offset, next.length, columns, next.mask)
            }
            let all = 0..<block.count
            let low = Kernel.lowerBound(block.starts, all, range.start)
            rows = low..<Kernel.lowerBound(block.starts, low..<block.count, range.end)
        }
    }
}
