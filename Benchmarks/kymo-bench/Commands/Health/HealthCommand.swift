// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure HealthKit operations through the public API, compared with plain SQLite.")

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
        var bounds = small ? HealthBenchmark.Bounds.small : HealthBenchmark.Bounds()
        bounds.runs = runs
        let benchmark = HealthBenchmark(work: work, bounds)
        return Rows(results: try Waiting.result { try await benchmark.run() })
    }
}
