// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth

/// HealthKit's operations through the public API: saving objects, series by columns, statistics, queries, anchors.
/// Plain SQLite is measured beside operations that it supports.
package struct HealthBenchmark: Sendable {
    package struct Bounds: Sendable {
        /// The heart rates in one save, one every 5 seconds.
        package var objects = 1_000_000
        /// The days of steps, one sample per minute.
        package var days = 3_653
        /// The quantities of a series.
        package var quantities = 10_000_000
        /// The limit of the newest samples.
        package var newest = 100_000
        /// The repetitions of each measurement.
        package var runs = 5

        package init() {}

        /// Bounds for a run of about a second.
        package static var small: Bounds {
            var bounds = Bounds()
            (bounds.objects, bounds.days, bounds.quantities, bounds.newest) = (20_000, 20, 50_000, 1_000)
            return bounds
        }
    }

    let work: String
    let bounds: Bounds

    package init(work: String, _ bounds: Bounds) {
        self.work = work
        self.bounds = bounds
    }

    static let heartRate = HKQuantityType(.heartRate)
    static let steps = HKQuantityType(.stepCount)
    static let perMinute = HKUnit.count().unitDivided(by: .minute())
    /// 2015-01-01 UTC.
    static let begin: Int64 = 1_420_070_400
    static let day: Int64 = 86_400_000_000_000

    static func date(_ second: Int64) -> Date { Date(timeIntervalSince1970: Double(begin + second)) }
    static func nanoseconds(_ second: Int64) -> Int64 { (begin + second) * 1_000_000_000 }
    static func rate(_ i: Int) -> Double { Double(60 + (i &* 7919) % 40) }
    static func count(_ i: Int) -> Double { Double((i &* 31) % 120) }

    /// Runs all measurements, each in new stores.
    package func run() async throws -> [BenchResult] {
        var rows = try await storage()
        rows += try await saving()
        rows.append(try await series())
        rows += try await statistics()
        return rows
    }

    // MARK: - Saving

    private static let watch = HKDevice(
        name: "Watch", manufacturer: "A maker", model: "Watch", hardwareVersion: "Watch6,2", firmwareVersion: nil,
        softwareVersion: "10.3", localIdentifier: nil, udiDeviceIdentifier: nil)

    /// Returns ordinary samples: a varying heart rate about every five seconds, with a device and a motion context.
    /// Instants are in milliseconds; intervals have times as from a clock.
    private func rates(_ first: Int, _ count: Int, isInterval: Bool = false) -> [HKQuantitySample] {
        var random = BenchRandom(seed: UInt64(first) + 1)
        var rate = 70
        return (first..<first + count).map { i in
            rate = max(45, min(180, rate + random.below(7) - 3))
            var start = Self.date(Int64(i) * 5)
            var end = start
            if isInterval {
                start += random.fraction()
                end = start + 2 + 2 * random.fraction()
            } else {
                start += Double(random.below(1000)) / 1000
                end = start
            }
            return HKQuantitySample(
                type: Self.heartRate, quantity: HKQuantity(unit: Self.perMinute, doubleValue: Double(rate)),
                start: start, end: end, device: Self.watch, metadata: [HKMetadataKeyHeartRateMotionContext: 1])
        }
    }

    /// Measures the bytes of a store of instants, and of a store of intervals with times as from a clock.
    private func storage() async throws -> [BenchResult] {
        var rows = [BenchResult]()
        for (mode, isInterval) in [("instants", false), ("intervals", true)] {
            let path = "\(work)/storage"
            BenchFiles.removeTree(path)
            defer { BenchFiles.removeTree(path) }
            let store = HKHealthStore(directory: path)
            defer { store.close() }
            try await store.save(rates(0, bounds.objects, isInterval: isInterval))
            let info = try store.store().engine.info()
            guard info.samples == bounds.objects else { throw BenchError("\(info.samples) samples were stored") }
            var row = BenchResult(
                id: "storage", set: "health", mode: mode, samples: bounds.objects,
                what: "the whole directory after one save of heart rates with device and motion context")
            row.bytes = Int(info.bytes)
            row.bytesPerSample = Double(info.bytes) / Double(bounds.objects)
            rows.append(row)
        }
        return rows
    }

    /// Measures saves of many objects in one call, and the same rows in SQLite.
    private func saving() async throws -> [BenchResult] {
        let path = "\(work)/save"
        defer {
            BenchFiles.removeTree(path)
            BenchFiles.removeTree("\(work)/sqlite")
        }
        let store = HKHealthStore(directory: path)
        defer { store.close() }
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        var peak = 0
        try BenchFiles.makeDirectory("\(work)/sqlite")
        let plain = try HealthSQLite(at: "\(work)/sqlite/objects.db")
        for run in 0..<bounds.runs {
            let samples = rates(run * bounds.objects, bounds.objects)
            let before = Int(Machine.residentBytes())
            try await ours.measureAwaited { try await store.save(samples) }
            peak = max(peak, Int(Machine.residentBytes()) - before)
            let rows = samples.enumerated().map { i, sample in
                let uuid = SampleIdentity(sample.uuid).bytes
                let start = Self.nanoseconds(Int64(run * bounds.objects + i) * 5)
                return (HealthSQLite.Row(type: 1, start: start, end: start, value: sample.quantity.value), uuid)
            }
            try theirs.measure { try plain.insert(objects: rows) }
        }
        try plain.close()
        let found = try store.store().engine.info().samples
        guard found == bounds.runs * bounds.objects else { throw BenchError("\(found) samples were saved") }
        var row = BenchResult(
            id: "save", set: "health", mode: "objects", watch: ours, samples: bounds.objects, hash: nil,
            what: "a save of heart rates with device and motion context in one call")
        row.samplesPerSecond = Double(bounds.objects) / ours.median
        row.residentBytes = peak
        row.ratio = theirs.median / ours.median
        row.ratioTo = "SQLite"
        var other = BenchResult(
            id: "save", set: "health", mode: "SQLite", watch: theirs, samples: bounds.objects, hash: nil,
            what: "the same rows in one transaction, with an index by identity and one by type and start")
        other.samplesPerSecond = Double(bounds.objects) / theirs.median
        return [row, other]
    }

    /// Measures a series inserted by columns.
    private func series() async throws -> BenchResult {
        let path = "\(work)/series"
        defer { BenchFiles.removeTree(path) }
        let store = HKHealthStore(directory: path)
        defer { store.close() }
        let values = (0..<bounds.quantities).map(Self.rate)
        let starts = (0..<bounds.quantities).map { Self.nanoseconds(Int64($0)) }
        var watch = Stopwatch()
        for run in 0..<bounds.runs {
            let builder = HKQuantitySeriesSampleBuilder(
                healthStore: store, quantityType: HKQuantityType(.cyclingPower), startDate: Self.date(0), device: nil)
            let made = try await watch.measureAwaited {
                try builder.insert(values: values, unit: .watt(), nanoseconds: starts)
                return try await builder.finishSeries(metadata: nil)
            }
            guard made.first?.count == bounds.quantities else { throw BenchError("series \(run) is incomplete") }
        }
        var row = BenchResult(
            id: "series", set: "health", mode: "columns", watch: watch, samples: bounds.quantities, hash: nil,
            what: "a quantity series inserted by columns and finished")
        row.samplesPerSecond = Double(bounds.quantities) / watch.median
        return row
    }
}

extension Stopwatch {
    /// Measures one run.
    mutating func measureAwaited<R>(_ body: () async throws -> R) async rethrows -> R {
        let before = SystemClock.monotonicNanoseconds()
        let result = try await body()
        add(nanoseconds: SystemClock.monotonicNanoseconds() - before)
        return result
    }
}
