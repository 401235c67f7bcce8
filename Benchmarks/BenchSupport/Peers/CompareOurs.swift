// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Kymograph's side of a comparison: loads once, then runs the queries before, between and after the peers.
package final class CompareOurs {
    private let work: String
    private let sets: [BenchSet]
    private let runs: Int
    private let commits: Int
    private let threads: Int
    private var stores: [String: String] = [:]
    /// The measurements of all passes.
    package private(set) var passes: [[BenchResult]] = []

    /// Whether the stores are encrypted.
    private let isEncrypted: Bool

    package init(
        work: String, sets: [BenchSet], runs: Int, commits: Int, threads: Int, isEncrypted: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.work = work
        self.sets = sets
        self.runs = runs
        self.commits = commits
        self.threads = threads
    }

    /// Measures ingest and size; queries use the stores of the last load.
    package func load() throws {
        let benchmark = IngestBenchmark(work: work, runs: runs, threads: threads, isEncrypted: isEncrypted)
        var rows = [BenchResult]()
        for set in sets {
            let (store, row) = try benchmark.bulk(set)
            stores[set.name] = store
            rows.append(row)
            // SQLite's shared memory is a file only while a store is open, and contains only derived data.
            let files = try BenchFiles.sizes(under: store).filter { !$0.name.hasSuffix("-shm") }
            let bytes = files.reduce(0) { $0 + $1.bytes }
            rows.append(
                BenchResult(
                    id: "size", set: set.name, threads: threads, mode: "all files", samples: set.samples,
                    bytesPerSample: Double(bytes) / Double(set.samples), bytes: bytes, what: "all files"))
        }
        passes.append(rows)
    }

    /// Measures small durable appends. They are repeated after each peer, because the duration of a sync varies from
    /// minute to minute.
    package func append() throws {
        guard commits > 0, let pulse = sets.first(where: { $0.name == "hr" }) else { return }
        let benchmark = DurableBenchmark(work: work, commits: min(commits, 400), isEncrypted: isEncrypted)
        passes.append(try benchmark.run(pulse).filter { $0.mode == "durable-1" || $0.mode == "durable-100" })
    }

    /// Measures all queries, warm.
    package func ask() throws {
        var rows = [BenchResult]()
        for set in sets {
            guard let store = stores[set.name], ["hr", "ecg"].contains(set.name) else { continue }
            let benchmark = try QueryBenchmark(
                store: store, set: set, settings: QueryBenchmark.Settings(runs: runs, threads: threads),
                isEncrypted: isEncrypted)
            defer { benchmark.close() }
            // Q8 of the benchmark counts; peers return arrays, so the comparison reads arrays, too.
            rows += try benchmark.run(only: Set((1...10).map { "Q\($0)" })).filter { $0.id != "Q8" }
            rows.append(try set.name == "hr" ? benchmark.minutesToArrays() : benchmark.q6())
        }
        passes.append(rows)
    }

    /// Measures opening and queries with a cold file cache.
    package func askCold() throws {
        guard let set = sets.first(where: { $0.name == "hr" }), let store = stores["hr"] else { return }
        passes.append(try QueryBenchmark.cold(store: store, set: set, runs: max(3, runs), threads: threads) ?? [])
    }

    /// Returns the ranges of Q5.
    static func ranges(_ set: BenchSet) -> [TimeRange] {
        let span = TimeRange(set.origin, set.origin + Int64(set.days) * QueryBenchmark.day)
        return QueryBenchmark.ranges(span, count: 200, seed: 42)
    }

    /// Returns the minutes of Q8.
    static func minutes(_ set: BenchSet) -> [TimeRange] {
        let times = set.series[0].times
        var random = BenchRandom(seed: 43)
        return (0..<200).map { _ in
            let at = times[random.below(times.count)] + 1_234
            return TimeRange(at, at + QueryBenchmark.minute)
        }
    }
}

extension QueryBenchmark {
    /// Measures Q8 into the caller's arrays.
    fileprivate func minutesToArrays() throws -> BenchResult {
        let series = set.series[0]
        let minutes = CompareOurs.minutes(set)
        var (starts, values) = ([Int64](), [Double]())
        var hash = AnswerHash()
        for range in minutes {
            (starts, values) = ([], [])
            try snapshot.read(ids[0], over: range, starts: &starts, values: &values)
            let first = NaiveAnswers.first(series.times, range.start)
            let rows = first..<NaiveAnswers.first(series.times, range.end)
            guard starts == Array(series.times[rows]),
                values.map(\.bitPattern) == series.values[rows].map(\.bitPattern)
            else { throw BenchError("Q8: wrong samples at \(range.start)") }
            hash.add(Int64(rows.count))
        }
        return try row(
            "Q8", samples: 60, hash, "all samples of a random minute into the caller's arrays", questions: minutes.count
        ) {
            for range in minutes {
                starts.removeAll(keepingCapacity: true)
                values.removeAll(keepingCapacity: true)
                try snapshot.read(ids[0], over: range, starts: &starts, values: &values)
            }
        }
    }
}
