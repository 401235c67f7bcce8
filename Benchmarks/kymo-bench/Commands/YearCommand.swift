// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Year: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure compaction over a year of live data with late samples, deletions and retention.")

    @Flag(help: "Use forty days with a sample per minute: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Number of days.",
        transform: { try CountOption.parse($0, "--days", 2...3_650) })
    var days: Int?

    @Option(
        parsing: .unconditional, help: "Number of series.",
        transform: { try CountOption.parse($0, "--series", 1...100) })
    var series: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        var bounds = YearBenchmark.Bounds()
        if small {
            bounds.step = 60
            bounds.days = 40
            bounds.kept = 30
        }
        bounds.days = days ?? bounds.days
        bounds.series = series ?? bounds.series
        return Rows(results: try YearBenchmark(work: work, bounds).run())
    }
}
