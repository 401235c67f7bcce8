// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Daily totals over ten years of steps from a phone and a watch, merged by priority.
package struct MergeBenchmark {
    /// The names of the queries: samples per day and source, and how often both sources have samples.
    package static let names = ["steps", "dense"].flatMap {
        [$0, "\($0)-never", "\($0)-rarely", "\($0)-always"]
    }

    /// The samples of two sources.
    private struct Data {
        let name: String
        /// Starts, ends and values of the watch and of the phone.
        var series: [(starts: [Int64], ends: [Int64], values: [Double])]
    }

    /// The days with both sources, by the end of a name.
    private static let days: [Substring: String] = ["always": "all days", "-never": "no day", "rarely": "few days"]
    private static let day: Int64 = 86_400_000_000_000
    private static let second: Int64 = 1_000_000_000

    private let work: String
    private let runs: Int
    private let threads: Int
    private let runSeconds: Double
    /// The number of days: 3,650, or fewer for counting instructions.
    private let days: Int

    package init(work: String, runs: Int, threads: Int = 1, runSeconds: Double = 0.005, days: Int = 3_650) {
        self.work = work
        self.runs = runs
        self.threads = threads
        self.runSeconds = runSeconds
        self.days = days
    }

    /// Runs the requested rows; all rows if the set is empty.
    package func run(only wanted: Set<String> = []) throws -> [BenchResult] {
        var rows = [BenchResult]()
        for density in ["steps", "dense"] {
            for overlap in ["never", "rarely", "always"] {
                let name = "\(density)-\(overlap)"
                let plain = overlap == "rarely" && (wanted.isEmpty || wanted.contains(density))
                guard wanted.isEmpty || wanted.contains(name) || plain else { continue }
                let data = data(density, overlap)
                let store = try store(data, "\(work)/\(name)-\(threads)")
                defer { store.close() }
                if plain { rows.append(try row(density, data, store.snapshot())) }
                if wanted.isEmpty || wanted.contains(name) {
                    rows.append(try row(name, data, store.snapshot()))
                    rows.append(try row(name, data, store.snapshot(), isNew: true))
                    rows.append(try live(name, data, store))
                }
            }
        }
        return rows
    }

    /// Returns a query without checks and time measurement, and the function that ends it.
    func question(_ name: String) throws -> (ask: () throws -> Void, finish: () -> Void) {
        let parts = name.split(separator: "-").map(String.init)
        let store = try store(data(parts[0], parts.count > 1 ? parts[1] : "rarely"), "\(work)/\(name)")
        let snapshot = store.snapshot()
        let ids = snapshot.series.map(\.id)
        var asked: Int64 = 0
        return (
            {
                asked += 1
                blackHole(try answer(name, snapshot, ids, asked).count)
            }, store.close
        )
    }

    /// Generates data as in exports (95 samples of a source per day, of a few minutes, half of them in three busy
    /// hours) or eight times as dense; both sources on all days, on one day in fifty, or never.
    private func data(_ density: String, _ overlap: String) -> Data {
        var random = BenchRandom(seed: 7)
        let (count, shortest) = density == "dense" ? (720, 8) : (95, 1)
        var found = Data(name: "\(density)-\(overlap)", series: [([], [], []), ([], [], [])])
        for d in 0..<days {
            let draw = random.below(100)
            for source in 0..<2 {
                // The watch on three days in five, the phone on the others, both on one in fifty.
                let both = overlap == "always" || overlap == "rarely" && draw < 2
                guard both || (draw < 60) == (source == 0) else { continue }
                let busy = (0..<3).map { _ in 23_400 + random.below(55_800) }
                let starts = (0..<count).map { i in
                    i % 2 == 0 ? busy[i / 2 % 3] + random.below(3_600) : 23_400 + random.below(59_400)
                }.sorted()
                for start in starts {
                    let length = 2 + random.below((source == 0 ? 180 : 590) / shortest)
                    let from = Int64(d) * Self.day + Int64(start) * Self.second
                    found.series[source].starts.append(from)
                    found.series[source].ends.append(from + Int64(length) * Self.second)
                    found.series[source].values.append(Double(1 + random.below(2 * length)))
                }
            }
        }
        return found
    }

    private func store(_ data: Data, _ path: String) throws -> TimeSeriesStore {
        BenchFiles.removeTree(path)
        var options = StoreOptions()
        options.threads = threads
        let store = try TimeSeriesStore.create(at: path, options: options)
        for (one, source) in zip(data.series, ["watch", "phone"]) {
            let id = try store.series("steps", labels: ["source": source], kind: .cumulative).id
            try store.bulkLoad { loader in
                try loader.append(to: id, starts: one.starts.span, ends: one.ends.span, values: one.values.span)
            }
        }
        return store
    }

    /// Runs the query.
    ///
    /// - Parameter more: nanoseconds after the last day; a new value makes it a different query.
    private func answer(
        _ name: String, _ snapshot: Snapshot, _ ids: [SeriesID], _ more: Int64 = 0
    ) throws -> BucketTable {
        let cut = Buckets.calendar(.days(1), zone: "UTC")
        let span = TimeRange(0, Int64(days) * Self.day + more)
        if !name.contains("-") { return try snapshot.buckets(of: ids, cut, over: span) }
        return try snapshot.buckets(of: MergedSources(ids), cut, over: span)
    }

    /// Measures a query.
    ///
    /// - Parameter isNew: whether each repetition is a new query.
    private func row(_ name: String, _ data: Data, _ snapshot: Snapshot, isNew: Bool = false) throws -> BenchResult {
        let ids = snapshot.series.map(\.id)
        let found = try answer(name, snapshot, ids)
        try check(found, name, data)
        var asked: Int64 = 0
        let watch = try Stopwatch.rounds(runs, seconds: runSeconds) {
            if isNew { asked += 1 }
            _ = try answer(name, snapshot, ids, asked)
        }
        let how =
            !name.contains("-") ? "added up" : "merged, both on \(Self.days[name.suffix(6)] ?? "few days")"
        let mode = isNew ? "new" : "warm"
        return result(name, mode, data, found, watch, how + (isNew ? ", for the first time" : ""))
    }

    /// Measures the query after each of several commits of one sample of the last day.
    private func live(_ name: String, _ data: Data, _ store: TimeSeriesStore) throws -> BenchResult {
        let ids = store.snapshot().series.map(\.id)
        var watch = Stopwatch()
        for i in 0..<Int64(32) {
            let start = Int64(days) * Self.day - (40 - i) * Self.second
            try store.append(to: ids[0], [Sample(start: start, end: start + Self.second, value: 1)])
            let snapshot = store.snapshot()
            _ = try watch.measure { try answer(name, snapshot, ids) }
        }
        // A new opening of the store must return the same result.
        let found = try answer(name, store.snapshot(), ids)
        let other = try TimeSeriesStore.open(at: store.path, mode: .readOnly)
        defer { other.close() }
        guard AnswerHash(found) == AnswerHash(try answer(name, other.snapshot(), ids)) else {
            throw BenchError("\(name): the cached result differs from a new opening")
        }
        return result(name, "after-commit", data, found, watch, "merged, after a commit of one sample each")
    }

    private func result(
        _ name: String, _ mode: String, _ data: Data, _ found: BucketTable, _ watch: Stopwatch, _ how: String
    ) -> BenchResult {
        BenchResult(
            id: name, set: "steps", threads: threads, mode: mode, watch: watch,
            samples: data.series.reduce(0) { $0 + $1.starts.count }, hash: AnswerHash(found),
            what: "\(NumberWords.plural(found.count, "daily total")) of two sources, \(how)")
    }

    /// Compares with plain recomputation: covered seconds of a day are marked, and each sample counts by its unmarked
    /// share. No sample crosses midnight.
    private func check(_ found: BucketTable, _ name: String, _ data: Data) throws {
        let isMerged = name.contains("-")
        var next = [0, 0]
        for d in 0..<days {
            var sum = 0.0
            var marked = [Bool](repeating: false, count: 86_400)
            for (source, one) in data.series.enumerated() {
                let first = next[source]
                while next[source] < one.starts.count, one.starts[next[source]] < Int64(d + 1) * Self.day {
                    next[source] += 1
                }
                let rows = (first..<next[source]).map { i in
                    let midnight = Int64(d) * Self.day
                    return (
                        Int((one.starts[i] - midnight) / Self.second)..<Int((one.ends[i] - midnight) / Self.second),
                        one.values[i]
                    )
                }
                for (seconds, value) in rows {
                    let left = seconds.reduce(0) { isMerged && marked[$1] ? $0 : $0 + 1 }
                    sum += value * Double(left) / Double(seconds.count)
                }
                for at in rows.lazy.flatMap(\.0) { marked[at] = true }
            }
            let bucket = d < found.count ? found[d] : nil
            guard abs((bucket?.sum ?? 0) - sum) <= 1e-9 * max(1, sum) else {
                throw BenchError("\(name): day \(d) differs from \(sum) by plain recomputation")
            }
        }
    }
}
