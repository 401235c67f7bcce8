// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat
import Kernels

extension Snapshot {
    /// Calls `body` with every block of a series that holds a sample starting in the range, without deleted samples.
    /// Blocks are decoded whole; the order of the runs is undefined.
    ///
    /// The buffer is valid only during the call of `body`.
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
