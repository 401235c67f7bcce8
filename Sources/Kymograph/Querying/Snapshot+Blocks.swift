// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

extension Snapshot {
    /// Calls `body` with the samples of every block of a series that holds a sample starting in the range, without
    /// deleted samples. Blocks are decoded whole; the order of the runs is undefined.
    ///
    /// The batch is valid only during the call of `body`.
    package func forEachBlock(
        of id: SeriesID, startingIn range: TimeRange = .all, columns: SampleColumns,
        _ body: (BlockPlace, SampleBatch) throws(StoreError) -> Void
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for found in try blocks(of: [id], startingIn: range, nil) {
            try found.load(columns.set, scratch)
            let block = scratch.block
            if block.count == 0 { continue }
            try body(found.place, SampleBatch(block: block, rows: 0..<block.count, series: id, runBorn: found.born))
        }
    }
}
