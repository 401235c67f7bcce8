// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthViews
import TestSupport
import Testing

@Suite("T-12 hostile arguments of nights")
struct HostileNightTests {
    @Test("impossible requests are refused, and requests of nothing return nothing")
    func requests() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        _ = try SimulatedNightTests.simulate(health, days: 3)
        let store = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        let wrong = [
            NightRequest(zone: ""), NightRequest(zone: "\0"),
            NightRequest(zone: String(repeating: "x", count: 100_000)),
            NightRequest(startMinute: -1), NightRequest(startMinute: 1_440), NightRequest(startMinute: .max),
            NightRequest(asOf: -1), NightRequest(asOf: .max),
        ]
        for request in wrong {
            #expect(throws: HealthStoreError.self, "\(request)") { try store.nights(request) }
            await #expect(throws: HKError.self, "\(request)") { try await health.nights(request) }
        }
        let nothing = [
            NightRequest(range: TimeRange(5, 5)), NightRequest(range: TimeRange(.max, .min)),
            NightRequest(range: TimeRange(.min, .min + 1)), NightRequest(range: TimeRange(.max - 1, .max)),
            NightRequest(sources: []), NightRequest(sources: ["nobody", ""]),
        ]
        for request in nothing { #expect(try store.nights(request).isEmpty, "\(request)") }
        let all = try store.nights()
        #expect(all.count == 3)
        #expect(try store.nights(NightRequest(priority: ["nobody", "", "\0"])) == all)
        store.close()
        #expect(throws: HealthStoreError.self) { try store.nights() }
        health.close()
    }

    @Test("no nights have no totals, and a night without stages has no sleep")
    func nothing() throws {
        let none = SleepTotals([])
        #expect(none.nights == 0 && none.asleep == .zero && none.averageAsleep == nil && none.averageInBed == nil)
        #expect(SleepStage.allCases.allSatisfy { none.average(of: $0) == nil })
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let start = Date(timeIntervalSince1970: 1_711_454_400)
        try health.saveNow([
            HKCategorySample(
                type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.inBed.rawValue, start: start,
                end: start + 3_600)
        ])
        let night = try #require(try health.store().nights().first)
        #expect(SleepStage.allCases.allSatisfy { night.duration(of: $0) == .zero })
        #expect(night.asleep == .zero && night.inBed == .seconds(3_600) && night.mainPeriod == nil)
    }
}
