// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 distances over time")
struct DistanceTrackTests {
    private static let second: Int64 = 1_000_000_000

    private func track(_ steps: [(Int64, Int64, Double)]) -> DistanceTrack {
        DistanceTrack(
            steps.map { DistanceTrack.Step(start: $0.0 * Self.second, end: $0.1 * Self.second, metres: $0.2) })
    }

    @Test("gaps, overlaps and instants: splits end where the sum reaches them")
    func splits() {
        func ends(_ steps: [(Int64, Int64, Double)], every metres: Double) -> [Double] {
            track(steps).splits(every: metres).map { Double($0.range.end) / 1e9 }
        }
        #expect(ends([(0, 10, 100)], every: 40) == [4, 8, 10])
        #expect(ends([(0, 10, 100)], every: 100) == [10] && ends([(0, 10, 100)], every: 101) == [10])
        #expect(ends([(20, 30, 50), (0, 10, 50)], every: 50) == [10, 30])
        #expect(ends([(0, 10, 50), (0, 10, 50)], every: 50) == [5, 10])
        #expect(ends([(5, 5, 30), (9, 9, 30)], every: 20) == [5, 9, 9])
        #expect(ends([], every: 1) == [] && ends([(0, 10, 100)], every: 0) == [])
        #expect(ends([(0, 10, -5), (0, 10, .nan), (10, 0, 5), (0, 10, .infinity)], every: 1) == [])
    }

    @Test("splits of random steps have the wanted distance", arguments: UInt64(0)..<20)
    func random(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var steps: [(Int64, Int64, Double)] = []
        for _ in 0..<200 {
            let start = Int64.random(in: 0..<1_000, using: &random)
            steps.append((start, start + .random(in: 0..<30, using: &random), .random(in: 0..<40, using: &random)))
        }
        /// The naive distance up to an instant.
        func distance(_ instant: Int64) -> Double {
            steps.reduce(0) { sum, step in
                let (start, end) = (step.0 * Self.second, step.1 * Self.second)
                if instant >= end { return sum + step.2 }
                return instant <= start ? sum : sum + step.2 * Double(instant - start) / Double(end - start)
            }
        }
        let all = steps.reduce(0) { $0 + $1.2 }
        let track = track(steps)
        #expect(abs(track.length - all) < 1e-6)
        let splits = track.splits(every: 100)
        #expect(splits.count == Int(all / 100) + (all.truncatingRemainder(dividingBy: 100) >= 1 ? 1 : 0))
        for (place, split) in splits.enumerated() where split.metres == 100 {
            // An instant sample may reach several splits at once.
            let wanted = Double(place + 1) * 100
            #expect(distance(split.range.end) >= wanted - 1e-3)
            #expect(distance(split.range.end - 2) <= wanted + 1e-3)
        }
    }
}
