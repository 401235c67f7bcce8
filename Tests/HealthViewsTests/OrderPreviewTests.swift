// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 X-1 the preview of an order of sources")
struct OrderPreviewTests {
    private static let type = HealthTypes.type(for: HKQuantityTypeIdentifier.stepCount)
    /// 2023-01-01 00:00 UTC.
    private static let midnight = 1_672_531_200

    /// Returns a store with as many days. Both sources recorded the same time on even days; the watch has no odd ones.
    private static func exported(days: Int) throws -> ExportedStore {
        let records = (0..<days).flatMap { day -> [ExportedStore.Record] in
            func record(_ source: String, _ value: Int) -> ExportedStore.Record {
                let start = midnight + day * 86_400 + 36_000
                return ExportedStore.Record(
                    type: type.identifier, source: source, start: start, end: start + 600, value: "\(value)",
                    unit: "count")
            }
            let phone = record("Phone", 2_000 + day)
            return day % 2 == 0 ? [record("Watch", 1_000 + day), phone] : [phone]
        }
        let exported = try ExportedStore(records)
        try exported.store.prefer([HKSource(name: "Watch", bundleIdentifier: "Watch")], of: type)
        return exported
    }

    private static func total(_ days: Range<Int>, phoneFirst: Bool) -> Double {
        Double(days.reduce(0) { $0 + $1 + (phoneFirst || $1 % 2 == 1 ? 2_000 : 1_000) })
    }

    private static func instant(_ day: Int) -> Int64 { Int64(midnight + day * 86_400 + 43_200) * 1_000_000_000 }

    @Test("the last 7 and 365 days, and what counts of each source")
    func periods() throws {
        let exported = try Self.exported(days: 400)
        defer { exported.close() }
        let found = try #require(
            try exported.store.previewOrder(of: Self.type, ["Phone"], now: Self.instant(500), in: .utc))
        #expect(found.periods.map(\.days.count) == [7, 365] && found.periods.allSatisfy { !$0.isAll })
        for (period, days) in zip(found.periods, [393..<400, 35..<400]) {
            #expect(period.before == Self.total(days, phoneFirst: false))
            #expect(period.after == Self.total(days, phoneFirst: true))
            #expect(period.changed == days.count { $0 % 2 == 0 })
        }
        #expect(found.shares.map(\.source) == ["Phone", "Watch"] && found.shares[1].after == 0)
        #expect(found.shares.reduce(0) { $0 + $1.before } == found.periods[1].before)
        #expect(found.shares[0].after == found.periods[1].after)
        // The stored order is unchanged.
        #expect(try exported.store.sourceOrder(of: Self.type).sources.map(\.name) == ["Watch", "Phone"])
        let new = try exported.store.sourceOrder(of: Self.type, preferring: ["Phone"])
        #expect(new.sources.map(\.name) == ["Phone", "Watch"] && new.chosen == 1)
    }

    @Test("an unfinished day does not count, unless there is no other; few days are one period")
    func days() throws {
        let exported = try Self.exported(days: 6)
        defer { exported.close() }
        let today = try #require(
            try exported.store.previewOrder(of: Self.type, ["Phone"], now: Self.instant(5), in: .utc))
        #expect(today.periods.map(\.days.count) == [5] && today.periods[0].isAll)
        #expect(today.periods[0].before == Self.total(0..<5, phoneFirst: false) && today.periods[0].changed == 3)
        // The latest sample of both sources decides the default order: the phone's.
        let reset = try exported.store.previewOrder(
            of: Self.type, HealthStore.defaultOrder, now: Self.instant(9), in: .utc)
        #expect(reset?.periods.first?.after == Self.total(0..<6, phoneFirst: true))
        let single = try Self.exported(days: 1)
        defer { single.close() }
        let only = try single.store.previewOrder(of: Self.type, ["Phone"], now: Self.instant(0), in: .utc)
        #expect(only?.periods.first?.before == 1_000 && only?.periods.first?.after == 2_000)
        let zinc = HealthTypes.type(for: HKQuantityTypeIdentifier.dietaryZinc)
        #expect(try single.store.previewOrder(of: zinc, [], now: 0, in: .utc) == nil)
    }

    @Test("sleep is compared by night")
    func nights() throws {
        func record(_ source: String, _ night: Int, _ minutes: Int) -> ExportedStore.Record {
            let start = Self.midnight + night * 86_400 + 3_600
            return ExportedStore.Record(
                type: HKCategoryTypeIdentifier.sleepAnalysis.rawValue, source: source, start: start,
                end: start + minutes * 60, value: "HKCategoryValueSleepAnalysisAsleepCore")
        }
        func awake(_ night: Int) -> ExportedStore.Record {
            var awake = record("Watch", night, 60)
            awake.value = "HKCategoryValueSleepAnalysisAwake"
            return awake
        }
        let exported = try ExportedStore((0..<4).flatMap { [record("Phone", $0, 300), awake($0)] })
        defer { exported.close() }
        let sleep = HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis)
        try exported.store.prefer([HKSource(name: "Watch", bundleIdentifier: "Watch")], of: sleep)
        let found = try #require(
            try exported.store.previewOrder(of: sleep, ["Phone"], now: Self.instant(30), in: .utc))
        #expect(found.periods.map(\.before) == [4 * 240 * 60] && found.periods.map(\.after) == [4 * 300 * 60])
        #expect(found.periods[0].changed == 4 && found.shares.map(\.source) == ["Phone", "Watch"])
        #expect(found.shares[0].before == 4 * 240 * 60 && found.shares[0].after == 4 * 300 * 60)
    }

    @Test("the nights of the preview are those of the store: from the evening of the first to the last full one")
    func evenings() throws {
        // From 23:00 to 05:00 UTC, 10 nights.
        let exported = try ExportedStore(
            (0..<10).map { night in
                let start = Self.midnight + night * 86_400 + 82_800
                return ExportedStore.Record(
                    type: HKCategoryTypeIdentifier.sleepAnalysis.rawValue, source: "Phone", start: start,
                    end: start + 21_600, value: "HKCategoryValueSleepAnalysisAsleepCore")
            })
        defer { exported.close() }
        let sleep = HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis)
        func periods(now: Int64) throws -> [OrderPreview.Period] {
            try #require(try exported.store.previewOrder(of: sleep, ["Phone"], now: now, in: .utc)).periods
        }
        let nights = try exported.store.nights(NightRequest(zone: "UTC"))
        let found = try periods(now: Self.instant(30))
        #expect(nights.count == 10 && found.map(\.days.count) == [7, 10] && found.last?.isAll == true)
        #expect(found.last?.days.first == nights.first?.date && found.last?.days.last == nights.last?.date)
        #expect(found.map(\.before) == [7 * 21_600, 10 * 21_600])
        // The night to the tenth day is over at 18:00 of that day.
        let end = Int64(Self.midnight + 10 * 86_400 + 18 * 3_600) * 1_000_000_000
        #expect(try periods(now: end - 1).last?.days.count == 9 && periods(now: end).last?.days.count == 10)
    }
}
