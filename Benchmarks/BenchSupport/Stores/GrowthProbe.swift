// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// The cost of a store of a known size in a fresh process: time of opening and queries, and memory.
package struct GrowthProbe {
    /// The seconds, and the resident bytes in addition to those before the store was opened.
    package struct Report: Codable, Sendable {
        var bytes = 0
        var open = 0.0
        var openMemory = 0
        var firstQ2 = 0.0
        var firstMemory = 0
        /// Median and minimum.
        var q2 = [0.0, 0.0]
        var q2Hash = ""
        var q5 = [0.0, 0.0]
        var q5Hash = ""
        var hours = 0.0
        var hoursHash = ""
        var allMemory = 0

        package func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

        package init() {}

        package init(json: String) throws {
            self = try BenchJSON.decode(
                Data(json.utf8), "grow-probe returned no measurement", hint: "run it again without the largest size")
        }
    }

    private let samples: Int
    private let runs: Int
    private let store: TimeSeriesStore
    private let id: SeriesID
    private let data = GrowthData(series: 0)
    private var report = Report()

    /// Measures a store and compares every result with the regenerated samples.
    package static func run(store path: String, samples: Int, series: Int, threads: Int, runs: Int) throws -> Report {
        let idle = Int(Machine.residentBytes())
        var options = StoreOptions()
        options.threads = threads
        var watch = Stopwatch()
        let store = try watch.measure { try TimeSeriesStore.open(at: path, mode: .readOnly, options: options) }
        defer { store.close() }
        guard let first = store.snapshot().series(named: "growth_0") else {
            throw BenchError("\(path) is not a store of this benchmark")
        }
        var probe = GrowthProbe(samples: samples / series, runs: runs, store: store, id: first.id)
        probe.report.open = watch.min
        probe.report.openMemory = max(0, Int(Machine.residentBytes()) - idle)
        try probe.ask(idle: idle)
        probe.report.bytes = Int(try store.info().bytes)
        return probe.report
    }

    private init(samples: Int, runs: Int, store: TimeSeriesStore, id: SeriesID) {
        self.samples = samples
        self.runs = runs
        self.store = store
        self.id = id
    }

    /// Queries one hour in six: a page of the index spans more than six hours, so every page is read.
    private mutating func touchEverything(_ snapshot: Snapshot, _ all: TimeRange) throws {
        var watch = Stopwatch()
        var hash = AnswerHash()
        let (hour, step) = (QueryBenchmark.hour, 6 * QueryBenchmark.hour)
        let questions = Int((all.end - all.start - 1) / step) + 1
        try watch.measure(repeats: questions) {
            for i in 0..<questions {
                let start = all.start + Int64(i) * step + hour / 2
                hash.add(try snapshot.aggregate(of: id, over: TimeRange(start, start + hour)).sum)
            }
        }
        report.hours = watch.min
        report.hoursHash = hash.text
    }

    private mutating func ask(idle: Int) throws {
        let snapshot = store.snapshot()
        let id = self.id
        let day = QueryBenchmark.day
        let end = GrowthData.time(samples)
        let all = TimeRange(GrowthData.origin, end)
        let middle = GrowthData.origin + (end - GrowthData.origin) / 2 / day * day
        let month = TimeRange(max(GrowthData.origin, middle - 15 * day), min(end, middle + 15 * day))
        let days = Buckets.fixed(nanoseconds: day, anchor: GrowthData.origin)
        var watch = Stopwatch()
        let answer = try watch.measure { try snapshot.buckets(of: id, days, over: month) }
        report.firstQ2 = watch.min
        report.firstMemory = max(0, Int(Machine.residentBytes()) - idle)
        watch = try Stopwatch.rounds(runs, seconds: 0.002) {
            _ = try snapshot.buckets(of: id, days, over: month)
        }
        report.q2 = [watch.median, watch.min]
        report.q2Hash = AnswerHash(answer).text
        let ranges = QueryBenchmark.ranges(all, longest: 30 * day, count: 100, seed: 7)
        var hash = AnswerHash()
        for range in ranges { hash.add(try snapshot.aggregate(of: id, over: range).sum) }
        watch = try Stopwatch.rounds(runs, seconds: 0.002) {
            for range in ranges { _ = try snapshot.aggregate(of: id, over: range) }
        }
        report.q5 = [watch.median / Double(ranges.count), watch.min / Double(ranges.count)]
        report.q5Hash = hash.text
        try touchEverything(snapshot, all)
        report.allMemory = max(0, Int(Machine.residentBytes()) - idle)
        // Checks come last, because they need memory.
        guard snapshot.count(of: id) == samples else {
            throw BenchError("growth: the store does not hold \(samples) samples of a series")
        }
        let edges = [answer.first?.start ?? 0] + answer.map(\.end)
        let part = data.part(edges[0], edges[edges.count - 1], of: samples)
        try NaiveAnswers.check(Array(answer), [part], edges, "growth, Q2")
        for range in ranges.prefix(5) {
            let one = try snapshot.aggregate(of: id, over: range)
            let part = data.part(range.start, range.end, of: samples)
            try NaiveAnswers.check([one], [part], [range.start, range.end], "growth, Q5")
        }
    }
}
