// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// Finds segments that a merge has replaced, where rows of the catalog are lost that would say so: the merged one holds
/// samples with the same identities.
///
/// Of each block three samples are remembered, and all samples of all segments are looked up among them.
struct SupersededSegmentFinder {
    private struct Segment {
        let uuid: [UInt8]
        /// The commit that came before its samples.
        var commit: Int64
        var samples: Int
        var marks = 0
        /// Marks of others that it holds, by their places.
        var holds: [Int: Int] = [:]
    }

    private var segments: [Segment] = []
    private var places: [SampleMark: [Int]] = [:]

    /// Takes a segment in; each of them once, before any is looked up.
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

    /// Looks up the samples of a segment, in the order in which they were added.
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

    /// Those that others replaced, with these.
    var found: [[UInt8]: [UInt8]] {
        var replaced: [[UInt8]: [UInt8]] = [:]
        for (place, one) in segments.enumerated() {
            for (other, count) in one.holds where isNewer(one, place, than: segments[other], other, count) {
                replaced[segments[other].uuid] = one.uuid
            }
        }
        return replaced
    }

    /// Whether a segment that holds marks of another one was made of it, and not the other way round.
    private func isNewer(_ one: Segment, _ place: Int, than other: Segment, _ otherPlace: Int, _ count: Int) -> Bool {
        if one.commit != other.commit { return one.commit > other.commit }
        // Made in one go with its sources: the one that holds more of the other, or has lost something to a deletion.
        let mine = count * max(1, one.marks)
        let theirs = (other.holds[place] ?? 0) * max(1, other.marks)
        if mine != theirs { return mine > theirs }
        return one.samples != other.samples
            ? one.samples < other.samples : one.uuid.lexicographicallyPrecedes(other.uuid)
    }
}
