// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Grow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A store from a million samples to a thousand million: ingest, opening, memory, queries.")

    @Option(
        parsing: .unconditional,
        help: "The greatest number of samples, such as 100M or 1G, by default 10M: about 1.4 bytes each on disk.")
    var upTo: String?

    @Option(
        parsing: .unconditional, help: "How many series they are divided among.",
        transform: { try CountOption.parse($0, "--series", 1...1_000) })
    var series = 1

    @Flag(help: "Seconds: a hundred thousand samples.")
    var small = false

    @Option(
        parsing: .unconditional, help: "How often each query is repeated, at most 10000 times.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional, help: "How many threads the store may use.",
        transform: { try CountOption.parse($0, "--threads", CountOption.threads) })
    var threads = 1

    @OptionGroup var output: OutputOptions
    @OptionGroup var plots: PlotOptions
    @OptionGroup var work: WorkOptions

    /// `250k`, `100M`, `1G`.
    static func count(_ text: String) -> Int? {
        let factors: [Character: Int] = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]
        guard let last = text.last, let number = Int(factors[last] == nil ? text[...] : text.dropLast()) else {
            return nil
        }
        let (count, overflow) = number.multipliedReportingOverflow(by: factors[last] ?? 1)
        return overflow || count < 1_000 || count > 20_000_000_000 ? nil : count
    }

    func validate() throws {
        if small, upTo != nil { throw ValidationError("--small is a hundred thousand samples: leave out --up-to.") }
        // The smallest size is a tenth of the greatest at most, and a series needs some samples to be asked about.
        let most = try limit / 1_000
        if series > most { throw ValidationError("--series takes at most \(most) for \(try limit) samples.") }
    }

    /// The greatest number of samples.
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

/// Measures one store in a fresh process, whose memory holds nothing else.
struct GrowProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grow-probe", abstract: "Measures one store of grow.", shouldDisplay: false)

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
