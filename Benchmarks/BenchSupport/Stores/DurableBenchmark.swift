// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization

/// Durable commits of a few samples: by one caller, by several threads at once, and by plain SQLite in the same run.
package struct DurableBenchmark {
    /// The directory for stores.
    package let work: String
    /// The number of commits of a row.
    package let commits: Int

    private let isEncrypted: Bool

    /// - Parameter isEncrypted: whether the stores are encrypted.
    package init(work: String, commits: Int, isEncrypted: Bool = false) {
        self.work = work
        self.commits = commits
        self.isEncrypted = isEncrypted
    }

    /// Returns all rows; ratios are speeds relative to plain SQLite with the same number of samples per transaction.
    package func run(_ set: BenchSet) throws -> [BenchResult] {
        let series = set.series[0]
        let one = try sqlite(series, set.name, batch: 1)
        let hundred = try sqlite(series, set.name, batch: 100)
        var rows = try [one, hundred, durable(series, set.name, batch: 1), durable(series, set.name, batch: 100)]
        for count in [1, 4, 16] { rows.append(try producers(series, set.name, count)) }
        rows.append(try producers(series, set.name, 16, areTasks: true))
        let alone = rows[3]
        rows.append(try durable(series, set.name, batch: 100, readers: 3))
        rows.append(try compacting(series, set.name))
        rows.append(try relaxed(series, set.name))
        for i in rows.indices where !rows[i].mode.hasPrefix("SQLite") {
            let peer = ["durable-1", "relaxed-1"].contains(rows[i].mode) ? one : hundred
            guard let ours = rows[i].samplesPerSecond, let theirs = peer.samplesPerSecond else { continue }
            rows[i].ratio = ours / theirs
            rows[i].ratioTo = peer.mode
            if rows[i].mode == "readers-100", let base = alone.samplesPerSecond {
                (rows[i].ratio, rows[i].ratioTo) = (ours / base, alone.mode)
            }
        }
        return rows
    }

    /// Returns batches from the beginning of a series, at most `commits`.
    private func batches(_ series: BenchSeries, _ size: Int) -> [Range<Int>] {
        (0..<min(commits, series.times.count / size)).map { $0 * size..<($0 + 1) * size }
    }

    private func row(
        _ mode: String, _ set: String, threads: Int = 1, _ watch: Stopwatch, wall: Double, samples: Int, batch: Int,
        _ hash: AnswerHash, _ what: String
    ) -> BenchResult {
        var row = BenchResult(
            id: "ingest", set: set, threads: threads, mode: mode, watch: watch, samples: batch, hash: hash, what: what)
        row.p99Seconds = watch.quantile(0.99)
        row.samplesPerSecond = Double(samples) / wall
        return row
    }

    /// Measures durable commits by one caller, alone or while other processes read.
    private func durable(
        _ series: BenchSeries, _ set: String, batch: Int, readers: Int = 0
    ) throws -> BenchResult {
        let path = "\(work)/durable"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(
            at: path, options: BenchKey.options(isEncrypted: isEncrypted))
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let id = try store.series(series.name, kind: .discrete).id
        let batches = batches(series, batch)
        let append = { @Sendable () throws -> Stopwatch in
            var watch = Stopwatch()
            for rows in batches {
                let times = Array(series.times[rows])
                let values = Array(series.values[rows])
                _ = try watch.measure { try store.append(to: id, starts: times.span, values: values.span) }
            }
            return watch
        }
        let watch =
            try readers > 0
            ? ReaderLoad.beside(readers, store: path, isEncrypted: isEncrypted, work: work, append) : append()
        let end = batches.last?.upperBound ?? 0
        let hash = try verified(store, id, series, end, "durable appends of \(batch)")
        let others = readers > 0 ? " while \(readers) processes read" : ""
        return row(
            readers > 0 ? "readers-\(batch)" : "durable-\(batch)", set, watch, wall: watch.total, samples: end,
            batch: batch, hash, "a durable append of \(batch)\(others)")
    }

    /// Measures durable commits of a hundred samples by one caller while segments are merged.
    private func compacting(_ series: BenchSeries, _ set: String) throws -> BenchResult {
        let path = "\(work)/compacting"
        BenchFiles.removeTree(path)
        var options = StoreOptions()
        options.compacts = false
        let store = try TimeSeriesStore.create(at: path, options: options)
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let id = try store.series(series.name, kind: .discrete).id
        let other = try store.series("merged", kind: .discrete).id
        let parts = 64
        let used = min(series.times.count, 1 << 20)
        let batches = batches(series, 100)
        var watch = Stopwatch()
        var next = 0
        // Repeated until all batches are appended: one merge of everything may finish too soon.
        while next < batches.count {
            for part in 0..<parts {
                let rows = stride(from: part, to: used, by: parts)
                let (times, values) = (rows.map { series.times[$0] }, rows.map { series.values[$0] })
                try store.bulkLoad { try $0.append(to: other, starts: times.span, values: values.span) }
            }
            let isMerging = Atomic(true)
            let rest = batches[next...]
            let watches = try Threads.run(2) { index in
                var watch = Stopwatch()
                if index == 1 {
                    defer { isMerging.store(false, ordering: .relaxed) }
                    try store.compact()
                    return watch
                }
                for rows in rest where isMerging.load(ordering: .relaxed) {
                    let times = Array(series.times[rows])
                    let values = Array(series.values[rows])
                    _ = try watch.measure { try store.append(to: id, starts: times.span, values: values.span) }
                }
                return watch
            }
            next += watches[0].runs.count
            watch = Stopwatch(seconds: watch.runs + watches[0].runs)
        }
        let end = batches.last?.upperBound ?? 0
        let hash = try verified(store, id, series, end, "durable appends during merges")
        return row(
            "compacting-100", set, watch, wall: watch.total, samples: end, batch: 100, hash,
            "a durable append of 100 while segments are merged")
    }

    /// Checks that a store has exactly the first samples of a series. Returns a checksum.
    private func verified(
        _ store: TimeSeriesStore, _ id: SeriesID, _ series: BenchSeries, _ count: Int, _ what: String
    ) throws -> AnswerHash {
        let total = try store.snapshot().aggregate(of: id)
        let part = BenchSeries(
            name: series.name, times: Array(series.times[..<count]), values: Array(series.values[..<count]))
        try NaiveAnswers.check([total], [part], [Int64.min, Int64.max], what)
        var hash = AnswerHash()
        hash.add(total.sum)
        return hash
    }

    /// Measures durable commits of a hundred samples by several threads or tasks, each with its own series.
    private func producers(
        _ series: BenchSeries, _ set: String, _ count: Int, areTasks: Bool = false
    ) throws -> BenchResult {
        let path = "\(work)/producers"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(
            at: path, options: BenchKey.options(isEncrypted: isEncrypted))
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let ids = try (0..<count).map { try store.series("producer \($0)", kind: .discrete).id }
        let size = 100
        // As many commits as the other rows, so that the log has its full length most of the time.
        let batches = batches(series, size)
        let before = SystemClock.monotonicNanoseconds()
        let watches =
            areTasks
            ? try Threads.runTasks(count) { try await append(batches, of: series, to: ids[$0], of: store) }
            : try Threads.run(count) { index in
                var watch = Stopwatch()
                for rows in batches {
                    let times = Array(series.times[rows])
                    let values = Array(series.values[rows])
                    _ = try watch.measure { try store.append(to: ids[index], starts: times.span, values: values.span) }
                }
                return watch
            }
        let wall = Double(SystemClock.monotonicNanoseconds() - before) / 1e9
        let counters = store.counters
        let shared = counters.appends / max(1, counters.appends - counters.appendsGrouped)
        var hash = AnswerHash()
        let snapshot = store.snapshot()
        for id in ids {
            let total = try snapshot.aggregate(of: id)
            guard total.count == batches.count * size else {
                throw BenchError("\(count) producers: \(batches.count * size) samples appended, \(total.count) found")
            }
            hash.add(total.sum)
        }
        let who = areTasks ? "task" : "thread"
        return row(
            areTasks ? "tasks-100" : "producers-100", set, threads: count,
            Stopwatch(seconds: watches.flatMap(\.runs)), wall: wall, samples: count * batches.count * size,
            batch: size, hash,
            "durable appends of \(size) by \(count) \(who)\(count == 1 ? "" : "s") at once, \(shared) per commit")
    }

    /// Appends consecutive batches of a series in a task.
    private func append(
        _ batches: [Range<Int>], of series: BenchSeries, to id: SeriesID, of store: TimeSeriesStore
    ) async throws -> Stopwatch {
        var runs = [Double]()
        for rows in batches {
            let samples = rows.map { Sample(start: series.times[$0], value: series.values[$0]) }
            let before = SystemClock.monotonicNanoseconds()
            try await store.append(to: id, samples)
            runs.append(Double(SystemClock.monotonicNanoseconds() - before) / 1e9)
        }
        return Stopwatch(seconds: runs)
    }

    /// Measures single samples that are committed in the background, until all of them are durable.
    private func relaxed(_ series: BenchSeries, _ set: String) throws -> BenchResult {
        let path = "\(work)/relaxed"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(
            at: path, options: BenchKey.options(isEncrypted: isEncrypted))
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let id = try store.series(series.name, kind: .discrete).id
        let appender = try store.relaxed()
        let pulse = try appender.series(id)
        let count = min(series.times.count, 10_000 * commits)
        var watch = Stopwatch()
        try watch.measure {
            for i in 0..<count { try pulse.append(start: series.times[i], value: series.values[i]) }
            try appender.flush()
        }
        let hash = try verified(store, id, series, count, "relaxed appends")
        return row(
            "relaxed-1", set, watch, wall: watch.total, samples: count, batch: count, hash,
            "single samples, committed in the background every 100 ms")
    }

    /// Measures transactions of plain SQLite by one caller.
    private func sqlite(_ series: BenchSeries, _ set: String, batch: Int) throws -> BenchResult {
        let directory = "\(work)/sqlite"
        BenchFiles.removeTree(directory)
        try BenchFiles.makeDirectory(directory)
        let database = try PlainSQLite(at: directory + "/plain.sqlite")
        defer {
            try? database.close()
            BenchFiles.removeTree(directory)
        }
        var watch = Stopwatch()
        let batches = batches(series, batch)
        for rows in batches {
            try watch.measure {
                try database.append(series: 1, times: series.times[rows], values: series.values[rows])
            }
        }
        let total = try database.total()
        guard total.count == batches.count * batch else {
            throw BenchError("plain SQLite: \(batches.count * batch) samples inserted, \(total.count) found")
        }
        var hash = AnswerHash()
        hash.add(Int64(total.count))
        return row(
            "SQLite-\(batch)", set, watch, wall: watch.total, samples: total.count, batch: batch, hash,
            "plain SQLite, a durable transaction of \(batch)")
    }
}
