// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "HealthKit's operations through the public API, and plain SQLite beside them.")

    @Flag(help: "Seconds: a few thousand samples.")
    var small = false

    @Option(
        parsing: .unconditional, help: "How often each measurement is repeated, at most 10000 times.",
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
