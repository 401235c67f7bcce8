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
    /// runs.
    ///
    /// The block's buffer is used again for the next one.
    package func forEachBlock(
        of id: SeriesID, startingIn range: TimeRange = .all, columns: ColumnSet,
        _ body: (BlockPlace, BlockBuffer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for run in runs(id) where run.firstStart < range.end && run.lastStart >= range.start {
            switch run {
            case .tail(let block):
                try scratch.load(block, columns)
                try body(BlockPlace(file: -block.seq, offset: block.ordinal), scratch.block)
            case .segment(let index):
                for place in try index.blocks(startingIn: range, nil) {
                    try scratch.load(index, place.offset, place.length, columns)
                    try body(BlockPlace(file: index.file.row.id, offset: place.offset), scratch.block)
                }
            }
        }
    }
}
