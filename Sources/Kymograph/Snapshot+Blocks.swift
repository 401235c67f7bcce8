// SPDX-License-Identifier: Apache-2.0

import Catalog
package import ChunkFormat
import Kernels

/// Which block of a snapshot: a place that stays the same while the snapshot lives.
package struct BlockPlace: Hashable, Sendable {
    /// The segment's row, or the negated commit of a tail row.
    let file: Int64
    let offset: UInt64
}

extension Snapshot {
    /// Gives every block of a series that holds a sample starting in the range, decoded whole, in no order between
    /// runs. What is deleted is not in it.
    ///
    /// The block's buffer is used again for the next one.
    package func forEachBlock(
        of id: SeriesID, startingIn range: TimeRange = .all, columns: ColumnSet,
        _ body: (BlockPlace, BlockBuffer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        let tombstones = version.tombstones(of: id)
        for run in runs(id) where run.firstStart < range.end && run.lastStart >= range.start {
            let mask = tombstones?.mask(over: run)
            switch run {
            case .tail(let block):
                try scratch.load(block, columns, mask)
                try body(BlockPlace(file: -block.seq, offset: block.ordinal), scratch.block)
            case .segment(let index):
                for place in try index.blocks(startingIn: range, hiding: mask, nil) {
                    try scratch.load(index, place.offset, place.length, columns, place.mask)
                    try body(BlockPlace(file: index.file.row.id, offset: place.offset), scratch.block)
                }
            }
        }
    }
}
