// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 the overview of a day: its values equal sums of the saved samples")
struct DayOverviewTests {
    private static let name = "Europe/Zurich"
    /// Days up to 2024-04-07; the clocks change on 2024-03-31.
    private static let count = 45

    private let directory: TemporaryDirectory
    private let health: HKHealthStore
    private let calendar: Calendar
    private let zone: CivilZone
    /// The samples of each day.
    private var days: [[HKSample]] = []

    init() throws {
        directory = try TemporaryDirectory()
        health = HKHealthStore(directory: directory.file("store"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: Self.name))
        self.calendar = calendar
        zone = try #require(CivilZone(identifier: Self.name))
        let wearer = SimulatedWearer(seed: 8, timeZone: calendar.timeZone, heartRateInterval: 7_200)
        let last = try #require(calendar.date(from: DateComponents(year: 2024, month: 4, day: 7, hour: 12)))
        for back in (0..<Self.count).reversed() {
            let noon = try #require(calendar.date(byAdding: .day, value: -back, to: last))
            var samples = wearer.samples(of: noon)
            let perMinute = HKUnit.count().unitDivided(by: .minute())
            samples.append(
                HKQuantitySample(
                    type: HKQuantityType(.restingHeartRate),
                    quantity: HKQuantity(unit: perMinute, doubleValue: Double(50 + back % 5)), start: noon, end: noon))
            days.append(samples)
            try health.saveNow(samples)
        }
    }

    private func steps(_ samples: [HKSample]) -> Double {
        samples.compactMap { $0 as? HKQuantitySample }.filter { $0.quantityType == HKQuantityType(.stepCount) }
            .reduce(0) { $0 + $1.quantity.doubleValue(for: .count()) }
    }

    private func asleep(_ samples: [HKSample]) -> Double {
        let values: Set<Int> = [1, 3, 4, 5]
        return samples.compactMap { $0 as? HKCategorySample }
            .filter { $0.categoryType == HKCategoryType(.sleepAnalysis) && values.contains($0.value) }
            .reduce(0) { $0 + $1.endDate.timeIntervalSince($1.startDate) }
    }

    private func instant(_ day: Int, _ hour: Int) throws -> Int64 {
        let date = try #require(calendar.date(from: DateComponents(year: 2024, month: 4, day: day, hour: hour)))
        return Int64(date.timeIntervalSince1970) * 1_000_000_000
    }

    @Test("today: the unfinished day is shown, and no part of the averages")
    func today() throws {
        health.close()
        let store = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        defer { store.close() }
        let day = try #require(try store.dayOverview(now: instant(7, 20), zone: zone))
        #expect(day.isToday && day.date.description == "2024-04-07" && day.daysSinceImport == nil)
        let truth = days.map(steps)
        let found = try #require(day.steps)
        #expect(found.value == truth.last && found.recent == truth.suffix(7).map { Optional($0) })
        let week = truth.dropLast().suffix(7).reduce(0, +) / 7
        let before = truth.dropLast(8).suffix(30).reduce(0, +) / 30
        #expect(abs((found.average ?? 0) - week) < 1e-6 * week)
        #expect(abs((found.change ?? 9) - (week / before - 1)) < 1e-9)
        let sleep = try #require(day.sleep)
        #expect(sleep.night.date == day.date)
        for (own, samples) in zip(sleep.recent, days.suffix(7)) { #expect(abs((own ?? 0) - asleep(samples)) < 8) }
        #expect(day.restingPulse?.value == 50 && day.restingPulse?.average == 52 && day.weight == nil)
        #expect(day.activity?.date == day.date && day.activity?.recent.count { $0 != nil } == 7)
        #expect(day.samples == days.reduce(0) { $0 + $1.count })
    }

    @Test("a store whose latest day is over: that day, and the averages contain it")
    func past() throws {
        health.close()
        let store = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        defer { store.close() }
        let day = try #require(try store.dayOverview(now: instant(20, 3), zone: zone))
        #expect(!day.isToday && day.date.description == "2024-04-07")
        let truth = days.map(steps)
        let week = truth.suffix(7).reduce(0, +) / 7
        #expect(abs((day.steps?.average ?? 0) - week) < 1e-6 * week)
        // Days after the present one are ignored.
        let earlier = try #require(try store.dayOverview(now: instant(5, 23), zone: zone))
        #expect(earlier.isToday && earlier.date.description == "2024-04-05" && earlier.steps?.value == truth[42])
        #expect(try store.dayOverview(now: 0, zone: zone) == nil)
    }

    @Test("a weight is the latest one, and decides the day only alone")
    func weight() throws {
        func save(_ kilograms: Double, _ day: Int) throws {
            let date = Date(timeIntervalSince1970: Double(try instant(day, 9) / 1_000_000_000))
            try health.saveNow([
                HKQuantitySample(
                    type: HKQuantityType(.bodyMass),
                    quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: kilograms), start: date, end: date)
            ])
        }
        for (kilograms, day) in [(72.0, 1), (71, 4), (70, 5), (60, 9)] { try save(kilograms, day) }
        health.close()
        let store = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        defer { store.close() }
        let day = try #require(try store.dayOverview(now: instant(20, 3), zone: zone))
        #expect(day.date.description == "2024-04-07" && day.weight?.value == 60 && day.weight?.unit == "kg")
        #expect(day.weight?.date.description == "2024-04-09" && day.weight?.average == 68.25)
        let earlier = try #require(try store.dayOverview(now: instant(8, 3), zone: zone))
        #expect(earlier.weight?.value == 70 && earlier.weight?.average == 71)
        let alone = try TemporaryDirectory()
        let other = HKHealthStore(directory: alone.file("store"))
        let date = Date(timeIntervalSince1970: Double(try instant(3, 9) / 1_000_000_000))
        try other.saveNow([
            HKQuantitySample(
                type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .pound(), doubleValue: 160), start: date,
                end: date)
        ])
        other.close()
        let scale = try HealthStore.open(at: alone.file("store"), mode: .readOnly)
        defer { scale.close() }
        let only = try #require(try scale.dayOverview(now: instant(20, 3), zone: zone))
        #expect(only.date.description == "2024-04-03" && only.weight?.value == 160 && only.weight?.unit == "lb")
        #expect(only.steps == nil && only.activity == nil && only.sleep == nil && only.restingPulse == nil)
    }

    @Test("the age of the latest import in days")
    func imports() throws {
        health.close()
        let record = ExportedStore.Record(
            type: "HKQuantityTypeIdentifierStepCount", source: "Phone", start: 1_714_644_000, end: 1_714_644_300,
            value: "5", unit: "count")
        let exported = try ExportedStore([record])
        defer { exported.close() }
        let store = exported.store
        let at = try #require(try store.imports().last?.at)
        let day = try #require(try store.dayOverview(now: at + 12 * 86_400_000_000_000, zone: .utc))
        #expect(day.lastImport == at && day.daysSinceImport == 12 && !day.isToday && day.steps?.value == 5)
        #expect(day.steps?.change == nil)
    }
}
