// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

/// The example of the health store in `README.md`. The lines between the marks are those of the page.
@Suite("S-40 S-121 S-129 the README's example of the health store")
struct ReadmeExampleTests {
    @Test("saves steps and prints daily sums")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let zone = zurich.timeZone
        let midnight = try #require(zurich.date(from: DateComponents(year: 2026, month: 3, day: 23)))
        let noon = midnight.addingTimeInterval(43_200)

        // example readme-health begins
        let health = HKHealthStore(directory: path)  // the first use creates the store
        let steps = HKQuantityType(.stepCount)
        let walk = HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 900), start: noon, end: noon + 600)
        try await health.save(walk)  // durable when it returns

        let daily = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: steps), options: .cumulativeSum,
            anchorDate: midnight, intervalComponents: DateComponents(timeZone: zone, day: 1))
        for day in try await daily.result(for: health).statistics() {
            print(day.startDate, day.sumQuantity()?.doubleValue(for: .count()) ?? 0)
        }
        health.close()
        // example readme-health ends

        let days = try await daily.result(for: health).statistics()
        #expect(days.map(\.startDate) == [midnight])
        #expect(days.map { $0.sumQuantity()?.doubleValue(for: .count()) } == [900])
        let query = HKSampleQueryDescriptor(predicates: [.quantitySample(type: steps)])
        let found = try await query.result(for: health)
        #expect(found.map(\.uuid) == [walk.uuid])
        health.close()
    }
}
