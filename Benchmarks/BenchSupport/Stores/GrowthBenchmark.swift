// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// A growing store from a million samples to a limit: ingest, opening, memory and queries at each size.
package struct GrowthBenchmark {
    /// The directory for the store.
    package let work: String
    /// The numbers of samples, ascending.
    package let sizes: [Int]
    package let seriesCount: Int
    package let threads: Int
    /// Measures a store in a separate process.
    let probe: (_ store: String, _ samples: Int) throws -> GrowthProbe.Report

    /// Returns the sizes 1 M, 10 M, 100 M ... up to a limit, and the limit itself.
    package static func sizes(upTo limit: Int) -> [Int] {
        var sizes = [Int]()
        var size = min(1_000_000, max(1, limit / 10))
        while size < limit {
            sizes.append(size)
            size *= 10
        }
        return sizes + [limit]
    }

    package init(
        work: String, sizes: [Int], series: Int, threads: Int,
        probe: @escaping (_ store: String, _ samples: Int) throws -> GrowthProbe.Report
    ) {
        self.work = work
        self.sizes = sizes
        seriesCount = series
        self.threads = threads
        self.probe = probe
    }

    /// Returns the rows; ratios are relative to 10 million samples, or to the smallest size if that size is not
    /// measured.
    package func run() throws -> [BenchResult] {
        let path = "\(work)/growth"
        BenchFiles.removeTree(path)
        var options = StoreOptions()
        options.threads = threads
        let store = try TimeSeriesStore.create(at: path, options: options)
        let ids = try (0..<seriesCount).map { try store.series("growth_\($0)", kind: .discrete).id }
        store.close()
        var rows = [BenchResult]()
        var held = 0
        for size in sizes {
            let each = size / seriesCount
            let seconds = try load(path, options, ids, from: held, to: each)
            let report = try probe(path, size)
            rows += self.rows(size, added: (each - held) * seriesCount, ingest: seconds, report)
            held = each
        }
        BenchFiles.removeTree(path)
        return compared(rows)
    }

    /// Loads samples of every series, a few million at a time. Returns the seconds without the generation of the
    /// samples.
    private func load(
        _ path: String, _ options: StoreOptions, _ ids: [SeriesID], from: Int, to: Int
    ) throws -> Double {
        let store = try TimeSeriesStore.open(at: path, options: options)
        defer { store.close() }
        var times = [Int64]()
        var values = [Double]()
        let began = SystemClock.monotonicNanoseconds()
        var making: Int64 = 0
        try store.bulkLoad { loader in
            for (number, id) in ids.enumerated() {
                var at = from
                while at < to {
                    let end = min(to, at + 4 * GrowthData.piece)
                    let before = SystemClock.monotonicNanoseconds()
                    GrowthData(series: number).fill(at..<end, &times, &values)
                    making += SystemClock.monotonicNanoseconds() - before
                    try loader.append(to: id, starts: times.span, values: values.span)
                    at = end
                }
            }
        }
        return Double(SystemClock.monotonicNanoseconds() - began - making) / 1e9
    }

    private func rows(_ size: Int, added: Int, ingest: Double, _ report: GrowthProbe.Report) -> [BenchResult] {
        func row(
            _ id: String, _ median: Double, _ minimum: Double, _ memory: Int?, _ hash: String, _ what: String
        ) -> BenchResult {
            BenchResult(
                id: id, set: "growth", threads: threads, mode: NumberWords.count(size), medianSeconds: median,
                minSeconds: minimum, samples: size, hash: hash, residentBytes: memory, what: what)
        }
        var load = row("ingest", ingest, ingest, nil, "", "\(NumberWords.count(added)) more samples")
        load.samplesPerSecond = Double(added) / ingest
        load.bytes = report.bytes
        load.bytesPerSample = Double(report.bytes) / Double(size)
        return [
            load,
            row("open", report.open, report.open, report.openMemory, "", "opening; memory before the first query"),
            row(
                "first Q2", report.firstQ2, report.firstQ2, report.firstMemory, "", "30 daily buckets, first query"),
            row("Q2", report.q2[0], report.q2[1], nil, report.q2Hash, "30 daily buckets in the middle"),
            row("Q5", report.q5[0], report.q5[1], nil, report.q5Hash, "sum over a random range, a minute to 30 days"),
            row(
                "hours", report.hours, report.hours, report.allMemory, report.hoursHash,
                "one hour in six: all pages of the index"),
        ]
    }

    private func compared(_ rows: [BenchResult]) -> [BenchResult] {
        let base = sizes.contains(10_000_000) ? 10_000_000 : sizes[0]
        return rows.map { row in
            var row = row
            guard let other = rows.first(where: { $0.id == row.id && $0.samples == base }), row.samples != base else {
                return row
            }
            if let rate = row.samplesPerSecond, let before = other.samplesPerSecond {
                row.ratio = rate / before
            } else if other.minSeconds > 0 {
                row.ratio = row.minSeconds / other.minSeconds
            }
            row.ratioTo = NumberWords.count(base)
            return row
        }
    }
}
