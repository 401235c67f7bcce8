// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthViews
import TestSupport
import Testing

@Suite("T-12 the example of the page on nights")
struct NightExampleTests {
    @Test("the example of the page on nights")
    func example() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let health = HKHealthStore(directory: path)
        _ = try SimulatedNightTests.simulate(health, days: 2)
        health.close()
        let (from, to) = (Int64(1_711_000_000_000_000_000), Int64(1_712_000_000_000_000_000))
        // example nights begins
        let store = try HealthStore.open(at: path, mode: .readOnly)
        for night in try store.nights(NightRequest(range: TimeRange(from, to))) {
            print(night.date, night.asleep, night.inBed ?? .zero, night.duration(of: .deep))
            for stage in night.stages { print(stage.stage, stage.range.start, stage.source) }
        }
        // example nights ends
        #expect(try store.nights().count == 2)
        store.close()
    }
}
