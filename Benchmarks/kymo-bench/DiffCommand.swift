// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares two runs row by row.",
        discussion: """
            Times are compared by their minima, sizes by bytes of a sample, answers by their hashes.

            EXAMPLES
              kymo-bench query --data data --json before.json
              kymo-bench query --data data --json after.json
              kymo-bench diff before.json after.json --budget 10%

            EXIT STATUS
              0    no row is past the budget
              1    a row is past the budget, or an answer differs
              2    a file cannot be read
              64   the command line makes no sense
            """)

    @Argument(help: ArgumentHelp("The earlier run, as --json wrote it.", valueName: "before"))
    var before: String

    @Argument(help: ArgumentHelp("The later run.", valueName: "after"))
    var after: String

    @Option(help: "How much slower a row may be.")
    var budget = "10%"

    @Option(help: "How many more bytes a sample may take; stores hold random identities, so their sizes vary a little.")
    var sizeBudget = "0.5%"

    @Flag(help: "List only rows that changed.")
    var changed = false

    func validate() throws {
        for (name, text) in [("--budget", budget), ("--size-budget", sizeBudget)]
        where BenchDiff.Budget.parse(text) == nil {
            throw ValidationError("\(name) takes a part such as 10% or 0.1, not \(text).")
        }
    }

    func run() throws {
        let reports: [BenchReport]
        do {
            reports = try [before, after].map(BenchReport.read)
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
        let limits = BenchDiff.Budget(
            time: BenchDiff.Budget.parse(budget) ?? 0, size: BenchDiff.Budget.parse(sizeBudget) ?? 0)
        let diff = BenchDiff(reports[0], reports[1], budget: limits)
        print(diff.markdown(onlyChanged: changed), terminator: "")
        if !diff.bad.isEmpty { throw ExitCode(1) }
    }
}
