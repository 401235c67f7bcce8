// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import Kernels

/// The totals of all runs of a segment: samples, blocks, first and last start, first and last commit. They answer
/// queries about whole segments.
struct SegmentTotals: Sendable {
    private(set) var samples: Int64 = 0
    private(set) var blocks: Int64 = 0
    private(set) var firstStart = Int64.max
    private(set) var lastStart = Int64.min
    /// The first and the last commit of the samples.
    private(set) var births: (first: Int64, last: Int64) = (.max, .min)

    /// Adds up the summaries of all runs.
    ///
    /// - Throws: `corrupt` if a summary is damaged.
    init(_ row: SegmentRow, _ path: String) throws(StoreError) {
        let sum = Kernel.crc32c(row.uuid, 0..<row.uuid.count)
        var bytes = [UInt8]()
        for place in row.runs.indices {
            let blocks = row.runs.unpack(place, summary: &bytes).blocks
            let series = row.runs.series[place]
            do throws(ByteError) {
                let summary = try RunSummary.decode(&bytes, sum, series: series)
                samples &+= summary.count
                self.blocks &+= blocks
                firstStart = min(firstStart, summary.firstStart)
                lastStart = max(lastStart, summary.lastStart)
                // A bulk load of one commit stores no `born` column; its samples have the row's commit.
                let own = summary.maxBorn > 0 ? (summary.minBorn, summary.maxBorn) : (row.born, row.born)
                births = (min(births.first, own.0), max(births.last, own.1))
            } catch {
                throw StoreError(
                    .corrupt, "the summary of series \(series) in the catalog is damaged: \(error.what)", path: path)
            }
        }
    }

    /// The partitions of the first and the last sample.
    var partitions: ClosedRange<Int> {
        CompactionPartition.of(firstStart)...CompactionPartition.of(Swift.max(firstStart, lastStart))
    }
}
