// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import HealthSync
import KymographHealth
import Synchronization

/// The first synchronisation of two stores, one without changes, one over a slow connection, and the way of a new
/// sample.
package struct SyncBenchmark: Sendable {
    private let work: String
    private let set: BenchSet
    private let kymo: String
    private let runs: Int
    private let measure: @Sendable (String, [String]) throws -> ProcessCost

    /// The bytes a second of the slow connection.
    private static let slow = 10_000_000.0

    /// - Parameters:
    ///   - work: a directory for the stores.
    ///   - set: the heart rates.
    ///   - kymo: the program, for measurements of a whole process.
    ///   - measure: runs the program and returns its cost.
    package init(
        work: String, _ set: BenchSet, kymo: String, runs: Int,
        measure: @escaping @Sendable (String, [String]) throws -> ProcessCost
    ) {
        self.work = work
        self.measure = measure
        self.set = set
        self.kymo = kymo
        self.runs = runs
    }

    private var source: String { work + "/sync-source" }
    private var target: String { work + "/sync-target" }

    package func run() async throws -> [BenchResult] {
        for path in [source, target] { BenchFiles.removeTree(path) }
        defer { for path in [source, target] { BenchFiles.removeTree(path) } }
        let segments = try fill()
        var rows = try first(segments)
        rows += try nothingNew()
        rows.append(try await following())
        rows.append(try overSlowConnection(segments))
        return rows
    }

    /// Fills a store with the set, one source for each series. Returns the bytes of its segments.
    private func fill() throws -> Int {
        let store = try HealthStore.openOrCreate(at: source)
        defer { store.close() }
        _ = try store.load { loader in
            for series in set.series {
                let (provenance, number) = loader.provenance(source: series.name, version: "1", device: nil)
                let slot = try loader.series(
                    type: "HKQuantityTypeIdentifierHeartRate", source: number, unit: "count/min")
                for from in stride(from: 0, to: series.times.count, by: 1 << 20) {
                    let range = from..<min(series.times.count, from + 1 << 20)
                    var rows = HealthRows()
                    (rows.starts, rows.ends) = (Array(series.times[range]), Array(series.times[range]))
                    rows.values = Array(series.values[range])
                    rows.created = rows.starts
                    rows.provenance = [Int64](repeating: provenance, count: range.count)
                    rows.metadata = [Int64](repeating: 0, count: range.count)
                    try loader.write(rows, to: slot)
                }
            }
        }
        try store.compact()
        return Int(try store.engine.info().segmentBytes)
    }

    /// The first synchronisation, as a process of its own and inside this one.
    private func first(_ segments: Int) throws -> [BenchResult] {
        var costs = [ProcessCost]()
        for _ in 0..<runs {
            BenchFiles.removeTree(target)
            let cost = try measure(kymo, ["sync", "--create", target, "--store", source, "--quiet"])
            guard cost.status == 0 else { throw BenchError("kymo sync ended with status \(cost.status)") }
            costs.append(cost)
        }
        let watch = Stopwatch(seconds: costs.map(\.wallSeconds))
        var whole = BenchResult(
            id: "sync", set: set.name, mode: "first", watch: watch, samples: set.samples, hash: nil,
            what: "the first synchronisation of two directories, a process")
        whole.samplesPerSecond = Double(set.samples) / max(watch.median, 1e-9)
        whole.processorSeconds = Stopwatch(seconds: costs.map(\.processorSeconds)).median
        whole.residentBytes = costs.map(\.peakResidentBytes).max()

        BenchFiles.removeTree(target)
        let (one, other) = (try open(source), try open(target))
        defer {
            one.close()
            other.close()
        }
        let report = try HealthStoreSync(one).run(with: other)
        guard report.sent.samples == set.samples else { throw BenchError("\(report.sent.samples) samples were sent") }
        var bytes = BenchResult(
            id: "sync", set: set.name, mode: "bytes", samples: set.samples,
            what: "bytes of the connection, beside those of the segments")
        bytes.bytes = Int(clamping: report.sent.bytes + report.received.bytes)
        bytes.bytesPerSample = Double(report.sent.bytes) / Double(max(1, set.samples))
        bytes.ratio = Double(report.sent.bytes) / Double(max(1, segments))
        bytes.ratioTo = "segments"
        return [whole, bytes]
    }

    private func open(_ path: String) throws -> HealthStore {
        try HealthStore.openOrCreate(at: path, mode: .shared)
    }

    /// A synchronisation without changes.
    private func nothingNew() throws -> [BenchResult] {
        let (one, other) = (try open(source), try open(target))
        defer {
            one.close()
            other.close()
        }
        _ = try HealthStoreSync(one).run(with: other)
        var (watch, bytes) = (Stopwatch(), UInt64(0))
        for _ in 0..<max(20, runs) {
            let report = try watch.measure { try HealthStoreSync(one).run(with: other) }
            bytes = max(bytes, report.sent.bytes + report.received.bytes)
        }
        var row = BenchResult(
            id: "sync", set: set.name, mode: "nothing-new", watch: watch, samples: 0, hash: nil,
            what: "a synchronisation of open stores without changes, and its bytes in both directions")
        row.bytes = Int(clamping: bytes)
        return [row]
    }

    /// From the call that saves a sample to its durable commit in the other store, while a synchronisation follows.
    private func following() async throws -> BenchResult {
        let (one, other) = (try open(source), try open(target))
        defer {
            one.close()
            other.close()
        }
        let ends = SyncEnd()
        var options = SyncOptions()
        options.follows = true
        options.isCancelled = { ends.isWanted }
        let sync = HealthStoreSync(one, options: options)
        DispatchQueue(label: "bench.sync").async { ends.end(Result { try sync.run(with: other) }) }
        let health = HKHealthStore(one)
        var watch = Stopwatch()
        for number in 0..<max(30, runs) {
            let before = try other.engine.info().sequence
            let date = Date(timeIntervalSince1970: 2_000_000_000 + Double(number))
            let sample = HKQuantitySample(
                type: HKQuantityType(.heartRate),
                quantity: HKQuantity(unit: HKUnit.count().unitDivided(by: .minute()), doubleValue: 60), start: date,
                end: date)
            let begun = SystemClock.monotonicNanoseconds()
            try await health.save(sample)
            while try other.engine.info().sequence == before { usleep(100) }
            watch.add(nanoseconds: SystemClock.monotonicNanoseconds() - begun)
            usleep(20_000)
        }
        ends.want()
        _ = try ends.wait().get()
        return BenchResult(
            id: "sync", set: set.name, mode: "follow", watch: watch, samples: 1, hash: nil,
            what: "from saving a sample to its durable commit in the other store")
    }

    /// The first synchronisation over a connection with a limited rate.
    private func overSlowConnection(_ segments: Int) throws -> BenchResult {
        BenchFiles.removeTree(target)
        let (one, other) = (try open(source), try open(target))
        defer {
            one.close()
            other.close()
        }
        let (here, there) = try SlowChannel.pair(bytesPerSecond: Self.slow)
        let ends = SyncEnd()
        DispatchQueue(label: "bench.sync").async { ends.end(Result { try HealthStoreSync(other).run(over: there) }) }
        var watch = Stopwatch()
        let report = try watch.measure { try HealthStoreSync(one).run(over: here) }
        _ = try ends.wait().get()
        var row = BenchResult(
            id: "sync", set: set.name, mode: "slow", watch: watch, samples: report.sent.samples, hash: nil,
            what: "the first synchronisation over 10 MB/s, beside the time of the bytes alone")
        row.bytes = Int(clamping: report.sent.bytes)
        row.ratio = watch.median / (Double(report.sent.bytes) / Self.slow)
        row.ratioTo = "the bytes alone"
        return row
    }
}

/// The end of a synchronisation in another thread.
private final class SyncEnd: Sendable {
    private let wanted = Atomic(false)
    private let result = Mutex<Result<SyncReport, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    var isWanted: Bool { wanted.load(ordering: .relaxed) }
    func want() { wanted.store(true, ordering: .relaxed) }

    func end(_ result: Result<SyncReport, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    func wait() -> Result<SyncReport, any Error> {
        ended.wait()
        return result.withLock { $0 } ?? .failure(BenchError("the synchronisation did not end"))
    }
}

/// A connection whose writes take as long as their bytes need at a rate.
private struct SlowChannel: SyncChannel {
    private let channel: DescriptorChannel
    private let bytesPerSecond: Double

    static func pair(bytesPerSecond: Double) throws -> (SlowChannel, SlowChannel) {
        let (one, other) = (Pipe(), Pipe())
        func end(_ input: Pipe, _ output: Pipe) -> SlowChannel {
            SlowChannel(
                channel: DescriptorChannel(
                    reading: dup(input.fileHandleForReading.fileDescriptor),
                    writing: dup(output.fileHandleForWriting.fileDescriptor), name: "a slow pipe"),
                bytesPerSecond: bytesPerSecond)
        }
        return (end(one, other), end(other, one))
    }

    func read(_ count: Int) throws -> [UInt8] { try channel.read(count) }

    func write(_ bytes: [UInt8]) throws {
        for from in stride(from: 0, to: bytes.count, by: 65_536) {
            let part = Array(bytes[from..<min(bytes.count, from + 65_536)])
            let begun = SystemClock.monotonicNanoseconds()
            try channel.write(part)
            let left = Double(part.count) / bytesPerSecond - Double(SystemClock.monotonicNanoseconds() - begun) / 1e9
            if left > 0 { usleep(UInt32(left * 1e6)) }
        }
    }

    func close() { channel.close() }
}
