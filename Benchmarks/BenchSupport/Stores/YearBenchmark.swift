// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// A year of live data: several series at 1 Hz of which one sample in twenty comes late, deletions every day, and
/// retention; what compaction writes for it, what is left on the disk, and whether it is what a plain model has.
package struct YearBenchmark {
    package struct Bounds: Sendable {
        /// Seconds between two samples of a series.
        package var step: Int64 = 1
        package var days = 365
        package var series = 4
        /// Days that are kept.
        package var kept = 300
        /// Deletions of a day.
        package var deletions = 2

        package init() {}
    }

    /// A directory for stores.
    let work: String
    let bounds: Bounds
    private let data: YearData

    package init(work: String, _ bounds: Bounds = Bounds()) {
        self.work = work
        self.bounds = bounds
        data = YearData(bounds)
    }

    /// What a life of the store came to.
    private struct Life {
        var appends = Stopwatch()
        var merges = Stopwatch()
        var samples = 0
        var segmentsBefore = 0
        /// Bytes of segments written: by sealing and merges that were due; and with everything merged at the end.
        var written = 0
        var writtenInAll = 0
        /// The same for the catalog and its log.
        var catalog = 0
        /// Bytes of the store before everything was merged.
        var disk = 0
        var hash = AnswerHash()
    }

    package func run() throws -> [BenchResult] {
        let path = "\(work)/year"
        var options = StoreOptions()
        // Merges are made when they are due and not when a thread gets to them: the same bytes on every machine.
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
        guard life.hash.text == again.text else { throw BenchError("compaction changed what the store holds") }
        guard try store.verify().isSound else { throw BenchError("the store of a year is not sound") }
        life.writtenInAll = store.counters.segmentBytesWritten
        let info = try store.info()
        let everything = try loadedBytes(nil, ids.count)
        let left = try loadedBytes(store.snapshot(), ids.count)
        return rows(life, due, whole, report, info, everything: everything, left: left) + [
            row(
                life, "catalog", life.written + life.catalog, Double(life.written + life.catalog) / Double(everything),
                life.appends,
                "bytes of segments, the catalog and its log written, \(NumberWords.bytes(life.catalog)) of these two"),
            row(
                life, "disk-before", life.disk, Double(life.disk) / Double(left), life.appends,
                "bytes of the store before everything is merged, without files that others replaced; deleted samples "
                    + "are in them"),
        ]
    }

    /// A row about bytes beside those of a bulk load.
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
            "bytes of segments written for \(life.samples) samples, \(life.segmentsBefore) segments are left")
        live.p99Seconds = life.appends.quantile(0.99)
        var merges = row(
            life, "merges", Int(due.bytesWritten), Double(due.bytesWritten) / Double(everything), life.merges,
            "bytes of them written by \(due.steps) merges that were due")
        merges.samplesPerSecond = Double(due.samplesWritten) / max(1e-9, life.merges.total)
        var all = row(
            life, "everything", life.writtenInAll, Double(life.writtenInAll) / Double(everything), whole,
            "the same with everything merged at the end, \(info.segments) segments are left")
        all.samplesPerSecond = Double(report.samplesWritten) / max(1e-9, whole.total)
        var disk = row(
            life, "disk", Int(info.bytes), Double(info.bytes) / Double(left), whole,
            "bytes of the store then, beside a bulk load of what it holds")
        disk.samples = info.samples
        disk.bytesPerSample = info.bytesPerSample
        return [live, merges, all, disk]
    }

    /// What happens in a day.
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

    /// Holds what the store has against the model, day by day.
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
                        "day \(day) of series \(number): \(times.count) samples where \(wanted.times.count) should be")
                }
                total += times.count
                life.hash.add(Int64(times.count))
                life.hash.add(values.reduce(0, +))
            }
            guard try snapshot.aggregate(of: id).count == snapshot.count(of: id) else {
                throw BenchError("the statistics of series \(number) are not about all of its samples")
            }
        }
        guard ids.reduce(0, { $0 + snapshot.count(of: $1) }) == total else {
            throw BenchError("there are samples outside of the year")
        }
    }

    /// Bytes that a store takes into which the samples of a snapshot, or all that ever came, are loaded at once.
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
