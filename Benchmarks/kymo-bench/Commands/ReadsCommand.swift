// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Reads: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure reading many samples into reused and fresh arrays, a scan, and small calls.")

    @Flag(help: "Use 20,000 and 100,000 samples: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each measurement, at most 10000. Default: 9.",
        transform: CountOption.runs)
    var runs = 9

    @Option(
        parsing: .unconditional,
        help: "Threads of the store; comma-separated numbers are measured one after the other.")
    var threads = "1,2"

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws { _ = try threadCounts }

    private var threadCounts: [Int] {
        get throws { try CountOption.list(threads, "--threads", CountOption.threads) }
    }

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        let sizes = small ? [20_000, 100_000] : [1_000_000, 4_000_000, 10_000_000]
        return Rows(
            results: try ReadsBenchmark(
                work: work, sizes: sizes, batch: 4_096, threads: try threadCounts, runs: runs
            ).rows())
    }
}
