// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Commands: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure commands of kymo on one store, with the start of the process.",
        discussion: """
            Imports a generated export into a new store and runs each command several times. The limit of a median is \
            50 ms, of the report 2 s; a ratio above 1 is beyond it. Commands that read the whole store are exempt.

            EXAMPLES
              kymo-bench commands --runs 9             # generates an export of 480,000 records; needs python3
              kymo-bench commands --small              # takes seconds
            """)

    @Option(help: ArgumentHelp("The program. Default: kymo beside kymo-bench.", valueName: "path"))
    var kymo: String?

    @Option(help: ArgumentHelp("Path of gen_export_xml.py, if it is not found.", valueName: "path"))
    var generator: String?

    @Flag(help: "Use an export of 5,000 records: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each command, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output, runs: runs) {
            try work.use { work in
                let importing = try ImportBenchmark(
                    kymo: kymo, work: work, runs: runs, measure: Measure.cost(in: work))
                let files = try ExportFiles.generated(
                    records: small ? 5_000 : 480_000, work: work, generator: generator)
                return Rows(
                    results: try CommandsBenchmark(importing).run(files), notes: [CommandsBenchmark.exemptions])
            }
        }
    }
}
