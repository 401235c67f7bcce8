// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 X-5 nights of a store: a simulated wearer, the home zone, the source order")
struct SimulatedNightTests {
    static let zone = TimeZone(identifier: "Europe/Zurich") ?? .gmt

    /// Saves the sleep of simulated days, in one commit, and returns the samples of each day.
    static func simulate(_ health: HKHealthStore, days: Int) throws -> [[HKCategorySample]] {
        let wearer = SimulatedWearer(seed: 5, timeZone: zone, heartRateInterval: 3_600)
        // The clocks change on 31 March 2024.
        let sleep = (0..<days).map { day in
            let date = Date(timeIntervalSince1970: 1_711_454_400 + Double(day) * 86_400)
            return wearer.samples(of: date).compactMap { $0 as? HKCategorySample }
                .filter { $0.categoryType == HKCategoryType(.sleepAnalysis) }
        }
        try health.saveNow(sleep.flatMap { $0 })
        return sleep
    }

    @Test("1,000 nights are those that were generated, by stage and in bed")
    func generated() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let days = try Self.simulate(health, days: 1_000)
        let nights = try await health.nights(NightRequest(zone: Self.zone.identifier))
        try #require(nights.count == days.count)
        for (night, samples) in zip(nights, days) {
            func total(_ values: HKCategoryValueSleepAnalysis...) -> Duration {
                let own = samples.filter { sample in values.contains { $0.rawValue == sample.value } }
                return own.reduce(.zero) { $0 + .seconds(Int($1.endDate.timeIntervalSince($1.startDate).rounded())) }
            }
            #expect(night.asleep == total(.asleepCore, .asleepDeep, .asleepREM, .asleepUnspecified))
            #expect(night.duration(of: .deep) == total(.asleepDeep))
            #expect(night.duration(of: .rem) == total(.asleepREM))
            #expect(night.duration(of: .core) == total(.asleepCore))
            #expect(night.duration(of: .awake) == total(.awake))
            #expect(night.inBed == total(.inBed))
        }
        let totals = SleepTotals(nights)
        #expect(totals.nights == 1_000 && totals.nightsInBed == 1_000)
        #expect(totals.asleep == nights.reduce(.zero) { $0 + $1.asleep })
        #expect(totals.averageAsleep == totals.asleep / 1_000)
    }

    @Test("the home zone is the set one, else that of the latest sleep samples, else the system's")
    func homeZone() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        #expect(try await health.homeTimeZone().identifier == TimeZone.current.identifier)
        let start = Date(timeIntervalSince1970: 1_711_454_400)
        for (place, name) in ["Asia/Tokyo", "Asia/Tokyo", "Europe/Paris"].enumerated() {
            let begin = start + Double(place) * 86_400
            try await health.save(
                HKCategorySample(
                    type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepCore.rawValue,
                    start: begin, end: begin + 3_600, metadata: [HKMetadataKeyTimeZone: name]))
        }
        #expect(try await health.homeTimeZone().identifier == "Asia/Tokyo")
        try await health.setHomeTimeZone(TimeZone(identifier: "America/Lima"))
        #expect(try await health.homeTimeZone().identifier == "America/Lima")
        let lima = try await health.nights()
        let named = try await health.nights(NightRequest(zone: "America/Lima"))
        #expect(lima == named && lima.count == 3)
        // A program sets a zone of Foundation; kymo zone also sets an offset.
        for (offset, seconds) in [("+05:30", 19_800), ("-03:00", -10_800)] {
            try health.store().setHomeZone(CivilZone(identifier: offset))
            #expect(try await health.homeTimeZone().secondsFromGMT() == seconds)
            try await health.setHomeTimeZone(TimeZone(secondsFromGMT: seconds))
            #expect(try await health.homeTimeZone().secondsFromGMT() == seconds)
        }
        try await health.setHomeTimeZone(nil)
        #expect(try await health.homeTimeZone().identifier == "Asia/Tokyo")
    }

    @Test("the order of sources that a person chose decides about sleep")
    func order() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let sleep = HKCategoryType(.sleepAnalysis)
        try await health.setPreferredSources([HKSource(name: "Ring", bundleIdentifier: "Ring")], for: sleep)
        #expect(try await health.preferredSources(for: sleep).map(\.name) == ["Ring"])
        await #expect(throws: HKError.self) {
            try await health.setPreferredSources([], for: HKQuantityType(.heartRate))
        }
        let names = ["Ring", "Watch"]
        let exported = try ExportedStore(
            names.map { name in
                ExportedStore.Record(
                    type: sleep.identifier, source: name, start: 1_711_454_400, end: 1_711_458_000,
                    value: "HKCategoryValueSleepAnalysisAsleepCore")
            })
        defer { exported.close() }
        for name in names + names {
            let first = HKSource(name: name, bundleIdentifier: name)
            try exported.store.prefer([first], of: HealthTypes.type(for: sleep.identifier))
            #expect(try exported.store.nights().flatMap { $0.stages.map(\.source) } == [name])
        }
    }
}
