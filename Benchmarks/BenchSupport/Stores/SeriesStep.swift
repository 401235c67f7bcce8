// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// A step of the benchmark of many series, for a fresh process.
package enum SeriesStep: String, Sendable {
    case load, ask

    /// Medians and minima in seconds, and resident memory in bytes.
    package struct Report: Codable, Sendable {
        var load = [0.0, 0.0]
        var peak = 0
        var peakGrowth = 0
        var bytes = 0
        var open = [0.0, 0.0]
        var openMemory = 0
        var firstName = [0.0, 0.0]
        var name = [0.0, 0.0]
        var sum = [0.0, 0.0]
        var make = [0.0, 0.0]
        var makeHeld = [0.0, 0.0]
        var hash = ""

        package func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

        package init() {}

        package init(json: String) throws {
            self = try BenchJSON.decode(
                Data(json.utf8), "series-step returned no measurement", hint: "run it again with fewer series")
        }
    }

    package func run(store path: String, series: Int, threads: Int, runs: Int) throws -> Report {
        var options = StoreOptions()
        options.threads = threads
        switch self {
        case .load: return try Self.load(path, series, options)
        case .ask: return try Self.ask(path, series, options, runs)
        }
    }

    private static func labels(_ number: Int) -> [String: String] { ["subject": "\(1_000_000 + number)"] }

    private static func start(_ sample: Int) -> Int64 { GrowthData.origin + Int64(sample) * QueryBenchmark.day }

    private static func value(_ number: Int, _ sample: Int) -> Double { Double(40 + (number * 7 + sample * 13) % 120) }

    private static func load(_ path: String, _ series: Int, _ options: StoreOptions) throws -> Report {
        var report = Report()
        let store = try TimeSeriesStore.create(at: path, options: options)
        let before = Int(Machine.residentBytes())
        var watch = Stopwatch()
        let samples = SeriesBenchmark.samples
        let starts = (0..<samples).map { start($0) }
        var values = [Double](repeating: 0, count: samples)
        _ = try watch.measure {
            try store.bulkLoad { loader in
                for number in 0..<series {
                    let id = try loader.series("steps", labels: labels(number), kind: .discrete).id
                    for sample in 0..<samples { values[sample] = value(number, sample) }
                    try loader.append(to: id, starts: starts.span, values: values.span)
                }
            }
        }
        report.load = [watch.median, watch.min]
        report.peak = Int(Machine.usage().peakResidentBytes)
        report.peakGrowth = max(0, report.peak - before)
        store.close()
        report.bytes = Int(try TimeSeriesStore.open(at: path, mode: .readOnly).info().bytes)
        return report
    }

    private static func ask(_ path: String, _ series: Int, _ options: StoreOptions, _ runs: Int) throws -> Report {
        var report = Report()
        let idle = Int(Machine.residentBytes())
        var watch = Stopwatch()
        var opened: TimeSeriesStore?
        for run in 0..<max(1, runs) {
            opened?.close()
            opened = nil
            opened = try watch.measure { try TimeSeriesStore.open(at: path, options: options) }
            if run == 0 { report.openMemory = max(0, Int(Machine.residentBytes()) - idle) }
        }
        guard let store = opened else { return report }
        defer { store.close() }
        report.open = [watch.median, watch.min]
        var random = BenchRandom(seed: 11)
        let numbers = (0..<1_000).map { _ in Int(random.next() % UInt64(series)) }
        try askNames(store.snapshot(), numbers, runs, &report)
        report.make = try make(store, "held by nobody", nil)
        report.makeHeld = try make(store, "held", { store.snapshot() })
        guard store.snapshot().series.count == series + 200 else {
            throw BenchError("series: the store does not hold \(series + 200) series")
        }
        return report
    }

    private static func askNames(
        _ snapshot: Snapshot, _ numbers: [Int], _ runs: Int, _ report: inout Report
    ) throws {
        func find(_ number: Int) throws -> SeriesID {
            guard let one = snapshot.series(named: "steps", labels: labels(number)) else {
                throw BenchError("series: no series of subject \(number)")
            }
            return one.id
        }
        var watch = Stopwatch()
        _ = try watch.measure { try find(numbers[0]) }
        report.firstName = [watch.median, watch.min]
        watch = Stopwatch()
        for _ in 0..<max(1, runs) {
            try watch.measure(repeats: numbers.count) { for number in numbers { _ = try find(number) } }
        }
        report.name = [watch.median, watch.min]
        let ids = try numbers.map { try find($0) }
        var hash = AnswerHash()
        watch = Stopwatch()
        for (number, id) in zip(numbers, ids) {
            let sum = try watch.measure { try snapshot.aggregate(of: id).sum }
            hash.add(sum)
            let wanted = (0..<SeriesBenchmark.samples).reduce(0) { $0 + value(number, $1) }
            guard sum == wanted else { throw BenchError("series: subject \(number) has \(sum ?? .nan), not \(wanted)") }
        }
        report.sum = [watch.median, watch.min]
        report.hash = hash.text
    }

    /// Measures adding a hundred series. Returns median and minimum in seconds.
    private static func make(
        _ store: TimeSeriesStore, _ name: String, _ hold: (() -> Snapshot)?
    ) throws -> [Double] {
        var watch = Stopwatch()
        for number in 0..<100 {
            let held = hold?()
            _ = try watch.measure { try store.series(name, labels: labels(number), kind: .discrete) }
            withExtendedLifetime(held) {}
        }
        return [watch.median, watch.min]
    }
}
