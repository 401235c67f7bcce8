// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-6 the union of several deletions")
struct MaskTests {
    /// Returns a deletion of a range, or of some of its samples, in a short interval where deletions meet and overlap.
    private func tombstone(_ id: Int64, _ random: inout SeededGenerator) -> Tombstone {
        let start = Int64(random.below(60))
        let range = TimeRange(start, start + 1 + Int64(random.below(8)))
        var listed: ListedSamples?
        if random.chance(0.3) {
            listed = ListedSamples(sorting: [(range.start, SampleIdentity(high: 1, low: id))])
        }
        return Tombstone(id: id, series: 1, born: id, range: range, count: 1, listed: listed)
    }

    @Test("Masks extended deletion by deletion equal a mask of all deletions", arguments: 0..<40 as Range<UInt64>)
    func adding(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var stones: [Tombstone] = []
        var grown = Tombstones([])
        for id in 1...30 as ClosedRange<Int64> {
            let fresh = (0..<1 + Int64(random.below(3))).map { tombstone(100 * id + $0, &random) }
            stones += fresh
            grown = grown.adding(fresh)
            // Some masks are requested during the loop, others only at its end.
            guard random.chance(0.5) || id == 30 else { continue }
            let whole = Tombstones(stones)
            for born in [-1, Int64(random.below(3_000)), stones[stones.count / 2].born] {
                let (found, wanted) = (grown.mask(born: born), whole.mask(born: born))
                #expect((found == nil) == (wanted == nil))
                guard let found, let wanted else { continue }
                #expect(found.listedSamples == wanted.listedSamples)
                for first in -2..<75 as Range<Int64> {
                    for last in first..<min(75, first + 12) {
                        #expect(found.overlap(first, last) == wanted.overlap(first, last), "\(id): \(first)...\(last)")
                    }
                }
            }
        }
        #expect(grown.hidden == stones.count)
    }
}
