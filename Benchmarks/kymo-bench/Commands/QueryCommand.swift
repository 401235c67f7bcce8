// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: """
            The queries Q1 to Q10, a scan, distributions, plots and merged sources, warm, after late data and (as \
            root) cold.
            """)
    @OptionGroup var options: BenchOptions

    @Option(help: ArgumentHelp("Only these queries, with commas between them, and none cold.", valueName: "ids"))
    var only: String?

    func validate() throws {
        let all = QueryBenchmark.names + MergeBenchmark.names
        for name in try names ?? [] where !all.contains(name) {
            throw ValidationError("There is no query \(name); there are \(all.joined(separator: ", ")).")
        }
        // These make their own data.
        if try names?.contains(where: MergeBenchmark.names.contains) == true { return }
        // Known already: the sets say which queries they are for.
        let sets = try options.setNames ?? BenchSet.names
        if !QueryBenchmark.names.contains(where: { name in
            sets.contains { QueryBenchmark.names(for: $0).contains(name) } && (try? names)?.contains(name) != false
        }) {
            throw ValidationError("nothing to measure: \(try Self.unasked(names, of: sets))")
        }
    }

    /// The names of `--only`; nil for all.
    private var names: [String]? {
        get throws { try only.map { try NameOption.list($0, "--only") } }
    }

    /// Why no query is left.
    private static func unasked(_ names: [String]?, of sets: [String]) -> String {
        let sets = sets.joined(separator: ", ")
        guard let names else { return "no query is about \(sets); the queries are about hr and ecg." }
        return "\(names.joined(separator: ", ")): not asked of \(sets) (Q10 is about ecg, the others about hr)."
    }

    func run() throws {
        let names = try names
        try options.publish { suites in try suites.query(suites.load(runs: 1), only: names) }
    }
}
