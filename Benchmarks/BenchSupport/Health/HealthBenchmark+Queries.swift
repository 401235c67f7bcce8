// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import KymographHealth

extension HealthBenchmark {
    /// Measures statistics, samples and anchors over a store of steps and heart rates, with SQLite for the statistics.
    func statistics() async throws -> [BenchResult] {
        let path = "\(work)/queries"
        defer {
            BenchFiles.removeTree(path)
            BenchFiles.removeTree("\(work)/plain")
        }
        let store = HKHealthStore(directory: path)
        defer { store.close() }
        try BenchFiles.makeDirectory("\(work)/plain")
        let plain = try HealthSQLite(at: "\(work)/plain/quantities.db")
        try await fill(store, plain)
        var rows = try await dailySums(store, plain)
        rows += try await hourlyRates(store, plain)
        try plain.close()
        rows += try await newest(store)
        rows.append(try await nothingNew(store))
        return rows
    }

    private func fill(_ store: HKHealthStore, _ plain: HealthSQLite) async throws {
        let minutes = bounds.days * 1_440
        for first in stride(from: 0, to: minutes, by: 500_000) {
            let range = first..<min(minutes, first + 500_000)
            try await store.save(
                range.map { i in
                    HKQuantitySample(
                        type: Self.steps, quantity: HKQuantity(unit: .count(), doubleValue: Self.count(i)),
                        start: Self.date(Int64(i) * 60), end: Self.date(Int64(i) * 60 + 60))
                })
            try plain.insert(
                range.lazy.map { i in
                    HealthSQLite.Row(
                        type: 1, start: Self.nanoseconds(Int64(i) * 60), end: Self.nanoseconds(Int64(i) * 60 + 60),
                        value: Self.count(i))
                })
        }
        for first in stride(from: 0, to: bounds.objects, by: 500_000) {
            let range = first..<min(bounds.objects, first + 500_000)
            try await store.save(
                range.map { i in
                    HKQuantitySample(
                        type: Self.heartRate, quantity: HKQuantity(unit: Self.perMinute, doubleValue: Self.rate(i)),
                        start: Self.date(Int64(i) * 5), end: Self.date(Int64(i) * 5))
                })
            try plain.insert(
                range.lazy.map { i in
                    let start = Self.nanoseconds(Int64(i) * 5)
                    return HealthSQLite.Row(type: 2, start: start, end: start, value: Self.rate(i))
                })
        }
    }

    /// Returns an interval in a calendar whose days SQLite can also compute.
    private func interval(day: Int? = nil, hour: Int? = nil) -> DateComponents {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return DateComponents(calendar: calendar, timeZone: .gmt, day: day, hour: hour)
    }

    private func dailySums(_ store: HKHealthStore, _ plain: HealthSQLite) async throws -> [BenchResult] {
        let descriptor = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: Self.steps), options: .cumulativeSum, anchorDate: Self.date(0),
            intervalComponents: interval(day: 1))
        let wanted = (0..<bounds.days).map { day in
            (day * 1_440..<day * 1_440 + 1_440).reduce(0.0) { $0 + Self.count($1) }
        }
        let sums = try await descriptor.result(for: store).statistics().map {
            $0.sumQuantity()?.doubleValue(for: .count()) ?? .nan
        }
        guard sums == wanted else { throw BenchError("\(sums.count) daily sums, but some are wrong") }
        let theirs = try plain.sums(type: 1, anchor: Self.nanoseconds(0), width: Self.day)
        guard theirs == wanted else { throw BenchError("SQLite's daily sums differ") }
        var (watch, objects, other) = (Stopwatch(), Stopwatch(), Stopwatch())
        for _ in 0..<bounds.runs {
            try other.measure { _ = try plain.sums(type: 1, anchor: Self.nanoseconds(0), width: Self.day) }
            for _ in 0..<40 { _ = try await watch.measureAwaited { try await descriptor.result(for: store) } }
            for _ in 0..<10 {
                _ = try await objects.measureAwaited { try await descriptor.result(for: store).statistics() }
            }
        }
        let samples = bounds.days * 1_440
        return [
            row("daily-sums", "collection", watch, samples, "daily sums of a sample per minute", to: other),
            row("daily-sums", "objects", objects, samples, "the same with HKStatistics of all days", to: other),
            row("daily-sums", "SQLite", other, samples, "the same of rows in the order of type and start"),
        ]
    }

    private func hourlyRates(_ store: HKHealthStore, _ plain: HealthSQLite) async throws -> [BenchResult] {
        let descriptor = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: Self.heartRate),
            options: [.discreteAverage, .discreteMin, .discreteMax], anchorDate: Self.date(0),
            intervalComponents: interval(hour: 1))
        let width = Self.day / 24
        let wanted = try plain.shapes(type: 2, anchor: Self.nanoseconds(0), width: width)
        let found = try await descriptor.result(for: store).statistics()
        let unit = Self.perMinute
        let isSame = zip(found, wanted).allSatisfy { ours, theirs in
            // Heart rates are weighted by time, so a plain average is only close.
            let average = ours.averageQuantity()?.doubleValue(for: unit) ?? .nan
            return abs(average - theirs.average) < 1 && ours.minimumQuantity()?.doubleValue(for: unit) == theirs.least
                && ours.maximumQuantity()?.doubleValue(for: unit) == theirs.most
        }
        guard isSame, found.count == wanted.count else { throw BenchError("hourly statistics differ from SQLite's") }
        var (watch, other) = (Stopwatch(), Stopwatch())
        for _ in 0..<bounds.runs {
            try other.measure { _ = try plain.shapes(type: 2, anchor: Self.nanoseconds(0), width: width) }
            for _ in 0..<20 { _ = try await watch.measureAwaited { try await descriptor.result(for: store) } }
        }
        let what = "average, minimum and maximum heart rate of each hour"
        return [
            row("hourly-rates", "collection", watch, bounds.objects, what, to: other),
            row("hourly-rates", "SQLite", other, bounds.objects, "the same of rows in the order of type and start"),
        ]
    }

    private func newest(_ store: HKHealthStore) async throws -> [BenchResult] {
        let descriptor = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: Self.heartRate)],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: bounds.newest)
        let found = try await descriptor.result(for: store)
        let last = bounds.objects - 1
        let isRight = found.indices.allSatisfy { i in
            found[i].startDate == Self.date(Int64(last - i) * 5) && found[i].quantity.value == Self.rate(last - i)
        }
        guard isRight, found.count == bounds.newest else { throw BenchError("the newest samples are wrong") }
        var (watch, first) = (Stopwatch(), Stopwatch())
        for _ in 0..<bounds.runs * 4 {
            let samples = try await watch.measureAwaited { try await descriptor.result(for: store) }
            guard samples.count == bounds.newest else { throw BenchError("\(samples.count) samples were found") }
            let batch = try await first.measureAwaited {
                var batches = descriptor.batches(for: store).makeAsyncIterator()
                return try await batches.next()
            }
            guard batch?.first == found.first else { throw BenchError("the first batch is wrong") }
        }
        return [
            row("newest", "objects", watch, bounds.newest, "the newest samples, as objects"),
            row("newest", "first batch", first, bounds.newest, "the first batch of the newest samples"),
        ]
    }

    private func nothingNew(_ store: HKHealthStore) async throws -> BenchResult {
        var descriptor = HKAnchoredObjectQueryDescriptor(
            predicates: [.quantitySample(type: Self.heartRate)], anchor: nil, limit: nil)
        let all = try await descriptor.result(for: store)
        guard all.addedSamples.count == bounds.objects else { throw BenchError("samples are missing") }
        descriptor.anchor = all.newAnchor
        var watch = Stopwatch()
        for _ in 0..<bounds.runs * 400 {
            let answer = try await watch.measureAwaited { try await descriptor.result(for: store) }
            guard answer.addedSamples.isEmpty else { throw BenchError("a sample was reported twice") }
        }
        return row("nothing-new", "anchored", watch, bounds.objects, "an anchored query with nothing new")
    }

    private func row(
        _ id: String, _ mode: String, _ watch: Stopwatch, _ samples: Int, _ what: String, to other: Stopwatch? = nil
    ) -> BenchResult {
        var row = BenchResult(
            id: id, set: "health", mode: mode, watch: watch, samples: samples, hash: nil, what: what)
        if let other, watch.median > 0 {
            row.ratio = other.median / watch.median
            row.ratioTo = "SQLite"
        }
        return row
    }
}
