// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-136 intervals of a collection: the anchor plus whole calendar steps, in both directions")
struct StatisticsIntervalTests {
    private let steps = HKQuantityType(.stepCount)

    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private func point(_ date: Date, _ count: Double = 1) -> HKQuantitySample {
        HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: count), start: date, end: date)
    }

    private func collection(
        _ door: TestDoor, _ anchor: Date, _ components: DateComponents, _ predicate: SamplePredicate = .always(true)
    ) throws -> HKStatisticsCollection {
        let question = StatisticsQuestion(type: steps, predicate: predicate, options: .cumulativeSum)
        return try door.health.store().statisticsCollection(
            CollectionQuestion(statistics: question, anchor: anchor, components: components))
    }

    @Test(
        "days follow the clock changes of a time zone, whatever the distance of the anchor",
        arguments: [
            ("Europe/Zurich", "2024-03-28T23:00:00Z"), ("Europe/Zurich", "2024-10-24T22:00:00Z"),
            ("America/New_York", "2024-03-08T05:00:00Z"), ("Australia/Lord_Howe", "2024-10-03T13:30:00Z"),
            ("America/Havana", "2024-11-01T04:00:00Z"), ("Asia/Kathmandu", "2024-03-28T18:15:00Z"),
        ])
    func days(zone: String, midnight: String) async throws {
        let door = try TestDoor()
        let calendar = try calendar(zone)
        let first = try date(midnight)
        #expect(calendar.startOfDay(for: first) == first)
        // One step every half hour of six days, across the clock change.
        let days = (0...6).compactMap { calendar.date(byAdding: .day, value: $0, to: first) }
        let half = Array(stride(from: first, to: days[6], by: 1_800))
        try await door.health.save(half.map { point($0) })
        var components = DateComponents(day: 1)
        components.timeZone = calendar.timeZone
        for offset in [-4_000, -3, 0, 2, 5_000] {
            let anchor = try #require(calendar.date(byAdding: .day, value: offset, to: first))
            let found = try collection(door, anchor, components).statistics()
            #expect(found.map(\.startDate) == Array(days.prefix(6)) && found.map(\.endDate) == Array(days.dropFirst()))
            let lengths = zip(days, days.dropFirst()).map { $1.timeIntervalSince($0) / 1_800 }
            #expect(found.map { $0.sumQuantity()?.value } == lengths)
        }
        // A calendar has a time zone as well.
        components.timeZone = nil
        components.calendar = calendar
        #expect(try collection(door, first, components).statistics().map(\.startDate) == Array(days.prefix(6)))
    }

    @Test("months are counted from the anchor, so that a day 31 returns after a short month")
    func months() async throws {
        let door = try TestDoor()
        let days = (0..<200).map { clock.addingTimeInterval(Double($0) * 86_400) }
        try await door.health.save(days.map { point($0) })
        var components = DateComponents(month: 1)
        components.timeZone = TimeZone(identifier: "UTC")
        let found = try collection(door, try date("2024-08-31T00:00:00Z"), components)
        let starts = try [
            "2024-12-31", "2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31", "2025-06-30",
        ]
        .map { try date($0 + "T00:00:00Z") }
        #expect(found.statistics().map(\.startDate) == starts)
        #expect(found.statistics().compactMap { $0.sumQuantity()?.value } == [30, 28, 31, 30, 31, 30, 20])
        #expect(
            found.statistics(for: try date("2031-02-28T12:00:00Z"))?.startDate == (try date("2031-02-28T00:00:00Z")))
        components.month = 0
        components.quarter = 1
        #expect(
            try collection(door, clock, components).statistics().compactMap { $0.sumQuantity()?.value } == [90, 91, 19])
        components.quarter = nil
        components.weekOfYear = 1
        #expect(try collection(door, clock, components).statistics().count == 29)
    }

    @Test("every interval of a range is enumerated, empty ones with nil, also far from any sample")
    func empty() async throws {
        let door = try TestDoor()
        try await door.health.save([point(clock, 3), point(clock.addingTimeInterval(3 * 86_400), 4)])
        var components = DateComponents(day: 1)
        components.timeZone = TimeZone(identifier: "UTC")
        let found = try collection(door, clock.addingTimeInterval(-86_400e3), components)
        var sums = [Double?]()
        found.enumerateStatistics(
            from: clock.addingTimeInterval(-86_400), to: clock.addingTimeInterval(4 * 86_400)
        ) { statistics, _ in
            #expect(statistics.endDate.timeIntervalSince(statistics.startDate) == 86_400)
            sums.append(statistics.sumQuantity()?.value)
        }
        #expect(sums == [nil, 3, nil, nil, 4, nil])
        for year in [1_700.0, 2_250.0] {
            let far = Date(timeIntervalSinceReferenceDate: (year - 2_001) * 365.2425 * 86_400)
            let one = try #require(found.statistics(for: far))
            #expect(one.sumQuantity() == nil && one.startDate <= far && one.endDate > far)
        }
        #expect(found.statistics(for: .distantPast) == nil && found.statistics(for: .distantFuture) == nil)
        var count = 0
        found.enumerateStatistics(from: .distantPast, to: .distantFuture) { _, stop in
            count += 1
            if count == 5_000 { unsafe stop.pointee = true }
        }
        #expect(count == 5_000)
        components.day = nil
        components.year = 100
        var all = 0
        try collection(door, clock, components).enumerateStatistics(from: .distantPast, to: .distantFuture) { _, _ in
            all += 1
        }
        #expect(all == 5)
    }

    @Test("a hundred steps from 13:57 to 14:02 count as sixty before two o'clock and forty after")
    func apportioning() async throws {
        let door = try TestDoor()
        let start = try date("2025-01-10T13:57:00Z")
        try await door.health.save([
            HKQuantitySample(
                type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 100), start: start,
                end: start.addingTimeInterval(300))
        ])
        let two = try date("2025-01-10T14:00:00Z")
        let hours = DateComponents(hour: 1)
        func sums(_ start: Date?, _ end: Date?, _ options: HKQueryOptions) throws -> [Double?] {
            try collection(door, clock, hours, .time(start: start, end: end, options: options)).statistics()
                .map { $0.sumQuantity()?.value }
        }
        #expect(try sums(nil, nil, []) == [60, 40])
        // A sample that reaches into the range counts completely, also in the hour before the range.
        #expect(try sums(two, two.addingTimeInterval(3_600), []) == [60, 40])
        #expect(try sums(two, two.addingTimeInterval(3_600), .strictStartDate) == [])
        #expect(try sums(two, two.addingTimeInterval(3_600), .strictEndDate) == [60, 40])
        #expect(try sums(nil, two, .strictEndDate) == [])
        #expect(try sums(nil, two, .strictStartDate) == [60, 40])
        let whole = try door.health.store().statistics(
            of: steps, where: .time(start: two, end: nil, options: []), .cumulativeSum)
        #expect(whole.sumQuantity()?.value == 100 && whole.startDate == start)
        #expect(whole.endDate == start.addingTimeInterval(300))
    }

    @Test("intervals that are empty, negative, irregular or too many are refused")
    func refusals() async throws {
        let door = try TestDoor()
        try await door.health.save([point(clock), point(clock.addingTimeInterval(4e8))])
        var hebrew = DateComponents(month: 1)
        hebrew.calendar = Calendar(identifier: .hebrew)
        let refused: [DateComponents] = [
            DateComponents(), DateComponents(day: 0), DateComponents(day: -1), DateComponents(month: 1, day: -1),
            DateComponents(month: .max), DateComponents(quarter: .max), DateComponents(weekday: 2),
            DateComponents(weekOfMonth: .max, weekOfYear: .max), DateComponents(era: 1), DateComponents(second: .min),
            DateComponents(month: 4, quarter: -1), DateComponents(year: 1_000), hebrew,
            // More than two million intervals.
            DateComponents(second: 1),
        ]
        for components in refused {
            await #expect(
                code { _ = try collection(door, clock, components) } == .errorInvalidArgument, "\(components)")
        }
        for anchor in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .nan)] {
            await #expect(code { _ = try collection(door, anchor, DateComponents(day: 1)) } == .errorInvalidArgument)
        }
        hebrew.month = nil
        hebrew.day = 30
        #expect(try collection(door, clock, hebrew).statistics().count == 2)
    }
}
