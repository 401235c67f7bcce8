// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

extension Run {
    /// Adds this run to the buckets of a sweep, without deleted samples.
    func fill(_ sweep: inout BucketSweep, _ scratch: QueryScratch, _ tombstones: Tombstones?) throws(StoreError) {
        sweep.begin()
        // Most runs lie outside of the buckets.
        if firstStart >= sweep.last { return }
        if lastStart < sweep.first, !sweep.isShared || maxEnd <= sweep.first { return }
        if let mask = tombstones?.mask(over: self) { return try sweep.take(self, hiding: mask, scratch) }
        switch sweep.consider(summary) {
        case .skip, .stop: return
        case .whole:
            scratch.explanation?.runs += 1
            scratch.explanation?.summaries += 1
        case .descend:
            scratch.explanation?.runs += 1
            switch self {
            case .tail(let block):
                try scratch.load(block, [.starts, .ends, .values])
                sweep.take(scratch.block)
            case .segment(let run):
                try sweep.take(run, scratch)
            }
        }
    }
}
