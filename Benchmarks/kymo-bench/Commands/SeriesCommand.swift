// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct ManySeries: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "Measure stores of a thousand to a million series: load, opening, lookup, adding a series.")

    @Option(
        parsing: .unconditional, help: "Maximum number of series, such as 100k or 1M. Default: 100k.")
    var upTo: String?

    @Flag(help: "Use two thousand series: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of opening and lookups, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional, help: "Threads of the store. Default: 1.",
        transform: { try CountOption.parse($0, "--threads", CountOption.threads) })
    var threads = 1

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws {
        if small, upTo != nil { throw ValidationError("--small uses two thousand series: omit --up-to.") }
        _ = try limit
    }

    private var limit: Int {
        get throws {
            if small { return 2_000 }
            guard let count = Grow.count(upTo ?? "100k"), count <= 10_000_000 else {
                throw ValidationError("--up-to takes a number of series from 1k to 10M, not \(upTo ?? "").")
            }
            return count
        }
    }

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        let limit = try limit
        let sizes = limit > 1_000 ? [1_000, limit] : [limit]
        let benchmark = SeriesBenchmark(work: work, sizes: sizes, threads: threads) { step, store, series in
            let child = try ChildProcess(
                ChildProcess.ownPath,
                [
                    "series-step", "--step", step.rawValue, "--store", store, "--series", "\(series)", "--threads",
                    "\(threads)", "--runs", "\(runs)",
                ], work: work)
            try child.require("the measurement of a store of \(series) series")
            return try BenchSupport.SeriesStep.Report(json: child.output)
        }
        return Rows(results: try benchmark.run())
    }
}

/// Runs one step in a fresh process, so that its memory contains nothing else.
struct SeriesStep: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series-step", abstract: "Run one step of series.", shouldDisplay: false)

    @Option var step: String
    @Option var store: String
    @Option(parsing: .unconditional, transform: { try CountOption.parse($0, "--series", 1...10_000_000) })
    var series: Int
    @Option(
        parsing: .unconditional, transform: { try CountOption.parse($0, "--threads", CountOption.threads) })
    var threads = 1
    @Option(parsing: .unconditional, transform: CountOption.runs)
    var runs = 5

    func run() throws {
        guard let step = BenchSupport.SeriesStep(rawValue: step) else {
            throw ValidationError("--step takes load or ask, not \(step).")
        }
        let report = try step.run(store: store, series: series, threads: threads, runs: runs)
        try OutputPlace.standardOutput.write(try report.json() + "\n")
    }
}
