// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// A store of many series, as in a study: one load, opening, finding a series by name, adding a series.
package struct SeriesBenchmark {
    /// The samples of each series: one per day.
    static let samples = 10

    /// The directory for the stores.
    package let work: String
    /// The numbers of series, ascending.
    package let sizes: [Int]
    package let threads: Int
    /// Runs a step in a separate process, so that its memory contains nothing else.
    let step: (_ step: SeriesStep, _ store: String, _ series: Int) throws -> SeriesStep.Report

    package init(
        work: String, sizes: [Int], threads: Int,
        step: @escaping (_ step: SeriesStep, _ store: String, _ series: Int) throws -> SeriesStep.Report
    ) {
        self.work = work
        self.sizes = sizes
        self.threads = threads
        self.step = step
    }

    /// Returns the rows; ratios are relative to the smallest number of series.
    package func run() throws -> [BenchResult] {
        var rows = [BenchResult]()
        for size in sizes {
            let store = "\(work)/series"
            BenchFiles.removeTree(store)
            let load = try step(.load, store, size)
            let ask = try step(.ask, store, size)
            rows += self.rows(size, load, ask)
            BenchFiles.removeTree(store)
        }
        return rows.map { row in
            var row = row
            let base = rows.first { $0.id == row.id && $0.samples == sizes[0] * Self.samples }
            if let base, base.samples != row.samples, base.medianSeconds > 0 {
                row.ratio = row.medianSeconds / base.medianSeconds
                row.ratioTo = "\(NumberWords.count(sizes[0])) series"
            }
            return row
        }
    }

    private func rows(_ size: Int, _ load: SeriesStep.Report, _ ask: SeriesStep.Report) -> [BenchResult] {
        func row(_ id: String, _ seconds: [Double], _ memory: Int?, _ what: String) -> BenchResult {
            BenchResult(
                id: id, set: "series", threads: threads, mode: "\(NumberWords.count(size)) series",
                medianSeconds: seconds[0], minSeconds: seconds[1], samples: size * Self.samples, hash: ask.hash,
                residentBytes: memory, what: what)
        }
        var loaded = row(
            "load", load.load, load.peak,
            "one load of \(Self.samples) samples each; peak memory: \(load.peakGrowth / size) bytes per series")
        loaded.samplesPerSecond = Double(size * Self.samples) / load.load[0]
        loaded.bytes = load.bytes
        loaded.bytesPerSample = Double(load.bytes) / Double(size * Self.samples)
        return [
            loaded,
            row("open", ask.open, ask.openMemory, "opening; memory before the first query"),
            row("first name", ask.firstName, nil, "finding a series by name and labels, first query"),
            row("name", ask.name, nil, "finding a series by name and labels"),
            row("sum", ask.sum, nil, "the sum of a random series"),
            row("make", ask.make, nil, "adding a series, durably"),
            row("make, held", ask.makeHeld, nil, "adding a series while a snapshot holds the previous ones"),
        ]
    }
}
