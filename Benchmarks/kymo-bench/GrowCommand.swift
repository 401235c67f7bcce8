// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Grow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A store from a million samples to a thousand million: ingest, opening, memory, queries.")

    @Option(help: "The greatest number of samples, such as 100M or 1G: about 1.4 bytes each on disk.")
    var upTo = "10M"

    @Option(help: "How many series they are divided among.")
    var series = 1

    @Flag(help: "Seconds: a hundred thousand samples at most.")
    var small = false

    @Option(help: "How often each query is repeated.")
    var runs = 5

    @Option(help: "How many threads the store may use.")
    var threads = 1

    @OptionGroup var output: OutputOptions

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
        if Self.count(upTo) == nil {
            throw ValidationError("--up-to takes a number of samples from 1k to 20G, not \(upTo).")
        }
        if !(1...1_000).contains(series) { throw ValidationError("--series takes a number from 1 to 1000.") }
        if !(1...64).contains(threads) { throw ValidationError("--threads takes a number from 1 to 64.") }
    }

    func run() throws {
        try output.publish(try output.withWork { work in try rows(work) })
    }

    func rows(_ work: String) throws -> Rows {
        let limit = small ? 100_000 : Self.count(upTo) ?? 1
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
    @Option var samples: Int
    @Option var series = 1
    @Option var threads = 1
    @Option var runs = 5

    func run() throws {
        let report = try BenchSupport.GrowthProbe.run(
            store: store, samples: samples, series: series, threads: threads, runs: runs)
        print(try report.json())
    }
}
