// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import HealthSync
import KymographHealth
import Synchronization

/// A watch-like store that keeps some days, fed at 1 Hz and synchronised daily with an archive that keeps everything.
/// Measures the bytes of both stores, and checks that the archive has every sample and the watch the kept days.
package struct HistoryBenchmark: Sendable {
    package struct Bounds: Sendable {
        /// The days of the run.
        package var days = 365
        /// The days of history that the small store keeps.
        package var kept = 7
        /// The seconds between two samples.
        package var step: Int64 = 1

        package init() {}
    }

    /// The clock of the simulated days, in nanoseconds since 1970-01-01 UTC.
    private final class Clock: Sendable {
        private let now: Mutex<Int64>
        init(_ start: Int64) { now = Mutex(start) }
        func read() -> Int64 { now.withLock { $0 } }
        func advance(_ time: Int64) { now.withLock { $0 += time } }
    }

    /// The samples so far.
    private struct Fed {
        var count = 0
        var sum = 0.0
        /// The sums of the days.
        var sums: [Double] = []
    }

    private static let day: Int64 = 86_400_000_000_000
    /// Midnight in UTC, 2025-01-01.
    private static let start: Int64 = 20_089 * day
    private static let rate = HKQuantityType(.heartRate)
    private let work: String
    private let bounds: Bounds

    /// - Parameter work: a directory for the stores.
    package init(work: String, _ bounds: Bounds = Bounds()) {
        self.work = work
        self.bounds = bounds
    }

    package func run() async throws -> [BenchResult] {
        let (watchPath, archivePath) = (work + "/history-watch", work + "/history-archive")
        defer { for path in [watchPath, archivePath] { BenchFiles.removeTree(path) } }
        let clock = Clock(Self.start)
        var options = StoreOptions()
        options.wallClock = { clock.read() }
        let archive = try HealthStore.openOrCreate(at: archivePath, mode: .shared, options: options)
        defer { archive.close() }
        options.keepsHistory = .days(bounds.kept)
        let watch = try HealthStore.openOrCreate(at: watchPath, mode: .shared, options: options)
        defer { watch.close() }
        var (fed, sizes, feeding, syncing) = (Fed(), [Int](), Stopwatch(), Stopwatch())
        for day in 0..<bounds.days {
            let begin = Self.start + Int64(day) * Self.day
            let health = HKHealthStore(watch)
            try feeding.measure { try feed(begin, watch, &fed) }
            try await saveObjects(begin, health)
            clock.advance(Self.day - 1_000_000_000)
            let report = try syncing.measure { try HealthStoreSync(watch).run(with: archive) }
            guard report.sent.samples >= Int(86_400 / bounds.step) else {
                throw BenchError("day \(day): only \(report.sent.samples) samples were sent")
            }
            clock.advance(1_000_000_000)
            sizes.append(try Self.bytes(watchPath))
        }
        try await check(watch, archive, fed)
        return rows(fed, sizes, archive: try Self.bytes(archivePath), feeding, syncing)
    }

    private static func bytes(_ path: String) throws -> Int {
        try BenchFiles.sizes(under: path).reduce(0) { $0 + $1.bytes }
    }

    /// Stores the samples of a day in one commit.
    private func feed(_ begin: Int64, _ store: HealthStore, _ fed: inout Fed) throws {
        var rows = HealthRows()
        let count = Int(86_400 / bounds.step)
        rows.starts = (0..<Int64(count)).map { begin + $0 * bounds.step * 1_000_000_000 }
        var state = UInt64(bitPattern: begin) | 1
        var value = 70
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            value = min(180, max(45, value + Int(state >> 62) - 1 - (state >> 61 & 1 == 0 ? 0 : 1)))
            rows.values.append(Double(value))
        }
        (rows.ends, rows.created) = (rows.starts, rows.starts)
        let sum = rows.values.reduce(0, +)
        fed.count += count
        fed.sum += sum
        fed.sums.append(sum)
        _ = try store.load { loader in
            let (provenance, source) = loader.provenance(source: "Watch", version: "1", device: nil)
            let slot = try loader.series(type: Self.rate.identifier, source: source, unit: "count/min")
            rows.provenance = [Int64](repeating: provenance, count: count)
            rows.metadata = [Int64](repeating: 0, count: count)
            try loader.write(rows, to: slot)
        }
    }

    /// Saves a workout and a blood pressure in the day.
    private func saveObjects(_ begin: Int64, _ health: HKHealthStore) async throws {
        let date = Date(timeIntervalSince1970: Double(begin) / 1e9 + 3_600 * 18)
        func part(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
                start: date, end: date)
        }
        try await health.save(
            HKCorrelation(
                type: HKCorrelationType(.bloodPressure), start: date, end: date,
                objects: [part(.bloodPressureSystolic, 120), part(.bloodPressureDiastolic, 80)]))
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: date)
        try await builder.endCollection(at: date.addingTimeInterval(1_800))
        guard try await builder.finishWorkout() != nil else { throw BenchError("the workout was not saved") }
    }

    // MARK: - Checks

    private func check(_ watch: HealthStore, _ archive: HealthStore, _ fed: Fed) async throws {
        try archive.refresh()
        let kept = min(bounds.days, bounds.kept + 1)
        for (store, days) in [(archive, bounds.days), (watch, kept)] {
            let sums = fed.sums.suffix(days)
            let (count, sum) = try total(store)
            guard count == days * Int(86_400 / bounds.step), sum == sums.reduce(0, +) else {
                throw BenchError("\(store.path): \(count) samples with the sum \(sum) instead of \(days) days")
            }
            for type in [HKWorkoutType.workoutType(), HKCorrelationType(.bloodPressure)] as [HKSampleType] {
                let query = HKSampleQueryDescriptor(predicates: [.sample(type: type)])
                let found = try await query.result(for: HKHealthStore(store)).count
                guard found == days else { throw BenchError("\(store.path): \(found) objects of \(type.identifier)") }
            }
            let report = try store.verify()
            guard report.isSound else { throw BenchError("\(store.path): \(report.problems)") }
        }
    }

    /// Returns the number and the sum of all heart rates, which is exact.
    private func total(_ store: HealthStore) throws -> (count: Int, sum: Double) {
        let snapshot = store.engine.snapshot()
        var (count, sum) = (0, 0.0)
        for series in snapshot.allSeries(named: Self.rate.identifier) {
            let all = try snapshot.aggregate(of: series.id)
            count += all.count
            sum += all.sum ?? 0
        }
        return (count, sum)
    }

    private func rows(
        _ fed: Fed, _ sizes: [Int], archive: Int, _ feeding: Stopwatch, _ syncing: Stopwatch
    ) -> [BenchResult] {
        let set = "\(bounds.kept) of \(bounds.days) days"
        var results = [BenchResult]()
        let early = sizes[min(19, sizes.count - 1)]
        for (mode, bytes) in [("day-20", early), ("last-day", sizes.last ?? 0), ("largest", sizes.max() ?? 0)] {
            results.append(
                BenchResult(
                    id: "history", set: set, mode: mode, samples: fed.count, bytes: bytes,
                    ratio: Double(bytes) / Double(max(1, early)), ratioTo: "day 20",
                    what: "bytes of a store with limited history, after the synchronisation of the day"))
        }
        results.append(
            BenchResult(
                id: "history", set: set, mode: "archive", samples: fed.count, bytes: archive,
                what: "bytes of the archive, which has every sample"))
        for (mode, watch) in [("feed", feeding), ("sync", syncing)] {
            results.append(
                BenchResult(
                    id: "history", set: set, mode: mode, watch: watch, samples: fed.count, hash: nil,
                    what: mode == "feed" ? "a day of samples in one commit" : "a daily synchronisation, with pruning"))
        }
        return results
    }
}
