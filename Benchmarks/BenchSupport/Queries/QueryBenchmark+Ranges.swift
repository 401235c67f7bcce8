// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Kymograph

extension QueryBenchmark {
    /// Returns random intervals of a span, from a minute to the whole span, with uniformly distributed logarithms of
    /// lengths.
    package static func ranges(_ span: TimeRange, longest: Int64 = .max, count: Int, seed: UInt64) -> [TimeRange] {
        var random = BenchRandom(seed: seed)
        let whole = Double(span.end - span.start)
        let most = min(whole, Double(longest))
        return (0..<count).map { _ in
            let length = Double(minute) * pow(most / Double(minute), random.fraction())
            let start = span.start + Int64(random.fraction() * (whole - length))
            return TimeRange(start, start + Int64(length))
        }
    }

    /// Measures sums over random ranges.
    func q5() throws -> BenchResult {
        let ranges = Self.ranges(span, count: 200, seed: 42)
        let series = set.series[0]
        var hash = AnswerHash()
        for range in ranges {
            let answer = try snapshot.aggregate(of: ids[0], over: range)
            try NaiveAnswers.check([answer], [series], [range.start, range.end], "Q5")
            hash.add(answer.sum)
        }
        return try row(
            "Q5", samples: series.times.count, hash, "sum over a random range of a minute to \(set.days) days",
            questions: ranges.count
        ) {
            for range in ranges { _ = try snapshot.aggregate(of: ids[0], over: range) }
        }
    }

    /// Measures reading all samples of a series into arrays.
    func q6() throws -> BenchResult {
        var starts = [Int64]()
        var values = [Double]()
        let series = set.series[0]
        starts.reserveCapacity(series.times.count)
        values.reserveCapacity(series.times.count)
        func read() throws {
            starts.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
            try snapshot.read(ids[0], starts: &starts, values: &values)
        }
        try read()
        guard starts == series.times, values.map(\.bitPattern) == series.values.map(\.bitPattern) else {
            throw BenchError("Q6: the samples read differ from the samples written")
        }
        var hash = AnswerHash()
        for i in stride(from: 0, to: starts.count, by: 997) {
            hash.add(starts[i])
            hash.add(values[i])
        }
        return try row("Q6", samples: starts.count, hash, "all samples of a series into the caller's arrays", read)
    }

    /// Measures counting all samples of a random minute.
    func q8() throws -> BenchResult {
        let series = set.series[0]
        var random = BenchRandom(seed: 43)
        let minutes = (0..<200).map { _ in
            let at = series.times[random.below(series.times.count)] + 1_234
            return TimeRange(at, at + Self.minute)
        }
        var hash = AnswerHash()
        var total = 0
        for range in minutes {
            let count = try count(ids[0], range)
            guard count == NaiveAnswers.buckets([series], [range.start, range.end])[0].count else {
                throw BenchError("Q8: \(count) samples at \(range.start)")
            }
            total += count
            hash.add(Int64(count))
        }
        return try row(
            "Q8", samples: total / minutes.count, hash, "all samples of a random minute", questions: minutes.count
        ) {
            for range in minutes { _ = try count(ids[0], range) }
        }
    }

    /// Measures scanning all samples of a series, batch by batch.
    func scanAll() throws -> BenchResult {
        let series = set.series[0]
        var hash = AnswerHash()
        var at = 0
        try snapshot.scan(ids[0]) { batch in
            for i in 0..<batch.count {
                let sample = batch[i]
                guard at < series.times.count, sample.start == series.times[at],
                    sample.value.bitPattern == series.values[at].bitPattern
                else { throw BenchError("scan: sample \(at) differs from the sample written") }
                if at % 997 == 0 {
                    hash.add(sample.start)
                    hash.add(sample.value)
                }
                at += 1
            }
            return true
        }
        guard at == series.times.count else { throw BenchError("scan: \(at) samples") }
        return try row("scan", samples: at, hash, "all samples of a series, batch by batch") {
            _ = try count(ids[0], .all)
        }
    }

    func count(_ id: SeriesID, _ range: TimeRange) throws -> Int {
        var count = 0
        try snapshot.scan(id, over: range) { batch in
            count += batch.count
            return true
        }
        return count
    }
}

extension QueryBenchmark {
    /// Measures opening the store and one query with a cold file cache; nil if the cache cannot be dropped.
    package static func cold(
        store path: String, set: BenchSet, runs: Int, threads: Int
    ) throws -> [BenchResult]? {
        guard set.name == "hr" else { return [] }
        guard BenchFiles.dropCaches() else { return nil }
        var rows = [BenchResult]()
        for (name, width, what) in [("Q2", day, "open and daily buckets"), ("Q4", minute, "open and minute buckets")] {
            var watch = Stopwatch()
            var hash = AnswerHash()
            for _ in 0..<max(1, runs) {
                _ = BenchFiles.dropCaches()
                let answer = try watch.measure {
                    let one = try QueryBenchmark(
                        store: path, set: set, settings: Settings(runs: 1, threads: threads, mode: "cold"))
                    defer { one.close() }
                    return try one.snapshot.buckets(
                        of: one.ids[0], .fixed(nanoseconds: width, anchor: set.origin), over: one.span)
                }
                hash = AnswerHash(answer)
            }
            rows.append(
                BenchResult(
                    id: name, set: set.name, threads: threads, mode: "cold", watch: watch,
                    samples: set.series[0].times.count, hash: hash, what: what))
        }
        return rows
    }
}
