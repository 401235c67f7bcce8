// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-37 S-39 searches decode only candidate blocks and return exactly the matching samples")
struct SampleSearchTests {
    private func steps(_ count: Double, _ start: Double, _ length: Double) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count),
            start: clock.addingTimeInterval(start), end: clock.addingTimeInterval(start + length),
            metadata: count < 5 ? ["few": true] : nil)
    }

    private func predicate(_ dice: inout SeededGenerator, depth: Int) -> SamplePredicate {
        if depth > 0, dice.chance(0.5) {
            let parts = (0..<dice.below(3)).map { _ in predicate(&dice, depth: depth - 1) }
            switch dice.below(3) {
            case 0: return .and(parts)
            case 1: return .or(parts)
            default: return .not(predicate(&dice, depth: depth - 1))
            }
        }
        switch dice.below(5) {
        case 0: return .hasMetadata("few")
        case 1: return .quantity(.lessThan, HKQuantity(unit: .count(), doubleValue: Double(dice.below(20))))
        default:
            let start = dice.chance(0.1) ? .distantPast : clock.addingTimeInterval(Double(dice.below(4_000)))
            let late = clock.addingTimeInterval(Double(dice.below(5_000)) - 10)
            let end = dice.chance(0.1) ? .distantFuture : dice.chance(0.05) ? .distantPast : late
            return .time(
                start: dice.chance(0.2) ? nil : start, end: dice.chance(0.2) ? nil : end,
                options: HKQueryOptions(rawValue: UInt(dice.below(4))))
        }
    }

    @Test(
        "random predicates, in both directions and with limits, return the same as a check of every sample",
        arguments: 1...8)
    func random(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        let type = HKQuantityType(.stepCount)
        for _ in 0..<6 {
            let some = (0..<120).map { _ in
                let length = dice.chance(0.05) ? Double(dice.below(3_000)) : Double(dice.below(40))
                return steps(Double(dice.below(20)), Double(dice.below(4_000)), length)
            }
            try await door.health.save(some)
            if dice.chance(0.3) { try door.health.store().engine.seal() }
        }
        let store = try door.health.store()
        let all = try door.all(type)
        #expect(all.count == 720)
        for _ in 0..<40 {
            let one = predicate(&dice, depth: 3)
            let wanted = all.filter { one.matches($0) }.map(\.uuid)
            #expect(try door.all(type, one).map(\.uuid) == wanted, "\(one)")
            let limit = dice.below(20)
            var backward = [HKSample]()
            try store.search(SampleSearch(type: type, predicate: one, backward: true, limit: limit)) {
                backward += $0.samples
                return true
            }
            #expect(backward.count == min(limit, wanted.count))
            #expect(zip(backward, backward.dropFirst()).allSatisfy { $0.startDate >= $1.startDate })
            #expect(Set(backward.map(\.uuid)).isSubset(of: wanted))
            // No matching sample that starts later is left out.
            if let last = backward.last?.startDate {
                let later = all.filter { one.matches($0) && $0.startDate > last }
                #expect(later.count < limit)
            }
        }
    }

    @Test("dates and sources limit the decoded blocks")
    func blocks() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.stepCount)
        let scale = door.other("com.example.scale")
        for part in 0..<2 {
            let health = part == 0 ? door.health : scale
            try await health.save((0..<40_000).map { steps(9, Double($0) * 60, 30) })
        }
        func decoded(_ predicate: SamplePredicate) throws -> (blocks: Int, samples: Int) {
            let explanation = QueryExplanation()
            let found = try door.all(type, predicate, explanation)
            return (explanation.blocksDecoded, found.count)
        }
        let whole = try decoded(.always(true))
        #expect(whole.samples == 80_000 && whole.blocks >= 50)
        let hour = SamplePredicate.time(
            start: clock.addingTimeInterval(1_200_000), end: clock.addingTimeInterval(1_203_600), options: [])
        let some = try decoded(hour)
        // The samples of an hour are in at most two blocks of each source.
        #expect(some.samples == 120 && some.blocks <= 4)
        let mine = try decoded(.sources([HKSource.default()]))
        #expect(mine.samples == 40_000 && mine.blocks <= whole.blocks / 2 + 1)
        let both = try decoded(.and([.sources([scale.revision.source]), hour]))
        #expect(both.samples == 60 && both.blocks <= 2)
        #expect(try decoded(.sources([HKSource(name: "x", bundleIdentifier: "x")])) == (0, 0))
        #expect(try decoded(.and([hour, .time(start: nil, end: clock, options: [])])) == (0, 0))
    }
}
