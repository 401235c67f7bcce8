// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Encryption: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure what encryption costs: loads, queries, openings and appends, plain and encrypted in turn.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish { suites in
            let benchmark = EncryptionBenchmark(
                work: suites.work, runs: options.runs * 3, seconds: options.small ? 0.0002 : 0.005)
            var rows = Rows()
            for set in try options.load() { rows.results += try benchmark.run(set) }
            return rows
        }
    }
}
