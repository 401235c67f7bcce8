// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Reads: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure reading many samples, into kept and into fresh arrays, beside a scan, and small calls.")

    @Flag(help: "Seconds: 20,000 and 100,000 samples.")
    var small = false

    @Option(
        parsing: .unconditional, help: "How often each measurement is repeated, at most 10000 times.",
        transform: CountOption.runs)
    var runs = 9

    @Option(
        parsing: .unconditional,
        help: "How many threads the store may use; several numbers, with commas between them, are measured each.")
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
