// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Daily totals over ten years of steps that a phone and a watch counted, merged by priority.
package struct MergeBenchmark {
    /// What is asked, by name: how many samples a source has on a day, and how often both have some.
    package static let names = ["steps", "dense"].flatMap {
        [$0, "\($0)-never", "\($0)-rarely", "\($0)-always"]
    }

    /// Two sources as they lie in a store.
    private struct Data {
        let name: String
        /// By day: starts, ends and values of the watch and of the phone.
        var series: [(starts: [Int64], ends: [Int64], values: [Double])]
    }

    /// By how a name ends.
    private static let days: [Substring: String] = ["always": "all days", "-never": "no day", "rarely": "few days"]
    private static let day: Int64 = 86_400_000_000_000
    private static let second: Int64 = 1_000_000_000

    private let work: String
    private let runs: Int
    private let threads: Int
    private let runSeconds: Double
    /// 3,650, or fewer for counting instructions.
    private let days: Int

    package init(work: String, runs: Int, threads: Int = 1, runSeconds: Double = 0.005, days: Int = 3_650) {
        self.work = work
        self.runs = runs
        self.threads = threads
        self.runSeconds = runSeconds
        self.days = days
    }

    /// Those of the rows that are wanted; all if nothing is said.
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

    /// A question without its checks and its clock, and how to end.
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

    /// As exports have it (95 samples of a source on a day, of a few minutes, half of them in three busy hours) or
    /// eight times as dense; both sources on all days, on one in fifty, or on none.
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

    /// - Parameter more: nanoseconds after the last day, so that the question is another one.
    private func answer(
        _ name: String, _ snapshot: Snapshot, _ ids: [SeriesID], _ more: Int64 = 0
    ) throws -> BucketTable {
        let cut = Buckets.calendar(.days(1), zone: "UTC")
        let span = TimeRange(0, Int64(days) * Self.day + more)
        if !name.contains("-") { return try snapshot.buckets(of: ids, cut, over: span) }
        return try snapshot.buckets(of: MergedSources(ids), cut, over: span)
    }

    /// - Parameter isNew: whether what is asked was not asked before.
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
        return result(name, mode, data, found, watch, how + (isNew ? ", asked for the first time" : ""))
    }

    /// The answer after each of some commits of one sample of the last day.
    private func live(_ name: String, _ data: Data, _ store: TimeSeriesStore) throws -> BenchResult {
        let ids = store.snapshot().series.map(\.id)
        var watch = Stopwatch()
        for i in 0..<Int64(32) {
            let start = Int64(days) * Self.day - (40 - i) * Self.second
            try store.append(to: ids[0], [Sample(start: start, end: start + Self.second, value: 1)])
            let snapshot = store.snapshot()
            _ = try watch.measure { try answer(name, snapshot, ids) }
        }
        // Asked anew by another opening, it is the same.
        let found = try answer(name, store.snapshot(), ids)
        let other = try TimeSeriesStore.open(at: store.path, mode: .readOnly)
        defer { other.close() }
        guard AnswerHash(found) == AnswerHash(try answer(name, other.snapshot(), ids)) else {
            throw BenchError("\(name): what was kept is not what is there")
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

    /// Plain recomputation: seconds of a day are marked, and each sample is shared by those that nothing marked. No
    /// sample passes midnight.
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
                throw BenchError("\(name): day \(d) is not \(sum) as plain recomputation says")
            }
        }
    }
}
