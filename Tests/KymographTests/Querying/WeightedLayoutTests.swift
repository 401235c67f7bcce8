// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-8 the time-weighted average does not depend on the layout of blocks")
struct WeightedLayoutTests {
    /// Samples whose distances are not whole seconds, so that a distance in seconds is rounded.
    private static func samples(_ random: inout SeededGenerator) -> [Sample] {
        var start: Int64 = 1_700_000_000_000_000_000
        return (0..<4 + random.below(40)).map { _ in
            start += Int64(1 + random.below(4_000)) * 1_000_003
            return Sample(start: start, value: Double(random.below(12)) / 4)
        }
    }

    @Test("samples in one batch, in interleaved batches, sealed and unsealed have the same bits")
    func layouts() throws {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let samples = Self.samples(&random)
            let places = samples.indices.map { _ in random.below(4) }
            let test = try TestStore()
            let whole = try test.store.series("whole", kind: .discrete).id
            let parts = try test.store.series("parts", kind: .discrete).id
            func average(_ id: SeriesID) throws -> UInt64? {
                let found = try test.store.snapshot().aggregate(of: id, computing: .timeWeightedAverage)
                return found.timeWeightedAverage?.bitPattern
            }
            try test.store.append(samples, to: whole)
            let expected = try #require(try average(whole))
            for part in 0..<4 {
                let batch = zip(samples, places).filter { $0.1 == part }.map(\.0)
                if batch.isEmpty { continue }
                try test.store.append(batch, to: parts)
                if part % 2 == seed % 2 { try test.store.seal() }
            }
            #expect(try average(parts) == expected, "seed \(seed), in batches")
            #expect(try average(whole) == expected, "seed \(seed), perhaps sealed")
            try test.store.compact()
            #expect(try average(parts) == expected, "seed \(seed), compacted")
        }
    }
}
