// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// A year of live data: several series at 1 Hz in which one sample in twenty is late, daily deletions, and retention.
/// Measures what compaction writes and keeps on disk, and compares the store with a plain model.
package struct YearBenchmark {
    package struct Bounds: Sendable {
        /// The seconds between two samples of a series.
        package var step: Int64 = 1
        package var days = 365
        package var series = 4
        /// The retention in days.
        package var kept = 300
        /// The deletions per day.
        package var deletions = 2

        package init() {}
    }

    /// The directory for stores.
    let work: String
    let bounds: Bounds
    private let data: YearData

    package init(work: String, _ bounds: Bounds = Bounds()) {
        self.work = work
        self.bounds = bounds
        data = YearData(bounds)
    }

    /// The totals over the life of the store.
    private struct Life {
        var appends = Stopwatch()
        var merges = Stopwatch()
        var samples = 0
        var segmentsBefore = 0
        /// The bytes of written segments: by sealing and due merges; and including the final merge of everything.
        var written = 0
        var writtenInAll = 0
        /// The bytes of catalog and log, likewise.
        var catalog = 0
        /// The bytes of the store before the final merge.
        var disk = 0
        var hash = AnswerHash()
    }

    package func run() throws -> [BenchResult] {
        let path = "\(work)/year"
        var options = StoreOptions()
        // Merges run when they are due and not on a background thread: the same bytes on every machine.
        options.compacts = false
        let store = try TimeSeriesStore.create(at: path, options: options)
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let ids = try (0..<bounds.series).map { try store.series("year \($0)", kind: .discrete).id }
        var life = Life()
        for day in 0..<bounds.days { try live(day, store, ids, &life) }
        try store.seal()
        try life.merges.measure { _ = try store.compactDue() }
        life.written = store.counters.segmentBytesWritten
        life.catalog = store.counters.catalogBytesWritten
        let before = try store.info()
        life.segmentsBefore = before.segments
        life.disk = Int(before.bytes - before.retiredBytes)
        let due = store.counters.compaction
        try check(store.snapshot(), ids, &life)
        var whole = Stopwatch()
        let report = try whole.measure { try store.compact() }
        var again = AnswerHash()
        swap(&life.hash, &again)
        try check(store.snapshot(), ids, &life)
        guard life.hash.text == again.text else { throw BenchError("compaction changed the store's samples") }
        guard try store.verify().isSound else { throw BenchError("the store of a year is damaged") }
        life.writtenInAll = store.counters.segmentBytesWritten
        let info = try store.info()
        let everything = try loadedBytes(nil, ids.count)
        let left = try loadedBytes(store.snapshot(), ids.count)
        return rows(life, due, whole, report, info, everything: everything, left: left) + [
            row(
                life, "catalog", life.written + life.catalog, Double(life.written + life.catalog) / Double(everything),
                life.appends,
                "bytes written, including \(NumberWords.bytes(life.catalog)) to the catalog and its log"),
            row(
                life, "disk-before", life.disk, Double(life.disk) / Double(left), life.appends,
                "bytes of the store before the final merge, without replaced files; including deleted "
                    + "samples"),
        ]
    }

    /// Returns a row of bytes with its ratio to a bulk load.
    private func row(
        _ life: Life, _ mode: String, _ bytes: Int, _ ratio: Double, _ watch: Stopwatch, _ what: String
    ) -> BenchResult {
        var row = BenchResult(
            id: "year", set: "year", mode: mode, watch: watch, samples: life.samples, hash: life.hash, what: what)
        row.bytes = bytes
        row.ratio = ratio
        row.ratioTo = "bulk"
        return row
    }

    private func rows(
        _ life: Life, _ due: CompactionReport, _ whole: Stopwatch, _ report: CompactionReport, _ info: StoreInfo,
        everything: Int, left: Int
    ) -> [BenchResult] {
        var live = row(
            life, "live", life.written, Double(life.written) / Double(everything), life.appends,
            "bytes of segments written for \(life.samples) samples, \(life.segmentsBefore) segments remain")
        live.p99Seconds = life.appends.quantile(0.99)
        var merges = row(
            life, "merges", Int(due.bytesWritten), Double(due.bytesWritten) / Double(everything), life.merges,
            "bytes of these segments written by \(due.steps) due merges")
        merges.samplesPerSecond = Double(due.samplesWritten) / max(1e-9, life.merges.total)
        var all = row(
            life, "everything", life.writtenInAll, Double(life.writtenInAll) / Double(everything), whole,
            "the same including the final merge, \(info.segments) segments remain")
        all.samplesPerSecond = Double(report.samplesWritten) / max(1e-9, whole.total)
        var disk = row(
            life, "disk", Int(info.bytes), Double(info.bytes) / Double(left), whole,
            "bytes of the store then, relative to a bulk load of its samples")
        disk.samples = info.samples
        disk.bytesPerSample = info.bytesPerSample
        return [live, merges, all, disk]
    }

    /// Simulates one day: appends, deletions, retention and due merges.
    private func live(_ day: Int, _ store: TimeSeriesStore, _ ids: [SeriesID], _ life: inout Life) throws {
        for hour in 0..<24 {
            for (number, id) in ids.enumerated() {
                let part = data.arriving(series: number, hour: day * 24 + hour)
                if part.times.isEmpty { continue }
                try life.appends.measure {
                    _ = try store.append(to: id, starts: part.times.span, values: part.values.span)
                }
                life.samples += part.times.count
            }
        }
        let now = data.start(hour: (day + 1) * 24)
        for (number, id) in ids.enumerated() {
            for range in data.deletions(series: number, day: day) { try store.delete(from: id, startingIn: range) }
            try store.retain(.age(nanoseconds: data.kept, now: now), in: id)
        }
        try life.merges.measure { _ = try store.compactDue() }
    }

    /// Compares the store with the model, day by day.
    private func check(_ snapshot: Snapshot, _ ids: [SeriesID], _ life: inout Life) throws {
        var total = 0
        for (number, id) in ids.enumerated() {
            for day in 0..<bounds.days {
                let range = TimeRange(data.start(hour: day * 24), data.start(hour: day * 24 + 24))
                let wanted = data.left(series: number, day: day)
                var times = [Int64]()
                var values = [Double]()
                try snapshot.read(id, over: range, starts: &times, values: &values)
                guard times == wanted.times, values.map(\.bitPattern) == wanted.values.map(\.bitPattern) else {
                    throw BenchError(
                        "day \(day) of series \(number): \(times.count) samples instead of \(wanted.times.count)")
                }
                total += times.count
                life.hash.add(Int64(times.count))
                life.hash.add(values.reduce(0, +))
            }
            guard try snapshot.aggregate(of: id).count == snapshot.count(of: id) else {
                throw BenchError("the statistics of series \(number) do not include all of its samples")
            }
        }
        guard ids.reduce(0, { $0 + snapshot.count(of: $1) }) == total else {
            throw BenchError("samples outside the year")
        }
    }

    /// Returns the bytes of a store into which the samples of a snapshot, or all generated samples, are loaded at once.
    private func loadedBytes(_ snapshot: Snapshot?, _ count: Int) throws -> Int {
        let path = "\(work)/loaded"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(at: path)
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let ids = try (0..<count).map { try store.series("year \($0)", kind: .discrete).id }
        let sources = snapshot.map { $0.series.map(\.id) }
        try store.bulkLoad { loader in
            for (number, id) in ids.enumerated() {
                for day in stride(from: 0, to: bounds.days, by: 4) {
                    var times = [Int64]()
                    var values = [Double]()
                    let end = min(bounds.days, day + 4)
                    if let snapshot, let sources {
                        let range = TimeRange(data.start(hour: day * 24), data.start(hour: end * 24))
                        try snapshot.read(sources[number], over: range, starts: &times, values: &values)
                    } else {
                        for hour in day * 24..<end * 24 {
                            let part = data.made(series: number, hour: hour)
                            times += part.times
                            values += part.values
                        }
                    }
                    try loader.append(to: id, starts: times.span, values: values.span)
                }
            }
        }
        let info = try store.info()
        return snapshot == nil ? Int(info.segmentBytes) : Int(info.bytes)
    }
}
