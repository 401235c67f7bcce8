// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// A forward cursor over the samples of one run that cover time.
final class CoverageCursor {
    let run: Run
    let firstStart: Int64
    private let occupiedEnd: Int64
    private let mask: Mask?

    /// Iterators over the index of a segment: `probing` answers `probe`, `feeding` finds the blocks that `load`
    /// decodes.
    private var probing: IndexEntryIterator?
    private var feeding: IndexEntryIterator?
    /// For a run of the tail: whether its block was decoded.
    private var isLoaded = false

    /// Decoded samples that no `take` has returned yet, from `row` on.
    private var starts: [Int64] = []
    private var ends: [Int64] = []
    private var row = 0
    /// Every sample that is not decoded yet starts at or after this instant.
    private(set) var next = Int64.min

    init(_ run: Run, hiding mask: Mask?) {
        self.run = run
        self.mask = mask
        firstStart = run.firstStart
        occupiedEnd = run.occupiedEnd
    }

    func begin(_ explanation: QueryExplanation?) throws(StoreError) {
        starts.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        row = 0
        next = firstStart
        isLoaded = false
        probing = nil
        feeding = nil
    }

    /// Searches for a block that occupies time in `from` ..< `to`, without deleted blocks.
    /// - Ordering: `from` ascends from call to call.
    func probe(
        _ from: Int64, _ to: Int64, _ explanation: QueryExplanation?
    ) throws(StoreError) -> IndexEntryIterator.Place {
        switch run {
        case .tail: return occupiedEnd <= from || isDeleted ? .end : firstStart >= to ? .later(firstStart) : .block
        case .segment(let index):
            if probing == nil { probing = try IndexEntryIterator(index, hiding: mask, explanation) }
            return try probing?.advance(from: from, to: to, explanation) ?? .end
        }
    }

    private var isDeleted: Bool { mask?.overlap(run.firstStart, run.lastStart) == .all }

    /// Decodes the blocks that occupy time in `from` ..< `to` and are not decoded yet.
    func load(
        _ from: Int64, _ to: Int64, _ scratch: QueryScratch, _ explanation: QueryExplanation?
    ) throws(StoreError) {
        switch run {
        case .tail(let block):
            if !isLoaded, occupiedEnd > from {
                if firstStart >= to { return }
                try scratch.load(block, [.starts, .ends], mask)
                keep(scratch.block)
            }
            isLoaded = true
            next = .max
        case .segment(let index):
            if feeding == nil { feeding = try IndexEntryIterator(index, hiding: mask, explanation) }
            while true {
                switch try feeding?.advance(from: from, to: to, explanation) ?? .end {
                case .end: next = .max
                case .later(let start): next = start
                case .block:
                    try feeding?.takeBlock([.starts, .ends], scratch)
                    keep(scratch.block)
                    continue
                }
                return
            }
        }
    }

    private func keep(_ block: BlockBuffer) {
        if row == starts.count {
            starts.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            row = 0
        }
        starts += block.starts[..<block.count]
        ends += (block.hasEnds ? block.ends : block.starts)[..<block.count]
    }

    /// Whether all samples were decoded and taken.
    var isDone: Bool { next == .max && row == starts.count }

    func hasRows(before instant: Int64) -> Bool { row < starts.count && starts[row] < instant }

    /// Removes and returns the decoded samples that start before an instant.
    func take(before instant: Int64) -> (starts: [Int64], ends: [Int64]) {
        let end = Kernel.lowerBound(starts, row..<starts.count, instant)
        defer { row = end }
        return (Array(starts[row..<end]), Array(ends[row..<end]))
    }

    /// Removes the decoded samples that start before an instant and adds them to `covered`.
    func take(before instant: Int64, into covered: inout CoveredTime) {
        let end = Kernel.lowerBound(starts, row..<starts.count, instant)
        covered.add(starts: starts, ends: ends, row..<end)
        row = end
    }
}
