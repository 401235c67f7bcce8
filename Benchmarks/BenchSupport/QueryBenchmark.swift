// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// The ten queries, each checked against plain recomputation before it is timed.
package struct QueryBenchmark {
    private let store: TimeSeriesStore
    private let snapshot: Snapshot
    private let set: BenchSet
    private let ids: [SeriesID]
    private let runs: Int
    private static let minute: Int64 = 60_000_000_000
    private static let hour: Int64 = 3_600_000_000_000
    private static let day: Int64 = 86_400_000_000_000

    package init(store path: String, set: BenchSet, runs: Int) throws {
        store = try TimeSeriesStore.open(at: path, mode: .readOnly)
        let snapshot = store.snapshot()
        self.snapshot = snapshot
        self.set = set
        self.runs = runs
        ids = try set.series.map { one in
            guard let series = snapshot.series(named: one.name) else {
                throw BenchError("\(path) has no series \(one.name)")
            }
            return series.id
        }
    }

    private var span: TimeRange { TimeRange(set.origin, set.origin + Int64(set.days) * Self.day) }

    /// The queries that the set is meant for, or those of them whose names are wanted.
    package func run(only wanted: Set<String> = []) throws -> [BenchResult] {
        let all: [(String, () throws -> BenchResult)] =
            switch set.name {
            case "ecg": [("Q10", q10)]
            case "hr":
                [
                    ("Q1", q1), ("Q2", { try buckets("Q2", Self.day, [0], "daily buckets") }),
                    ("Q3", { try buckets("Q3", Self.hour, [0], "hourly buckets") }),
                    ("Q4", { try buckets("Q4", Self.minute, [0], "minute buckets") }), ("Q5", q5), ("Q6", q6),
                    ("Q7", q7), ("Q8", q8),
                    ("Q9", { try buckets("Q9", Self.day, Array(ids.indices), "daily buckets of all series as one") }),
                ]
            default: []
            }
        return try all.filter { wanted.isEmpty || wanted.contains($0.0) }.map { try $0.1() }
    }

    private func row(
        _ id: String, _ watch: Stopwatch, _ samples: Int, _ hash: AnswerHash, _ what: String
    ) -> BenchResult {
        BenchResult(
            id: id, set: set.name, mode: "warm", medianSeconds: watch.median, minSeconds: watch.min, samples: samples,
            hash: hash.text, samplesPerSecond: nil, bytesPerSample: nil, what: what)
    }

    private func q1() throws -> BenchResult {
        let id = ids[0]
        let answer = try snapshot.aggregate(of: id, over: span)
        try NaiveAnswers.check([answer], [set.series[0]], [span.start, span.end], "Q1")
        var watch = Stopwatch()
        for _ in 0..<runs { _ = try watch.measure { try snapshot.aggregate(of: id, over: span) } }
        return row("Q1", watch, answer.count, Self.hash([answer]), "statistics of one series over \(set.days) days")
    }

    private func buckets(_ name: String, _ width: Int64, _ which: [Int], _ what: String) throws -> BenchResult {
        let some = which.map { ids[$0] }
        let cut = Buckets.fixed(nanoseconds: width, anchor: set.origin)
        let answer = try snapshot.buckets(of: some, cut, over: span)
        let edges = [span.start] + answer.map(\.end)
        try NaiveAnswers.check(Array(answer), which.map { set.series[$0] }, edges, name)
        var watch = Stopwatch()
        for _ in 0..<runs { _ = try watch.measure { try snapshot.buckets(of: some, cut, over: span) } }
        let samples = answer.reduce(0) { $0 + $1.count }
        return row(name, watch, samples, Self.hash(Array(answer)), "\(answer.count) \(what)")
    }

    private func q5() throws -> BenchResult {
        var random = BenchRandom(seed: 42)
        let whole = Double(span.end - span.start)
        let ranges = (0..<200).map { _ in
            let length = Double(Self.minute) * (pow(whole / Double(Self.minute), random.fraction()))
            let start = span.start + Int64(random.fraction() * (whole - length))
            return TimeRange(start, start + Int64(length))
        }
        let series = set.series[0]
        var hash = AnswerHash()
        for range in ranges {
            let answer = try snapshot.aggregate(of: ids[0], over: range)
            try NaiveAnswers.check([answer], [series], [range.start, range.end], "Q5")
            hash.add(answer.sum)
        }
        var watch = Stopwatch()
        for _ in 0..<runs {
            try watch.measure(repeats: ranges.count) {
                for range in ranges { _ = try snapshot.aggregate(of: ids[0], over: range) }
            }
        }
        return row("Q5", watch, series.times.count, hash, "sum over a random range of a minute to \(set.days) days")
    }

    private func q6() throws -> BenchResult {
        var starts = [Int64]()
        var values = [Double]()
        let series = set.series[0]
        starts.reserveCapacity(series.times.count)
        values.reserveCapacity(series.times.count)
        var watch = Stopwatch()
        for _ in 0..<runs {
            starts.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
            try watch.measure { try snapshot.read(ids[0], starts: &starts, values: &values) }
        }
        guard starts == series.times, values.map(\.bitPattern) == series.values.map(\.bitPattern) else {
            throw BenchError("Q6: the samples that came back are not those that went in")
        }
        var hash = AnswerHash()
        for i in stride(from: 0, to: starts.count, by: 997) {
            hash.add(starts[i])
            hash.add(values[i])
        }
        return row("Q6", watch, starts.count, hash, "all samples of a series to the caller's arrays")
    }

    private func q7() throws -> BenchResult {
        let series = set.series[0]
        guard let answer = snapshot.mostRecent(of: ids[0]), answer.start == series.times.last,
            answer.value == series.values.last
        else {
            throw BenchError("Q7: that is not the most recent sample")
        }
        var hash = AnswerHash()
        hash.add(answer.start)
        hash.add(answer.value)
        var watch = Stopwatch()
        for _ in 0..<runs {
            watch.measure(repeats: 1_000) {
                for _ in 0..<1_000 { _ = snapshot.mostRecent(of: ids[0]) }
            }
        }
        return row("Q7", watch, 1, hash, "the most recent sample")
    }

    private func q8() throws -> BenchResult {
        let series = set.series[0]
        var random = BenchRandom(seed: 43)
        let minutes = (0..<200).map { _ in
            let at = series.times[random.below(series.times.count)] + 1_234
            return TimeRange(at, at + Self.minute)
        }
        var hash = AnswerHash()
        var total = 0
        func scan(_ range: TimeRange) throws -> Int {
            var count = 0
            try snapshot.scan(ids[0], over: range) { batch in
                count += batch.count
                return true
            }
            return count
        }
        for range in minutes {
            let count = try scan(range)
            guard count == NaiveAnswers.buckets([series], [range.start, range.end])[0].count else {
                throw BenchError("Q8: \(count) samples at \(range.start)")
            }
            total += count
            hash.add(Int64(count))
        }
        var watch = Stopwatch()
        for _ in 0..<runs {
            try watch.measure(repeats: minutes.count) {
                for range in minutes { _ = try scan(range) }
            }
        }
        return row("Q8", watch, total / minutes.count, hash, "all samples of a random minute")
    }

    private func q10() throws -> BenchResult {
        let series = set.series[0]
        let last = series.times[series.times.count - 1]
        let range = TimeRange(set.origin, last + 1)
        let cut = Buckets.fixed(nanoseconds: Self.hour, anchor: set.origin)
        let answer = try snapshot.buckets(of: ids[0], cut, over: range)
        try NaiveAnswers.check(Array(answer), [series], [range.start] + answer.map(\.end), "Q10")
        var watch = Stopwatch()
        for _ in 0..<runs { _ = try watch.measure { try snapshot.buckets(of: ids[0], cut, over: range) } }
        return row("Q10", watch, series.times.count, Self.hash(Array(answer)), "\(answer.count) hourly buckets")
    }

    /// Opening the store and asking once, after the system forgot its files. Empty where it does not.
    package static func cold(store path: String, set: BenchSet, runs: Int) throws -> [BenchResult] {
        guard set.name == "hr", BenchFiles.dropCaches() else { return [] }
        var rows = [BenchResult]()
        for (name, width, what) in [("Q2", day, "open and daily buckets"), ("Q4", minute, "open and minute buckets")] {
            var watch = Stopwatch()
            var hash = AnswerHash()
            for _ in 0..<max(1, runs) {
                _ = BenchFiles.dropCaches()
                let answer = try watch.measure {
                    let one = try QueryBenchmark(store: path, set: set, runs: 1)
                    defer { one.store.close() }
                    return try one.snapshot.buckets(
                        of: one.ids[0], .fixed(nanoseconds: width, anchor: set.origin), over: one.span)
                }
                hash = Self.hash(Array(answer))
            }
            rows.append(
                BenchResult(
                    id: name, set: set.name, mode: "cold", medianSeconds: watch.median, minSeconds: watch.min,
                    samples: set.series[0].times.count, hash: hash.text, samplesPerSecond: nil, bytesPerSample: nil,
                    what: what))
        }
        return rows
    }

    package func close() { store.close() }

    private static func hash(_ answers: [Aggregate]) -> AnswerHash {
        var hash = AnswerHash()
        for answer in answers {
            hash.add(answer.start)
            hash.add(Int64(answer.count))
            hash.add(answer.sum)
            hash.add(answer.min)
            hash.add(answer.max)
        }
        return hash
    }
}
