// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

/// The examples of `Docs/Guide/Statistics.md`. The lines between the marks are those of the page.
@Suite("E-10 S-121 S-129 the examples of the page about statistics")
struct StatisticsExampleTests {
    /// A week in Zurich, and steps of its first two days at noon.
    private struct Week {
        let zone: TimeZone
        let monday: Date
        let sunday: Date
        let samples: [HKQuantitySample]

        init() throws {
            let monday = try #require(zurich.date(from: DateComponents(year: 2026, month: 3, day: 23)))
            sunday = try #require(zurich.date(from: DateComponents(year: 2026, month: 3, day: 29)))
            samples = [100.0, 50].enumerated().map { place, count in
                let noon = monday.addingTimeInterval(Double(place) * 86_400 + 43_200)
                return HKQuantitySample(
                    type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count),
                    start: noon, end: noon.addingTimeInterval(60))
            }
            zone = zurich.timeZone
            self.monday = monday
        }
    }

    @Test("daily sums under HealthKit's names")
    func collection() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let week = try Week()
        let (zone, monday, sunday) = (week.zone, week.monday, week.sunday)
        try await health.save(week.samples)

        // example statistics begins
        let query = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(
                type: HKQuantityType(.stepCount),
                predicate: HKQuery.predicateForSamples(withStart: monday, end: sunday)),
            options: .cumulativeSum, anchorDate: monday,
            intervalComponents: DateComponents(timeZone: zone, day: 1))
        let days = try await query.result(for: health)
        days.enumerateStatistics(from: monday, to: sunday) { day, stop in
            print(day.startDate, day.sumQuantity()?.doubleValue(for: .count()) ?? 0)
        }
        // example statistics ends

        #expect(days.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [100, 50])
        var count = 0
        days.enumerateStatistics(from: monday, to: sunday) { _, _ in count += 1 }
        #expect(count == 7)
    }

    @Test("daily sums as plain values")
    func plain() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let week = try Week()
        let health = HKHealthStore(directory: path)
        try await health.save(week.samples)
        health.close()
        let store = try HealthStore.open(at: path, mode: .readOnly)
        defer { store.close() }
        let start = Int64(week.monday.timeIntervalSince1970) * 1_000_000_000
        let end = Int64(week.sunday.timeIntervalSince1970) * 1_000_000_000

        // example plain-statistics begins
        var request = StatisticsRequest(
            HealthTypes.type(for: .stepCount), buckets: .calendar(.days(1), zone: "Europe/Zurich"))
        request.range = TimeRange(start, end)
        let report = try store.statistics(request)
        for row in report.rows where !row.isEmpty { print(row.start, row.count, row.sum ?? 0) }
        print(report.explanation.priority, report.explanation.blocksDecoded)
        // example plain-statistics ends

        #expect(report.rows.count == 6 && report.rows.first?.start == start)
        #expect(report.rows.filter { !$0.isEmpty }.map(\.sum) == [100, 50])
    }

    @Test("the watch counts, and the phone for the time without the watch")
    func merged() throws {
        let directory = try TemporaryDirectory()
        let store = try TimeSeriesStore.openOrCreate(at: directory.file("store"))
        defer { store.close() }
        let watch = try store.series("steps", labels: ["source": "watch"], kind: .cumulative)
        let phone = try store.series("steps", labels: ["source": "phone"], kind: .cumulative)
        try store.append(to: watch.id, [Sample(start: 0, end: 600 * second, value: 100)])
        try store.append(to: phone.id, [Sample(start: 300 * second, end: 900 * second, value: 120)])
        let range = TimeRange(0, 3_600 * second)

        // example merged-sources begins
        let merged = MergedSources([watch.id, phone.id])  // the first source counts first
        let total = try store.snapshot().aggregate(of: merged, over: range)
        print(total.sum ?? 0)
        // example merged-sources ends

        #expect(total.sum == 160)
    }
}
