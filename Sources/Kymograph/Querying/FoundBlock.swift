// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// A block with samples that start in a range of time, in a segment or in the tail, and its deleted samples.
enum FoundBlock: Sendable {
    case segment(RunIndex, BlockEntry)
    case tail(TailBlock, Mask?)

    var place: BlockPlace {
        switch self {
        case .segment(let run, let entry): BlockPlace(file: run.file.number, offset: entry.offset)
        case .tail(let block, _): BlockPlace(file: -block.seq, offset: block.ordinal)
        }
    }

    /// The commit of the block's samples without an entry in the `born` column.
    var born: Int64 {
        switch self {
        case .segment(let run, _): run.file.row.born
        case .tail(let block, _): block.seq
        }
    }

    /// Decodes columns of the block into a scratch, without deleted samples.
    func load(_ columns: ColumnSet, _ scratch: QueryScratch) throws(StoreError) {
        switch self {
        case .segment(let run, let entry): try scratch.load(run, entry.offset, entry.length, columns, entry.mask)
        case .tail(let block, let mask): try scratch.load(block, columns, mask)
        }
    }
}

extension Snapshot {
    /// Returns the blocks of some series with samples that start in a range: run by run, each run in order of time.
    func blocks(
        of ids: [SeriesID], startingIn range: TimeRange, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [FoundBlock] {
        var found = [FoundBlock]()
        for id in ids {
            try known(id)
            let tombstones = version.tombstones(of: id)
            for run in runs(id) where run.firstStart < range.end && run.lastStart >= range.start {
                explanation?.runs += 1
                let mask = tombstones?.mask(over: run)
                switch run {
                case .tail(let block): found.append(.tail(block, mask))
                case .segment(let index):
                    for entry in try index.blocks(startingIn: range, hiding: mask, explanation) {
                        found.append(.segment(index, entry))
                    }
                }
            }
        }
        return found
    }

    /// Calls `body` block by block for each range of rows that start in one bucket.
    ///
    /// - Requires: `edges` ascend and are at least two.
    func forEachStretch(
        of ids: [SeriesID], edges: [Int64], _ columns: ColumnSet, _ scratch: QueryScratch,
        _ body: (_ block: BlockBuffer, _ rows: Range<Int>, _ bucket: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        let range = TimeRange(edges[0], edges[edges.count - 1])
        for found in try blocks(of: ids, startingIn: range, scratch.explanation) {
            try found.load(columns.union(.starts), scratch)
            let block = scratch.block
            try block.forEachStretch(edges: edges) { rows, bucket throws(StoreError) in try body(block, rows, bucket) }
        }
    }
}

extension BlockBuffer {
    /// Calls `body` for each range of rows that start in one bucket, with the position of the bucket.
    func forEachStretch(
        edges: [Int64], _ body: (_ rows: Range<Int>, _ bucket: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        let last = edges[edges.count - 1]
        var row = Kernel.lowerBound(starts, 0..<count, edges[0])
        var bucket = 0
        while row < count, starts[row] < last {
            // The last edge that is not after the sample is usually that of the current bucket or the next.
            if starts[row] >= edges[bucket + 1] {
                bucket += 1
                if starts[row] >= edges[bucket + 1] {
                    bucket = Kernel.lowerBound(edges, bucket..<edges.count, starts[row] &+ 1) - 1
                }
            }
            let upper = edges[bucket + 1]
            let next = starts[count - 1] < upper ? count : Kernel.lowerBound(starts, row..<count, upper)
            try body(row..<next, bucket)
            row = next
        }
    }
}
