// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-40 the save rules allow exactly the dates that a store can hold")
struct StorableDatesTests {
    private func day(_ text: some StringProtocol, _ time: String) throws -> Date {
        try Date("\(text)T\(time)Z", strategy: .iso8601)
    }

    private func sample(at date: Date) -> HKQuantitySample {
        HKQuantitySample(
            type: bodyMass, quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: date, end: date)
    }

    private func refusal(_ sample: HKSample) -> HKError? {
        do throws(HKError) {
            try HealthSaveRules.check(sample)
            return nil
        } catch {
            return error
        }
    }

    @Test("the limits are those of the engine")
    func limits() {
        let (first, last) = (StoredTime.date(TimeLimits.earliest), StoredTime.date(TimeLimits.latest))
        #expect(HealthSaveRules.bounds == first...last)
    }

    @Test("the error names the first and the last day that can be stored completely")
    func advice() throws {
        let days = HealthSaveRules.storableDays.components(separatedBy: " to ")
        #expect(days == ["1678-06-19", "2261-07-14"])
        #expect(StoredTime.nanoseconds(try day(days[0], "00:00:00")) != nil)
        #expect(StoredTime.nanoseconds(try day(days[0], "00:00:00") - 86_400) == nil)
        #expect(StoredTime.nanoseconds(try day(days[1], "23:59:59")) != nil)
        #expect(StoredTime.nanoseconds(try day(days[1], "23:59:59") + 86_400) == nil)
        let january = try #require(refusal(sample(at: day("1678-01-15", "00:00:00"))))
        #expect(january.code == .errorInvalidArgument)
        #expect(january.description.contains(HealthSaveRules.storableDays), "\(january)")
    }

    @Test("at the limits rules and store agree to the last bit of a date", arguments: 1...4)
    func edges(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var taken = 0
        for edge in [HealthSaveRules.bounds.lowerBound, HealthSaveRules.bounds.upperBound] {
            var (below, above) = (edge.timeIntervalSinceReferenceDate, edge.timeIntervalSinceReferenceDate)
            var dates = [below]
            for _ in 0..<20 {
                (below, above) = (below.nextDown, above.nextUp)
                dates += [below, above, below - Double(dice.below(9_000_000)), above + Double(dice.below(9_000_000))]
            }
            for time in dates {
                let date = Date(timeIntervalSinceReferenceDate: time)
                let isTaken = refusal(sample(at: date)) == nil
                #expect(isTaken == (StoredTime.nanoseconds(date) != nil), "\(time)")
                if isTaken { taken += 1 }
            }
        }
        #expect(taken == 82)
    }
}
