// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

extension BucketSweep {
    /// Adds the samples of a decoded block that an edge cuts.
    mutating func take(_ block: BlockBuffer) {
        guard block.count > 0 else { return }
        // Most blocks lie inside the range of the buckets.
        let low = block.starts[0] >= first ? 0 : Kernel.lowerBound(block.starts, 0..<block.count, first)
        let reaches = block.starts[block.count - 1] >= last
        let high = reaches ? Kernel.lowerBound(block.starts, low..<block.count, last) : block.count
        if isShared, block.hasEnds {
            for i in 0..<low where block.ends[i] > first {
                share(start: block.starts[i], end: block.ends[i], value: block.values[i], from: -1)
            }
        }
        guard low < high else { return }
        // A damaged index may contradict its blocks, so starts may decrease.
        if block.starts[low] < edges[cursor] { cursor = 0 }
        let before = cursor
        if !extras.isEmpty { takeExtras(block, low..<high) }
        if isShared, block.hasEnds { shareEnds(block, low..<high) }
        cursor = before
        rows.add(
            starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: low..<high,
            edges: edges, cursor: &cursor)
    }

    /// Moves the cursor from bucket to bucket and passes the rows that start in each bucket to `body`.
    @inline(__always)
    mutating func forEachStretch(
        _ starts: [Int64], _ range: Range<Int>, _ body: (inout BucketSweep, Range<Int>) -> Void
    ) {
        var at = range.lowerBound
        while at < range.upperBound {
            seek(starts[at])
            let next = Kernel.lowerBound(starts, at..<range.upperBound, upper)
            body(&self, at..<next)
            at = next
        }
    }

    /// Divides the values of samples that end after their bucket among the buckets. Fully hidden samples are skipped.
    mutating func shareEnds(_ block: BlockBuffer, _ range: Range<Int>, under cover: SourceCoverage? = nil) {
        let (starts, ends) = (block.starts, block.ends)
        forEachStretch(starts, range) { sweep, stretch in
            let edge = sweep.upper
            for i in stretch where ends[i] > edge {
                if let cover {
                    if cover.hidden[i] >= UInt64(bitPattern: ends[i] &- starts[i]) { continue }
                    cover.show(i)
                }
                sweep.share(start: starts[i], end: ends[i], value: block.values[i], from: sweep.cursor, under: cover)
            }
        }
    }

    /// Adds the samples to `extras`, the results that only some options need.
    mutating func takeExtras(_ block: BlockBuffer, _ range: Range<Int>) {
        let before = cursor
        forEachStretch(block.starts, range) { sweep, stretch in
            let part = Kernel.summarize(
                starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: stretch,
                minBorn: 0, maxBorn: 0)
            sweep.addExtra(part, to: sweep.cursor)
        }
        cursor = before
    }
}
