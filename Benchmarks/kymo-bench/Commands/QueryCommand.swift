// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: """
            Measure the queries Q1 to Q10, a scan, distributions, plots and merged sources, warm, after late data and \
            (as root) cold.
            """)
    @OptionGroup var options: BenchOptions

    @Option(help: ArgumentHelp("Run only these comma-separated queries, without cold runs.", valueName: "ids"))
    var only: String?

    func validate() throws {
        let all = QueryBenchmark.names + MergeBenchmark.names
        for name in try names ?? [] where !all.contains(name) {
            throw ValidationError("No query \(name); available: \(all.joined(separator: ", ")).")
        }
        // The merge queries generate their own data.
        if try names?.contains(where: MergeBenchmark.names.contains) == true { return }
        // Checked before loading, because each query belongs to known sets.
        let sets = try options.setNames ?? BenchSet.names
        if !QueryBenchmark.names.contains(where: { name in
            sets.contains { QueryBenchmark.names(for: $0).contains(name) } && (try? names)?.contains(name) != false
        }) {
            throw ValidationError("nothing to measure: \(try Self.unasked(names, of: sets))")
        }
    }

    /// The names in `--only`; nil for all queries.
    private var names: [String]? {
        get throws { try only.map { try NameOption.list($0, "--only") } }
    }

    /// Returns the reason why no query is left.
    private static func unasked(_ names: [String]?, of sets: [String]) -> String {
        let sets = sets.joined(separator: ", ")
        guard let names else { return "no query uses \(sets); the queries use hr and ecg." }
        return "\(names.joined(separator: ", ")): not run on \(sets) (Q10 uses ecg, the others hr)."
    }

    func run() throws {
        let names = try names
        try options.publish { suites in try suites.query(suites.load(runs: 1), only: names) }
    }
}
