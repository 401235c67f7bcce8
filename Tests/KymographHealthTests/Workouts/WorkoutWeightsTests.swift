// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-96 heart rates of several sources in a running workout")
struct WorkoutWeightsTests {
    private let type = HKQuantityType(.heartRate)
    private let unit = HKUnit.count().unitDivided(by: .minute())

    private struct Beat {
        let start: Int64
        let rate: Double
    }

    private func tally(_ beats: [Beat]) -> WorkoutTally {
        var tally = WorkoutTally()
        for beat in beats { tally.add(type, unit, start: beat.start, end: beat.start, value: beat.rate) }
        return tally
    }

    private func sorted(_ beats: [Beat]) -> [Beat] { beats.sorted { ($0.start, $0.rate) < ($1.start, $1.rate) } }

    /// Returns beats with random times, of which some are equal.
    private func beats(_ count: Int, _ dice: inout SeededGenerator) -> [Beat] {
        (0..<count).map { place in
            Beat(
                start: Int64(place) * second + Int64(dice.below(3)) * second / 2,
                rate: 60 + Double(dice.below(100)) + dice.fraction())
        }
    }

    @Test(
        "beats that are late by some minutes give the statistics of the order of time, to the last bit",
        arguments: 1...6)
    func late(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let beats = beats(3_000, &dice)
        // Each beat comes up to four hundred places too late.
        let arrived = beats.enumerated().map { (place: $0 + dice.below(400), beat: $1) }
            .sorted { $0.place < $1.place }.map(\.beat)
        let (found, wanted) = (tally(arrived), tally(sorted(beats)))
        #expect(found.staleTypes.isEmpty && wanted.staleTypes.isEmpty)
        #expect(found.statistic(of: type) == wanted.statistic(of: type))
    }

    @Test("a beat that is much too late makes the statistics stale; a value that hides others does, too")
    func tooLate() {
        var dice = SeededGenerator(seed: 8)
        let beats = sorted(beats(3_000, &dice))
        for place in [0, 1, 1_000] {
            let arrived = beats[..<place] + beats[(place + 1)...] + [beats[place]]
            #expect(!tally(Array(arrived)).staleTypes.isEmpty)
        }
        #expect(tally(Array(beats[..<2_999]) + [beats[2_998]]).staleTypes.isEmpty)
        // The beat of the same time but a later place takes the weight of a huge value.
        let huge = [Beat(start: 0, rate: 1e300), Beat(start: second, rate: 2), Beat(start: 2 * second, rate: 3)]
        let other = WorkoutTally.Item(start: 0, end: 1, value: 2)
        var hidden = tally(huge)
        hidden.add(type, unit, other)
        #expect(tally(huge).staleTypes.isEmpty && hidden.staleTypes == [type])
        let most = [Beat(start: 0, rate: .greatestFiniteMagnitude), Beat(start: 60 * second, rate: 2)]
        #expect(!tally(most + [Beat(start: second, rate: 4)]).staleTypes.isEmpty)
    }
}
