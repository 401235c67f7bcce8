// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// The cost of reading the samples of a series: a scan that sums them, a read into reused arrays, a read into fresh
/// arrays, and small calls through the series. The kinds alternate, so that a disturbance of the machine affects all.
package struct ReadsBenchmark {
    /// The directory for the store.
    package let work: String
    /// The numbers of samples of one query.
    package let sizes: [Int]
    /// The number of samples of one small call.
    package let batch: Int
    package let threads: [Int]
    package let runs: Int

    package init(work: String, sizes: [Int], batch: Int, threads: [Int], runs: Int) {
        self.work = work
        self.sizes = sizes
        self.batch = max(1, batch)
        self.threads = threads
        self.runs = max(1, runs)
    }

    package func rows() throws -> [BenchResult] {
        let path = "\(work)/reads"
        BenchFiles.removeTree(path)
        defer { BenchFiles.removeTree(path) }
        let largest = sizes.max() ?? 0
        try fill(path, largest)
        var rows = [BenchResult]()
        for count in threads {
            try with(path, threads: count) { source in
                for size in sizes { rows += try large(source, size, threads: count) }
            }
        }
        try with(path, threads: 1) { source in rows += try small(source, largest) }
        return rows
    }

    private func fill(_ path: String, _ count: Int) throws {
        let store = try TimeSeriesStore.create(at: path)
        defer { store.close() }
        let id = try store.series("reads", kind: .discrete).id
        var times = [Int64]()
        var values = [Double]()
        try store.bulkLoad { loader in
            for first in stride(from: 0, to: count, by: GrowthData.piece) {
                GrowthData().fill(first..<min(count, first + GrowthData.piece), &times, &values)
                try loader.append(to: id, starts: times.span, values: values.span)
            }
        }
    }

    private func with(_ path: String, threads: Int, _ body: (ReadsSource) throws -> Void) throws {
        var options = StoreOptions()
        options.threads = threads
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly, options: options)
        defer { store.close() }
        guard let series = store.snapshot().series(named: "reads") else {
            throw BenchError("\(path) has no series named reads")
        }
        try body(ReadsSource(snapshot: store.snapshot(), id: series.id))
    }

    /// Measures reads of one size: the first samples of the series.
    private func large(_ source: ReadsSource, _ size: Int, threads: Int) throws -> [BenchResult] {
        let range = ReadsSource.range(0..<size)
        let hash = try source.check(size)
        var scan = ReadsClock()
        var kept = ReadsClock()
        var fresh = ReadsClock()
        for _ in 0..<runs {
            try scan.measure { blackHole(try source.sums(range).count) }
            var columns = ReadsSource.Columns()
            // Freeing the arrays is the caller's work and not part of the call.
            try fresh.measure { try source.read(range, &columns) }
            try kept.measure { try source.read(range, &columns) }
            blackHole(columns.starts.count)
        }
        func row(_ id: String, _ mode: String, _ clock: ReadsClock, _ what: String) -> BenchResult {
            var row = BenchResult(
                id: id, set: NumberWords.count(size), threads: threads, mode: mode, watch: clock.wall, samples: size,
                hash: hash, what: what)
            row.processorSeconds = clock.processor.median
            row.samplesPerSecond = Double(size) / max(row.medianSeconds, 1e-9)
            if id != "scan", scan.wall.median > 0 {
                row.ratio = row.medianSeconds / scan.wall.median
                row.ratioTo = "scan"
            }
            return row
        }
        return [
            row("scan", "sums", scan, "scan that sums the starts and values of each batch"),
            row("read", "kept", kept, "read into arrays that keep their memory"),
            row("read", "fresh", fresh, "read into empty arrays"),
        ]
    }
}

/// The wall time and the processor time of runs.
struct ReadsClock {
    private(set) var wall = Stopwatch()
    private(set) var processor = Stopwatch()

    mutating func measure(_ body: () throws -> Void) rethrows {
        let began = SystemClock.processorNanoseconds()
        try wall.measure(body)
        processor.add(nanoseconds: SystemClock.processorNanoseconds() - began)
    }
}
