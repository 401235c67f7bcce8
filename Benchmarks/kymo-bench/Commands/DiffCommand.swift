// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare two runs row by row.",
        discussion: """
            Times are compared by their minima, sizes by bytes per sample, results by their hashes. Times of different
            machines, or of a debug and a release build, are compared only with --across-machines.

            EXAMPLES
              kymo-bench query --data data --json before.json
              kymo-bench query --data data --json after.json
              kymo-bench diff before.json after.json --budget 10%

            EXIT STATUS
              0    all rows are within the budget
              1    a row is over the budget or has other samples or another result, or no row is in both runs;
                   with --require-all also if the later run lacks a row
              2    a file is unreadable or invalid, or the machines differ
              64   the command line is invalid
            """)

    @Argument(help: ArgumentHelp("The earlier run, written by --json.", valueName: "before"))
    var before: String

    @Argument(help: ArgumentHelp("The later run.", valueName: "after"))
    var after: String

    @Option(parsing: .unconditional, help: "Maximum increase of a row's time. Default: 10%.")
    var budget = "10%"

    @Option(
        parsing: .unconditional,
        help: "Maximum increase of the bytes per sample; sizes vary with the random identities. Default: 0.5%.")
    var sizeBudget = "0.5%"

    @Flag(help: "List only rows that changed.")
    var changed = false

    @Flag(help: "Fail if the later run lacks a row of the earlier one.")
    var requireAll = false

    @Flag(help: "Compare times even if processor, cores, build or kernel level differ.")
    var acrossMachines = false

    func validate() throws {
        for (name, text) in [("--budget", budget), ("--size-budget", sizeBudget)]
        where BenchDiff.Budget.parse(text) == nil {
            throw ValidationError("\(name) takes a fraction such as 10% or 0.1, not \(text).")
        }
    }

    func run() throws {
        let diff: BenchDiff
        do {
            let reports = try [before, after].map { path in
                let report = try BenchReport.read(path)
                try BenchDiff.check(report, path)
                return report
            }
            let limits = BenchDiff.Budget(
                time: BenchDiff.Budget.parse(budget) ?? 0, size: BenchDiff.Budget.parse(sizeBudget) ?? 0)
            diff = BenchDiff(reports[0], reports[1], budget: limits)
            if diff.isAcrossMachines, !acrossMachines {
                throw BenchError(
                    "the times of \(before) and \(after) are from different machines or builds "
                        + "(\(diff.machines.apart.joined(separator: "; "))); --across-machines compares them anyway")
            }
        } catch let error as BenchError {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
        try OutputPlace.standardOutput.write(diff.markdown(onlyChanged: changed))
        if diff.rows.isEmpty || !diff.bad.isEmpty || (requireAll && !diff.onlyBefore.isEmpty) { throw ExitCode(1) }
    }
}
