// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

extension Snapshot {
    /// Appends the samples of a series that start in a range to the caller's arrays, in order of start.
    ///
    /// If no two runs overlap in time, blocks are decoded directly into the arrays, by several threads if there are
    /// many. Large results use large memory pages if the system supports them. After an error the arrays are unchanged.
    /// - Throws: `unknownSeries`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples read).
    public func read(
        _ id: SeriesID, over range: TimeRange = .all, starts: inout [Int64], values: inout [Double]
    ) throws(StoreError) {
        try known(id)
        let runs = runs(id)
            .filter { $0.firstStart < range.end && $0.lastStart >= range.start }
            .sorted { $0.firstStart < $1.firstStart }
        var pieces = [ReadPiece]()
        let tombstones = version.tombstones(of: id)
        for run in runs { try ReadPiece.add(run, range, hiding: tombstones?.mask(over: run), to: &pieces) }
        let room = pieces.reduce(0) { $0 + $1.count }
        let overlap = zip(runs, runs.dropFirst()).contains { one, next in one.lastStart >= next.firstStart }
        let threads = room >= 262_144 ? version.threads : 1
        try SampleSink.append(
            room, reserving: FreshMemory.capacity(forWords: room), to: &starts, &values,
            preparing: FreshMemory.preferLargePages
        ) { sink throws(StoreError) in
            overlap ? try readMerged(id, range, sink) : try ReadPiece.read(pieces, range, sink, threads: threads)
        }
    }

    /// Reads runs that overlap in time into the rows of a sink from 0 on. Returns the number of rows.
    private func readMerged(_ id: SeriesID, _ range: TimeRange, _ sink: SampleSink) throws(StoreError) -> Int {
        var row = 0
        try merge([id], RunScan(range, [.starts, .values])) { batch throws(StoreError) in
            guard batch.count <= sink.room - row else {
                throw StoreError(.corrupt, "the blocks of series \(id.rawValue) have more samples than their indexes")
            }
            sink.put(batch.block, batch.rows, row: row)
            row += batch.count
            return true
        }
        return row
    }
}
