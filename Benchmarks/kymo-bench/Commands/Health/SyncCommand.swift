// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the synchronisation of two stores: first, without changes, live, and over 10 MB/s.")

    @Option(help: ArgumentHelp("The program. Default: kymo beside kymo-bench.", valueName: "path"))
    var kymo: String?

    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish { suites in
            let work = suites.work
            let importing = try ImportBenchmark(
                kymo: kymo, work: work, runs: options.runs, measure: Measure.cost(in: work))
            var rows = Rows()
            for set in try options.load() where set.name == "hr" {
                let benchmark = SyncBenchmark(
                    work: work, set, kymo: importing.kymo, runs: options.runs, measure: Measure.cost(in: work))
                rows.results += try Waiting.result { try await benchmark.run() }
            }
            return rows
        }
    }
}
