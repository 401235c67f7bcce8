// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Grow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure ingest, opening, memory and queries of stores from a million to a thousand million samples.")

    @Option(
        parsing: .unconditional,
        help: "Maximum number of samples, such as 100M or 1G; about 1.4 bytes each on disk. Default: 10M.")
    var upTo: String?

    @Option(
        parsing: .unconditional, help: "Number of series with the samples. Default: 1.",
        transform: { try CountOption.parse($0, "--series", 1...1_000) })
    var series = 1

    @Flag(help: "Use a hundred thousand samples: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each query, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional, help: "Threads of the store. Default: 1.",
        transform: { try CountOption.parse($0, "--threads", CountOption.threads) })
    var threads = 1

    @OptionGroup var output: OutputOptions
    @OptionGroup var plots: PlotOptions
    @OptionGroup var work: WorkOptions

    /// Parses a count: `250k`, `100M`, `1G`.
    ///
    /// - Returns: nil for an invalid count or one outside 1,000 to 20,000,000,000.
    static func count(_ text: String) -> Int? {
        let factors: [Character: Int] = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]
        guard let last = text.last, let number = Int(factors[last] == nil ? text[...] : text.dropLast()) else {
            return nil
        }
        let (count, overflow) = number.multipliedReportingOverflow(by: factors[last] ?? 1)
        return overflow || count < 1_000 || count > 20_000_000_000 ? nil : count
    }

    func validate() throws {
        if small, upTo != nil { throw ValidationError("--small uses a hundred thousand samples: omit --up-to.") }
        // The smallest size is at most a tenth of the limit, and a series needs some samples for queries.
        let most = try limit / 1_000
        if series > most { throw ValidationError("--series takes at most \(most) for \(try limit) samples.") }
    }

    /// The maximum number of samples.
    private var limit: Int {
        get throws {
            if small { return 100_000 }
            guard let count = Self.count(upTo ?? "10M") else {
                throw ValidationError("--up-to takes a number of samples from 1k to 20G, not \(upTo ?? "").")
            }
            return count
        }
    }

    func run() throws {
        try publishing(output, plots, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        let limit = try limit
        let benchmark = GrowthBenchmark(
            work: work, sizes: GrowthBenchmark.sizes(upTo: limit), series: series, threads: threads
        ) { store, samples in
            let child = try ChildProcess(
                ChildProcess.ownPath,
                [
                    "grow-probe", "--store", store, "--samples", "\(samples)", "--series", "\(series)",
                    "--threads", "\(threads)", "--runs", "\(runs)",
                ], work: work)
            try child.require("the measurement of a store of \(samples) samples")
            return try GrowthProbe.Report(json: child.output)
        }
        return Rows(results: try benchmark.run())
    }
}

/// Measures one store in a fresh process, so that its memory contains nothing else.
struct GrowProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grow-probe", abstract: "Measure one store of grow.", shouldDisplay: false)

    @Option var store: String
    @Option(parsing: .unconditional, transform: { try CountOption.parse($0, "--samples", 1...20_000_000_000) })
    var samples: Int
    @Option(parsing: .unconditional, transform: { try CountOption.parse($0, "--series", 1...1_000) })
    var series = 1
    @Option(
        parsing: .unconditional, transform: { try CountOption.parse($0, "--threads", CountOption.threads) })
    var threads = 1
    @Option(parsing: .unconditional, transform: CountOption.runs)
    var runs = 5

    func run() throws {
        let report = try BenchSupport.GrowthProbe.run(
            store: store, samples: samples, series: series, threads: threads, runs: runs)
        try OutputPlace.standardOutput.write(try report.json() + "\n")
    }
}
