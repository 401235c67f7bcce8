// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Live: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Totals that follow a store: after new, late and deleted samples, and how soon a commit is told.")

    @Flag(help: "Seconds: some hundred days, some commits.")
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
