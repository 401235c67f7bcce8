// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

/// Rows, and what could not be measured.
struct Rows {
    var results: [BenchResult] = []
    var notes: [String] = []

    static func += (a: inout Rows, b: Rows) {
        a.results += b.results
        a.notes += b.notes
    }
}

/// What the commands on data sets take.
struct BenchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A directory written by Benchmarks/data/gen.py.", valueName: "dir"))
    var data: String?

    @Flag(help: "Small sets made on the spot: seconds instead of minutes. Nothing is measured cold.")
    var small = false

    @Option(help: "The sets, with commas between them; by default all.")
    var sets: String?

    @Option(
        parsing: .unconditional, help: "How often each measurement is repeated, at most 10000 times.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional,
        help: "How many threads the store may use; several numbers, with commas between them, are measured each.")
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
        if small, data != nil { throw ValidationError("--small makes its own data: leave out --data, or --small.") }
        if !small, data == nil { throw ValidationError("Say where the data is (--data DIR), or ask for --small.") }
        for name in try setNames ?? [] where small && !BenchSet.names.contains(name) {
            let all = BenchSet.names.joined(separator: ", ")
            throw ValidationError("There is no small set \"\(name)\"; there are \(all).")
        }
        _ = try threadCounts
    }

    /// The names of `--sets`; nil for all.
    var setNames: [String]? {
        get throws { try sets.map { try NameOption.list($0, "--sets") } }
    }

    /// The numbers of `--threads`.
    var threadCounts: [Int] {
        get throws { try CountOption.list(threads, "--threads", CountOption.threads) }
    }

    /// Measures with a directory for stores, then prints and writes the rows.
    func publish(_ measure: (_ suites: Suites) throws -> Rows) throws {
        try publishing(output, plots, runs: runs) {
            try work.use { work in try measure(Suites(options: self, work: work)) }
        }
    }

    /// The parts between commas.
    static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
}

/// Looks at the places, measures, then prints and writes the rows.
/// - Parameter runs: how often each measurement was to be repeated.
func publishing(
    _ output: OutputOptions, _ plots: PlotOptions? = nil, runs: Int? = nil, _ measure: () throws -> Rows
) throws {
    let outputs = try output.open(svg: plots?.svg)
    let run = BenchReport.Run.now(runs: runs)
    let rows = try measure()
    if rows.results.isEmpty {
        let reasons = rows.notes.isEmpty ? "no row was made" : rows.notes.joined(separator: "; ")
        throw BenchError("nothing to measure: \(reasons)")
    }
    let report = BenchReport(rows.results, notes: rows.notes, run: run)
    try outputs.publish(table: report.markdown(), json: report.json, plots: Plot.all(of: report.results))
}
