// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

extension BucketSweep {
    /// Takes a decoded block that an edge cuts.
    mutating func take(_ block: BlockBuffer) {
        guard block.count > 0 else { return }
        // Most blocks lie inside the row.
        let low = block.starts[0] >= first ? 0 : Kernel.lowerBound(block.starts, 0..<block.count, first)
        let reaches = block.starts[block.count - 1] >= last
        let high = reaches ? Kernel.lowerBound(block.starts, low..<block.count, last) : block.count
        if isShared, block.hasEnds {
            for i in 0..<low where block.ends[i] > first {
                share(start: block.starts[i], end: block.ends[i], value: block.values[i], from: -1)
            }
        }
        guard low < high else { return }
        // An index that contradicts its blocks might go back in time.
        if block.starts[low] < edges[cursor] { cursor = 0 }
        let before = cursor
        if !extras.isEmpty { takeExtras(block, low..<high) }
        if isShared, block.hasEnds { shareEnds(block, low..<high) }
        cursor = before
        Kernel.add(
            starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: low..<high,
            edges: edges, cursor: &cursor, to: &rows)
    }

    /// Shares the samples that reach over the end of their bucket.
    private mutating func shareEnds(_ block: BlockBuffer, _ range: Range<Int>) {
        let (starts, ends) = (block.starts, block.ends)
        var at = range.lowerBound
        while at < range.upperBound {
            seek(starts[at])
            let edge = upper
            let next = Kernel.lowerBound(starts, at..<range.upperBound, edge)
            for i in at..<next where ends[i] > edge {
                share(start: starts[i], end: ends[i], value: block.values[i], from: cursor)
            }
            at = next
        }
    }

    /// Adds what only some queries need.
    mutating func takeExtras(_ block: BlockBuffer, _ range: Range<Int>) {
        let before = cursor
        var at = range.lowerBound
        while at < range.upperBound {
            seek(block.starts[at])
            let next = Kernel.lowerBound(block.starts, at..<range.upperBound, upper)
            let stretch = Kernel.summarize(
                starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: at..<next,
                minBorn: 0, maxBorn: 0)
            addExtra(stretch, to: cursor)
            at = next
        }
        cursor = before
    }
}
