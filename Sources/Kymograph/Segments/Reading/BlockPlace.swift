// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat

/// Which block of a snapshot: a place that stays the same while the snapshot lives.
package struct BlockPlace: Hashable, Sendable {
    /// The number of the segment's file in this process, or the negated commit of a tail row.
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
        for found in try blocks(of: [id], startingIn: range, nil) {
            try found.load(columns, scratch)
            try body(found.place, scratch.block)
        }
    }
}
