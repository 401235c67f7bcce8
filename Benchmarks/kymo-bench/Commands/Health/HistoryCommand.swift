// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure a store with limited history at 1 Hz, synchronised daily with an archive, over a year.")

    @Option(
        parsing: .unconditional, help: "Number of days. Default: 365.",
        transform: { try CountOption.parse($0, "--days", 2...3_650) })
    var days: Int?

    @Option(
        parsing: .unconditional, help: "Days of history that the store keeps. Default: 7.",
        transform: { try CountOption.parse($0, "--kept", 1...3_650) })
    var kept: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        var bounds = HistoryBenchmark.Bounds()
        bounds.days = days ?? bounds.days
        bounds.kept = kept ?? bounds.kept
        let benchmark = HistoryBenchmark(work: work, bounds)
        return Rows(results: try Waiting.result { try await benchmark.run() })
    }
}
