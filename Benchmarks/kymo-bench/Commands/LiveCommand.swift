// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Live: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure live totals after new, late and deleted samples, and the delay of commit notifications.")

    @Flag(help: "Use a few hundred days and few commits: takes seconds.")
    var small = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        Rows(results: try LiveBenchmark(work: work, days: small ? 300 : 3_650, commits: small ? 20 : 500).rows())
    }
}
