// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// Finds segments that a merge has replaced, if the catalog rows that recorded this are lost: the merged segment holds
/// samples with the same identities.
///
/// The finder records three samples of each block, and searches for them among the samples of all segments.
struct SupersededSegmentFinder {
    private struct Segment {
        let uuid: [UInt8]
        /// The commit of the segment, or the earliest possible one.
        var commit: Int64
        var samples: Int
        var marks = 0
        /// The number of recorded samples of other segments that it holds, by the index of the segment.
        var holds: [Int: Int] = [:]
    }

    private var segments: [Segment] = []
    private var places: [SampleMark: [Int]] = [:]

    /// Adds a segment.
    /// - Ordering: all segments are added once, before the first call of `look`.
    mutating func add(_ salvage: SegmentSalvage) throws(StoreError) {
        let place = segments.count
        var one = Segment(uuid: salvage.uuid, commit: salvage.born, samples: salvage.samples)
        try salvage.forEachBlock { series, block in
            if block.count == 0 || block.identityHigh.isAbsent { return }
            for row in Set([0, block.count / 2, block.count - 1]) {
                let mark = SampleMark(series, block, row)
                self.places[mark, default: []].append(place)
                one.marks += 1
            }
        }
        segments.append(one)
    }

    /// Searches a segment for the recorded samples of others. `place` is its index in the order of `add`.
    mutating func look(_ salvage: SegmentSalvage, at place: Int) throws(StoreError) {
        try salvage.forEachBlock { series, block in
            if block.identityHigh.isAbsent { return }
            for row in 0..<block.count {
                let mark = SampleMark(series, block, row)
                for other in self.places[mark] ?? [] where other != place {
                    self.segments[place].holds[other, default: 0] += 1
                }
            }
        }
    }

    /// The replaced segments, each with the segment that replaced it.
    var found: [[UInt8]: [UInt8]] {
        var replaced: [[UInt8]: [UInt8]] = [:]
        for (place, one) in segments.enumerated() {
            for (other, count) in one.holds where isNewer(one, place, than: segments[other], other, count) {
                replaced[segments[other].uuid] = one.uuid
            }
        }
        return replaced
    }

    /// Returns true if segment `one`, which holds recorded samples of `other`, was made from `other`, and not the
    /// reverse.
    private func isNewer(_ one: Segment, _ place: Int, than other: Segment, _ otherPlace: Int, _ count: Int) -> Bool {
        if one.commit != other.commit { return one.commit > other.commit }
        // Both have the same commit. The newer one holds more of the other, or has lost samples to a deletion.
        let mine = count * max(1, one.marks)
        let theirs = (other.holds[place] ?? 0) * max(1, other.marks)
        if mine != theirs { return mine > theirs }
        return one.samples != other.samples
            ? one.samples < other.samples : one.uuid.lexicographicallyPrecedes(other.uuid)
    }
}
