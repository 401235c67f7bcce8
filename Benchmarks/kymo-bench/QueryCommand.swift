// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The queries Q1 to Q10 and a scan, warm, after late data and (as root) cold.")
    @OptionGroup var options: BenchOptions

    @Option(help: ArgumentHelp("Only these queries, with commas between them, and none cold.", valueName: "ids"))
    var only: String?

    func run() throws {
        try options.output.publish(
            try options.output.withWork { work in
                let suites = Suites(options: options, work: work)
                return try suites.query(suites.load(runs: 1), only: only)
            })
    }
}
