// SPDX-License-Identifier: Apache-2.0

import Kymograph

// Queries for plots and distributions, each checked against plain loops over arrays.
extension QueryBenchmark {
    /// The names of the queries.
    static let shapes = ["deviation", "quantiles", "hourly-quantiles", "envelope", "lttb", "extremes-lttb"]

    private static let probabilities = [0.05, 0.25, 0.5, 0.75, 0.95]
    private static let points = 1_000

    /// Returns a query without checks and time measurement; nil for an unknown name.
    func shape(_ name: String) -> (() throws -> Void)? {
        let (snapshot, id, span) = (snapshot, ids[0], span)
        let hours = Buckets.fixed(nanoseconds: Self.hour, anchor: set.origin)
        let days = Buckets.fixed(nanoseconds: Self.day, anchor: set.origin)
        switch name {
        case "deviation":
            return {
                let answer = try snapshot.buckets(of: id, days, over: span, computing: .standardDeviation)
                for bucket in answer { blackHole(bucket.standardDeviation) }
            }
        case "quantiles":
            return { blackHole(try snapshot.quantiles(of: id, over: span, at: Self.probabilities)) }
        case "hourly-quantiles":
            return { blackHole(try snapshot.quantiles(of: id, hours, over: span, at: Self.probabilities)) }
        case "envelope": return { blackHole(try snapshot.envelope(of: id, points: Self.points, over: span)) }
        case "lttb": return { blackHole(try snapshot.downsample(id, to: Self.points, over: span)) }
        case "extremes-lttb":
            return { blackHole(try snapshot.downsample(id, to: Self.points, over: span, by: .extremesFirst)) }
        default: return nil
        }
    }

    /// Checks and measures one of the queries.
    func shapeRow(_ name: String) throws -> BenchResult {
        let (hash, what) =
            switch name {
            case "deviation": (try deviation(), "standard deviation of \(NumberWords.plural(set.days, "day"))")
            case "quantiles": (try quantiles(), "five quantiles of a series")
            case "hourly-quantiles": (try hourlyQuantiles(), "five quantiles of each hour")
            case "envelope": (try envelope(), "envelope of a series in 1,000 slices")
            case "lttb": (try triangles(), "1,000 points by largest triangles")
            default: (try fewTriangles(), "1,000 points by largest triangles among extremes")
            }
        guard let body = shape(name) else { throw BenchError("no query \(name)") }
        return try row(name, samples: set.series[0].times.count, hash, what, body)
    }

    private func deviation() throws -> AnswerHash {
        let series = set.series[0]
        let days = Buckets.fixed(nanoseconds: Self.day, anchor: set.origin)
        var hash = AnswerHash()
        for bucket in try snapshot.buckets(of: ids[0], days, over: span, computing: .standardDeviation) {
            let rows = rows(series, bucket.start, bucket.end)
            let wanted = rows.isEmpty ? nil : NaiveAnswers.deviation(series.values[rows])
            guard wanted.map({ abs($0 - (bucket.standardDeviation ?? .nan)) <= 1e-12 * $0 }) ?? true else {
                throw BenchError("deviation at \(bucket.start) is \(bucket), but differs by plain recomputation")
            }
            hash.add(bucket.standardDeviation)
        }
        return hash
    }

    private func quantiles() throws -> AnswerHash {
        let found = try snapshot.quantiles(of: ids[0], over: span, at: Self.probabilities)
        var hash = AnswerHash()
        try check(found, &hash)
        return hash
    }

    private func hourlyQuantiles() throws -> AnswerHash {
        let hours = Buckets.fixed(nanoseconds: Self.hour, anchor: set.origin)
        var hash = AnswerHash()
        for found in try snapshot.quantiles(of: ids[0], hours, over: span, at: Self.probabilities) {
            try check(found, &hash)
        }
        return hash
    }

    private func check(_ found: Quantiles, _ hash: inout AnswerHash) throws {
        let series = set.series[0]
        let sorted = series.values[rows(series, found.start, found.end)].sorted()
        guard found.count == sorted.count else { throw BenchError("quantiles of \(found.count) samples") }
        for (value, probability) in zip(found.values, Self.probabilities) {
            let wanted = sorted[max(1, Int((probability * Double(sorted.count)).rounded(.up))) - 1]
            guard abs(value - wanted) <= found.relativeError * abs(wanted) else {
                throw BenchError("quantile \(probability) at \(found.start) is \(value), not \(wanted)")
            }
            hash.add(value)
        }
    }

    private func envelope() throws -> AnswerHash {
        let series = set.series[0]
        var hash = AnswerHash()
        for slice in try snapshot.envelope(of: ids[0], points: Self.points, over: span) {
            let rows = rows(series, slice.start, slice.end)
            let least = rows.min { series.values[$0] < series.values[$1] }
            let greatest = rows.max { series.values[$0] < series.values[$1] }
            let first = greatest.flatMap { g in rows.first { series.values[$0] == series.values[g] } }
            let wanted = [rows.first, rows.last, least, first].map { row in
                row.map { Sample(start: series.times[$0], value: series.values[$0]) }
            }
            let all = [slice.first, slice.last, slice.min, slice.max]
            guard slice.count == rows.count, all == wanted else {
                throw BenchError("the slice at \(slice.start) is \(slice), plain recomputation says \(wanted)")
            }
            for sample in all {
                hash.add(sample?.start ?? 0)
                hash.add(sample?.value)
            }
        }
        return hash
    }

    private func triangles() throws -> AnswerHash {
        let series = set.series[0]
        let found = try snapshot.downsample(ids[0], to: Self.points, over: span)
        let wanted = NaiveAnswers.largestTriangles(series.times, series.values, Self.points)
        guard found.map(\.start) == wanted.map({ series.times[$0] }),
            found.map(\.value) == wanted.map({ series.values[$0] })
        else { throw BenchError("lttb: the points differ from plain recomputation") }
        return hash(found)
    }

    private func fewTriangles() throws -> AnswerHash {
        let series = set.series[0]
        let found = try snapshot.downsample(ids[0], to: Self.points, over: span, by: .extremesFirst)
        guard found.count <= Self.points, found.first?.start == series.times.first,
            found.last?.start == series.times.last
        else { throw BenchError("extremes-lttb: \(found.count) points from \(found.first?.start ?? 0)") }
        for point in found {
            let row = NaiveAnswers.first(series.times, point.start)
            guard row < series.times.count, series.times[row] == point.start, series.values[row] == point.value else {
                throw BenchError("extremes-lttb: no sample \(point)")
            }
        }
        return hash(found)
    }

    private func hash(_ samples: [Sample]) -> AnswerHash {
        var hash = AnswerHash()
        for sample in samples {
            hash.add(sample.start)
            hash.add(sample.value)
        }
        return hash
    }

    private func rows(_ series: BenchSeries, _ start: Int64, _ end: Int64) -> Range<Int> {
        NaiveAnswers.first(series.times, start)..<NaiveAnswers.first(series.times, end)
    }
}

extension NaiveAnswers {
    /// Returns the population standard deviation, computed in two passes.
    package static func deviation(_ values: ArraySlice<Double>) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(values.count)).squareRoot()
    }

    /// Returns the indices chosen by largest triangle, three buckets, computed with plain loops.
    package static func largestTriangles(_ times: [Int64], _ values: [Double], _ points: Int) -> [Int] {
        let n = times.count
        if n <= points { return Array(0..<n) }
        func edge(_ bucket: Int) -> Int { bucket > points - 2 ? n : 1 + bucket * (n - 2) / (points - 2) }
        var chosen = [0]
        for bucket in 1...points - 2 {
            let last = chosen[bucket - 1]
            let next = edge(bucket)..<edge(bucket + 1)
            var (time, value) = (0.0, 0.0)
            for i in next {
                time += Double(times[i] - times[last])
                value += values[i]
            }
            let (width, height) = (time / Double(next.count), value / Double(next.count) - values[last])
            var best = (area: -1.0, place: edge(bucket - 1))
            for i in edge(bucket - 1)..<edge(bucket) {
                let area = abs(width * (values[i] - values[last]) - Double(times[i] - times[last]) * height)
                if area > best.area { best = (area, i) }
            }
            chosen.append(best.place)
        }
        return chosen + [n - 1]
    }
}
