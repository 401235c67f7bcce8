// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-68 dates of predicates as nanoseconds of a store")
struct TimeConditionTests {
    private func sample(_ start: Int64, _ end: Int64) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1),
            start: StoredTime.date(start), end: StoredTime.endDate(end))
    }

    @Test("a condition in nanoseconds matches the same samples as the dates of the predicate", arguments: 1...10)
    func exact(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let base = dice.pick([
                0, newYear + Int64(dice.below(1_000_000_000)), 978_307_200 * second, TimeLimits.earliest + 2_000,
                TimeLimits.latest - 2_000,
            ])
            func near() -> Int64 {
                min(max(base + Int64(dice.below(2_000)) - 1_000, TimeLimits.earliest), TimeLimits.latest)
            }
            func bound() -> Date? {
                switch dice.below(8) {
                case 0: nil
                case 1: dice.pick([Date.distantPast, .distantFuture])
                default: StoredTime.date(near())
                }
            }
            var condition = TimeCondition()
            var windows = [(start: Date?, end: Date?, options: HKQueryOptions)]()
            for _ in 0...dice.below(2) {
                let window = (bound(), bound(), HKQueryOptions(rawValue: UInt(dice.below(4))))
                windows.append(window)
                condition.add(window.0, window.1, window.2)
            }
            for _ in 0..<60 {
                let start = near()
                let end = dice.chance(0.3) ? start : dice.chance(0.1) ? TimeLimits.latest : max(start, near())
                let one = sample(start, end)
                let isMeant = windows.allSatisfy { $0.options.matches(one, start: $0.start, end: $0.end) }
                #expect(condition.matches(start, end) == isMeant, "\(windows) \(start) \(end)")
                if condition.starts.contains(start), start >= condition.certainFrom, end < condition.endsBefore {
                    #expect(isMeant, "\(windows) \(start) \(end)")
                }
                if condition.isEmpty { #expect(!isMeant) }
            }
        }
    }

    @Test("a predicate is split into the parts that summaries can answer and the rest")
    func split() {
        let source = HKSource(name: "a", bundleIdentifier: "a")
        let window = SamplePredicate.time(start: clock, end: nil, options: [])
        let plain = StatisticsCondition(.and([window, .and([.sources([source]), .always(true)]), window]))
        #expect(plain.rest == nil && plain.time.overlaps.count == 2)
        #expect(plain.admits(source) && !plain.admits(HKSource(name: "a", bundleIdentifier: "b")))
        let more = StatisticsCondition(.and([window, .hasMetadata("x"), .not(.sources([source]))]))
        #expect(more.rest == .hasMetadata("x") && !more.admits(source))
        #expect(StatisticsCondition(.or([window, .sources([source])])).rest != nil)
        #expect(!StatisticsCondition(.always(false)).admits(source))
        #expect(StatisticsCondition(.time(start: clock, end: clock, options: [])).time.isEmpty)
    }
}
