// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

/// Rows, and notes about measurements that were not possible.
struct Rows {
    var results: [BenchResult] = []
    var notes: [String] = []

    static func += (a: inout Rows, b: Rows) {
        a.results += b.results
        a.notes += b.notes
    }
}

/// The options of the commands on data sets.
struct BenchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Directory written by Benchmarks/data/gen.py.", valueName: "dir"))
    var data: String?

    @Flag(help: "Use small generated sets: seconds instead of minutes, and no cold measurements.")
    var small = false

    @Option(help: "Comma-separated sets. Default: all.")
    var sets: String?

    @Option(
        parsing: .unconditional, help: "Repetitions of each measurement, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional,
        help: "Threads of the store; comma-separated numbers are measured one after the other.")
    var threads = "1"

    @OptionGroup var output: OutputOptions
    @OptionGroup var plots: PlotOptions
    @OptionGroup var work: WorkOptions

    func load() throws -> [BenchSet] {
        let wanted = try setNames
        if small { return try BenchSet.small(wanted) }
        do {
            return try BenchSet.load(data ?? "", sets: wanted)
        } catch let error as BenchError where error.isUsage {
            throw ValidationError(error.description)
        }
    }

    func validate() throws {
        if small, data != nil { throw ValidationError("--small generates its own data: omit --data or --small.") }
        if !small, data == nil { throw ValidationError("Give the data directory (--data DIR), or use --small.") }
        for name in try setNames ?? [] where small && !BenchSet.names.contains(name) {
            let all = BenchSet.names.joined(separator: ", ")
            throw ValidationError("No small set \"\(name)\"; available: \(all).")
        }
        _ = try threadCounts
    }

    /// The names in `--sets`; nil for all sets.
    var setNames: [String]? {
        get throws { try sets.map { try NameOption.list($0, "--sets") } }
    }

    /// The numbers in `--threads`.
    var threadCounts: [Int] {
        get throws { try CountOption.list(threads, "--threads", CountOption.threads) }
    }

    /// Measures with a directory for stores, then prints and writes the rows.
    func publish(_ measure: (_ suites: Suites) throws -> Rows) throws {
        try publishing(output, plots, runs: runs) {
            try work.use { work in try measure(Suites(options: self, work: work)) }
        }
    }

    /// Returns the parts between commas.
    static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
}

/// Opens the outputs, measures, then prints and writes the rows.
///
/// - Parameter runs: the repetitions of each measurement.
func publishing(
    _ output: OutputOptions, _ plots: PlotOptions? = nil, runs: Int? = nil, _ measure: () throws -> Rows
) throws {
    let outputs = try output.open(svg: plots?.svg)
    let run = BenchReport.Run.now(runs: runs)
    let rows = try measure()
    if rows.results.isEmpty {
        let reasons = rows.notes.isEmpty ? "no row was produced" : rows.notes.joined(separator: "; ")
        throw BenchError("nothing to measure: \(reasons)")
    }
    let report = BenchReport(rows.results, notes: rows.notes, run: run)
    try outputs.publish(table: report.markdown(), json: report.json, plots: Plot.all(of: report.results))
}
