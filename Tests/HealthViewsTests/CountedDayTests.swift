// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 who counted on a day: a minute by minute oracle")
struct CountedDayTests {
    private static let type = HealthTypes.type(for: HKQuantityTypeIdentifier.stepCount)
    private static let zone = CivilZone(identifier: "Europe/Berlin") ?? .utc
    /// In order of priority.
    private static let sources = ["Watch", "Phone", "Band"]

    private struct Walk {
        var source: Int
        /// Minutes since midnight.
        var start: Int
        var end: Int
        var steps: Int
    }

    /// Returns walks that do not overlap within a source.
    private static func walks(_ minutes: Int, seed: UInt64) -> [Walk] {
        var random = SeededGenerator(seed: seed)
        var walks: [Walk] = []
        for source in sources.indices {
            var at = Int.random(in: -40..<30, using: &random)
            while at < minutes + 20 {
                let length = Int.random(in: 1...55, using: &random)
                walks.append(
                    Walk(source: source, start: at, end: at + length, steps: Int.random(in: 1...4_000, using: &random)))
                at += length + Int.random(in: 0...70, using: &random)
            }
        }
        return walks
    }

    /// Returns what is recorded and what counts of each source in each half hour: at every minute only the first source
    /// with a walk counts.
    private static func truth(_ walks: [Walk], _ minutes: Int) -> [[(recorded: Double, counted: Double)]] {
        var taken = Set<Int>()
        return sources.indices.map { source in
            var slices = [(recorded: Double, counted: Double)](repeating: (0, 0), count: minutes / 30)
            var own = Set<Int>()
            for walk in walks where walk.source == source {
                let each = Double(walk.steps) / Double(walk.end - walk.start)
                for minute in walk.start..<walk.end {
                    own.insert(minute)
                    guard (0..<minutes).contains(minute) else { continue }
                    slices[minute / 30].recorded += each
                    if !taken.contains(minute) { slices[minute / 30].counted += each }
                }
            }
            taken.formUnion(own)
            return slices
        }
    }

    @Test(
        "recorded and counted amounts of each half hour, on days of 24, 23 and 25 hours",
        arguments: [("2024-01-15", 48), ("2024-03-31", 46), ("2024-10-27", 50)])
    func halfHours(_ day: String, _ count: Int) throws {
        let period = try Civil.parsePeriod(day, zone: Self.zone)
        let date = CalendarDate(containing: period.lowerBound, in: Self.zone)
        let midnight = Int(period.lowerBound / 1_000_000_000)
        let walks = Self.walks(count * 30, seed: UInt64(count))
        let exported = try ExportedStore(
            walks.map { walk in
                ExportedStore.Record(
                    type: Self.type.identifier, source: Self.sources[walk.source], start: midnight + walk.start * 60,
                    end: midnight + walk.end * 60, value: "\(walk.steps)", unit: "count")
            })
        defer { exported.close() }
        try exported.store.prefer(
            Self.sources.map { HKSource(name: $0, bundleIdentifier: $0) }, of: Self.type)
        let found = try exported.store.countedDay(Self.type, on: date, in: Self.zone)
        #expect(found.starts.count == count && found.bounds.duration == .seconds(count * 1_800))
        let truth = Self.truth(walks, count * 30)
        #expect(found.who.shares.map(\.source) == Self.sources)
        for (share, own) in zip(found.who.shares, truth) {
            #expect(share.slices.count == count)
            for (slice, wanted) in zip(share.slices, own) {
                #expect(abs(slice.recorded - wanted.recorded) < 1e-6 && abs(slice.counted - wanted.counted) < 1e-6)
            }
            #expect(abs(share.recorded - own.reduce(0) { $0 + $1.recorded }) < 1e-6)
            #expect(abs(share.counted - own.reduce(0) { $0 + $1.counted }) < 1e-6)
        }
        let total = try exported.store.daily(Self.type, DaySpan(date, through: date, in: Self.zone))
        #expect(abs(found.who.counted - total.total) < 1e-6)
    }

    @Test("sources of one name are added up")
    func names() throws {
        let name = HKSource.default().name
        func record(_ source: String, _ steps: Int) -> ExportedStore.Record {
            ExportedStore.Record(
                type: Self.type.identifier, source: source, start: 1_705_276_800, end: 1_705_280_400,
                value: "\(steps)", unit: "count")
        }
        let exported = try ExportedStore([record(name, 100), record("Watch", 80)])
        exported.close()
        // This program has a bundle identifier; the source of the export has none.
        let health = HKHealthStore(directory: exported.path)
        let start = Date(timeIntervalSince1970: 1_705_276_800)
        try health.saveNow([
            HKQuantitySample(
                type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 30), start: start,
                end: start + 1_800)
        ])
        defer { health.close() }
        let store = try health.store()
        try store.prefer([HKSource(name: "Watch", bundleIdentifier: "Watch")], of: Self.type)
        let date = CalendarDate(containing: 1_705_276_800_000_000_000, in: .utc)
        let found = try store.countedDay(Self.type, on: date, in: .utc)
        #expect(found.who.shares.map(\.source) == ["Watch", name] && found.who.shares.map(\.counted) == [80, 0])
        #expect(found.who.shares.map(\.recorded) == [80, 130] && found.who.shares.allSatisfy { $0.slices.count == 48 })
        #expect(found.who.shares[1].slices.prefix(3).map(\.recorded) == [80, 50, 0])
    }

    @Test("a single source counts whole")
    func single() throws {
        func record(_ source: String, _ minute: Int) -> ExportedStore.Record {
            ExportedStore.Record(
                type: Self.type.identifier, source: source, start: 1_705_276_800 + minute * 60,
                end: 1_705_276_800 + minute * 60 + 60, value: "10", unit: "count")
        }
        let one = try ExportedStore([record("Phone", 0), record("Phone", 40)])
        defer { one.close() }
        let date = CalendarDate(containing: 1_705_276_800_000_000_000, in: .utc)
        let found = try one.store.countedDay(Self.type, on: date, in: .utc)
        #expect(found.who.shares.map(\.source) == ["Phone"] && found.who.counted == 20 && found.who.recorded == 20)
        #expect(found.who.shares[0].slices.map(\.counted).prefix(3) == [10, 10, 0])
        let none = try one.store.countedDay(Self.type, on: date.adding(1), in: .utc)
        #expect(none.who.shares.isEmpty)
        #expect(try one.store.latestDay(of: Self.type, in: .utc) == date)
    }
}
