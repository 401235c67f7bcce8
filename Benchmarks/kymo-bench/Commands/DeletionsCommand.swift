// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Deletions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure opening and a query of a store with many recorded deletions, and after they expire.")

    @Flag(help: "Use 400 deletions: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Number of recorded deletions.",
        transform: { try CountOption.parse($0, "--deletions", 40...1_000_000) })
    var deletions: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        let count = deletions ?? (small ? 400 : 100_000)
        return Rows(results: try DeletionBenchmark(work: work, deletions: count, runs: small ? 1 : 9).rows())
    }
}
