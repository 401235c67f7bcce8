// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// The queries, each checked against plain recomputation before it is measured.
package struct QueryBenchmark {
    let store: TimeSeriesStore
    let snapshot: Snapshot
    let set: BenchSet
    let ids: [SeriesID]
    let settings: Settings

    /// The settings of a measurement.
    package struct Settings: Sendable {
        /// The number of measured runs of each query.
        package var runs: Int
        /// The number of threads of the store.
        package var threads: Int
        /// The mode of the rows: `warm`, or the state of the store, such as `late`.
        package var mode: String
        /// The minimum duration of a run in seconds; faster queries are repeated within a run.
        package var runSeconds: Double

        package init(runs: Int, threads: Int = 1, mode: String = "warm", runSeconds: Double = 0.005) {
            self.runs = runs
            self.threads = threads
            self.mode = mode
            self.runSeconds = runSeconds
        }
    }

    static let minute: Int64 = 60_000_000_000
    static let hour: Int64 = 3_600_000_000_000
    static let day: Int64 = 86_400_000_000_000

    /// The names of all queries.
    package static let names = (1...10).map { "Q\($0)" } + ["scan"] + shapes

    /// Returns the queries that use a set.
    package static func names(for set: String) -> [String] {
        switch set {
        case "ecg": ["Q10"]
        case "hr": names.filter { $0 != "Q10" }
        default: []
        }
    }

    /// - Parameter isEncrypted: whether the store was created encrypted by a benchmark.
    package init(store path: String, set: BenchSet, settings: Settings, isEncrypted: Bool = false) throws {
        var options = try BenchKey.options(isEncrypted: isEncrypted)
        options.threads = settings.threads
        store = try TimeSeriesStore.open(at: path, mode: .readOnly, options: options)
        let snapshot = store.snapshot()
        self.snapshot = snapshot
        self.set = set
        self.settings = settings
        ids = try set.series.map { one in
            guard let series = snapshot.series(named: one.name) else {
                throw BenchError("\(path) has no series \(one.name)")
            }
            return series.id
        }
    }

    package func close() { store.close() }

    var span: TimeRange { TimeRange(set.origin, set.origin + Int64(set.days) * Self.day) }

    /// Runs the queries that use the set; only the requested ones if the set of names is not empty.
    package func run(only wanted: Set<String> = []) throws -> [BenchResult] {
        let all: [(String, () throws -> BenchResult)] =
            switch set.name {
            case "ecg": [("Q10", q10)]
            case "hr":
                [
                    ("Q1", q1), ("Q2", { try buckets("Q2", Self.day, [0], "daily bucket") }),
                    ("Q3", { try buckets("Q3", Self.hour, [0], "hourly bucket") }),
                    ("Q4", { try buckets("Q4", Self.minute, [0], "minute bucket") }), ("Q5", q5), ("Q6", q6),
                    ("Q7", q7), ("Q8", q8),
                    (
                        "Q9",
                        { try buckets("Q9", Self.day, Array(ids.indices), "daily bucket", " of all series as one") }
                    ),
                    ("scan", scanAll),
                ] + Self.shapes.map { name in (name, { try shapeRow(name) }) }
            default: []
            }
        return try all.filter { wanted.isEmpty || wanted.contains($0.0) }.map { try $0.1() }
    }

    /// Measures a query; `questions` is the number of queries in the body.
    func row(
        _ id: String, samples: Int, _ hash: AnswerHash, _ what: String, questions: Int = 1,
        _ body: () throws -> Void
    ) throws -> BenchResult {
        let watch = try Stopwatch.rounds(settings.runs, seconds: settings.runSeconds, body)
        let each = Stopwatch(seconds: watch.runs.map { $0 / Double(questions) })
        return BenchResult(
            id: id, set: set.name, threads: settings.threads, mode: settings.mode, watch: each, samples: samples,
            hash: hash, what: what)
    }

    private func q1() throws -> BenchResult {
        let id = ids[0]
        let answer = try snapshot.aggregate(of: id, over: span)
        try NaiveAnswers.check([answer], [set.series[0]], [span.start, span.end], "Q1")
        return try row(
            "Q1", samples: answer.count, AnswerHash([answer]),
            "statistics of one series over \(NumberWords.plural(set.days, "day"))"
        ) { _ = try snapshot.aggregate(of: id, over: span) }
    }

    private func buckets(
        _ name: String, _ width: Int64, _ which: [Int], _ what: String, _ of: String = ""
    ) throws -> BenchResult {
        let some = which.map { ids[$0] }
        let cut = Buckets.fixed(nanoseconds: width, anchor: set.origin)
        let answer = try snapshot.buckets(of: some, cut, over: span)
        let edges = [span.start] + answer.map(\.end)
        try NaiveAnswers.check(Array(answer), which.map { set.series[$0] }, edges, name)
        let samples = answer.reduce(0) { $0 + $1.count }
        return try row(name, samples: samples, AnswerHash(answer), NumberWords.plural(answer.count, what) + of) {
            _ = try snapshot.buckets(of: some, cut, over: span)
        }
    }

    private func q10() throws -> BenchResult {
        let series = set.series[0]
        let last = series.times[series.times.count - 1]
        let range = TimeRange(set.origin, last + 1)
        let cut = Buckets.fixed(nanoseconds: Self.hour, anchor: set.origin)
        let answer = try snapshot.buckets(of: ids[0], cut, over: range)
        try NaiveAnswers.check(Array(answer), [series], [range.start] + answer.map(\.end), "Q10")
        return try row(
            "Q10", samples: series.times.count, AnswerHash(answer), NumberWords.plural(answer.count, "hourly bucket")
        ) { _ = try snapshot.buckets(of: ids[0], cut, over: range) }
    }

    private func q7() throws -> BenchResult {
        let series = set.series[0]
        guard let answer = try snapshot.mostRecent(of: ids[0]), answer.start == series.times.last,
            answer.value == series.values.last
        else {
            throw BenchError("Q7: not the most recent sample")
        }
        var hash = AnswerHash()
        hash.add(answer.start)
        hash.add(answer.value)
        return try row("Q7", samples: 1, hash, "the most recent sample") { _ = try snapshot.mostRecent(of: ids[0]) }
    }
}
