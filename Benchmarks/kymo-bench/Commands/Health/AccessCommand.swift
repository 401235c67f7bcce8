// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Access: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the cost of permissions: queries of a program with and without limits, and looks at one.")

    @Flag(help: "Use a few thousand samples: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each measurement, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        var bounds = small ? AccessBenchmark.Bounds.small : AccessBenchmark.Bounds()
        bounds.runs = runs
        let benchmark = AccessBenchmark(work: work, bounds)
        return Rows(results: try Waiting.result { try await benchmark.run() })
    }
}
