// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure kymo import: processor time, wall time, peak memory, bytes per record.",
        discussion: """
            EXAMPLES
              kymo-bench import                                  # generates an export of 50,000 records; needs python3
              python3 Benchmarks/data/gen_export_xml.py --records 480000 -o export.xml --manifest export.json
              kymo-bench import --export export.xml --runs 9
            """)

    @Option(help: ArgumentHelp("An export.xml, with its manifest as .json beside it.", valueName: "file"))
    var export: String?

    @Option(help: ArgumentHelp("The manifest written by gen_export_xml.py --manifest.", valueName: "file"))
    var manifest: String?

    @Option(help: ArgumentHelp("The program. Default: kymo beside kymo-bench.", valueName: "path"))
    var kymo: String?

    @Option(help: ArgumentHelp("Path of gen_export_xml.py, if it is not found.", valueName: "path"))
    var generator: String?

    @Flag(help: "Use an export of 500 records: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each import, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws {
        if export == nil {
            if manifest != nil { throw ValidationError("--manifest requires --export.") }
        } else if small || generator != nil {
            throw ValidationError("--export uses an existing export: omit --small and --generator.")
        }
    }

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows(prepare($0)) } }
    }

    /// The files to import, and the benchmark.
    struct Prepared {
        let benchmark: ImportBenchmark
        let files: ExportFiles
    }

    /// - Throws: `BenchError` if a program or the export is missing.
    func prepare(_ work: String) throws -> Prepared {
        let benchmark = try ImportBenchmark(kymo: kymo, work: work, runs: runs, measure: Measure.cost(in: work))
        let files =
            try export.map { try ExportFiles.existing($0, manifest: manifest, work: work) }
            ?? ExportFiles.generated(records: small ? 500 : 50_000, work: work, generator: generator)
        return Prepared(benchmark: benchmark, files: files)
    }

    func rows(_ prepared: Prepared) throws -> Rows {
        var rows = Rows(results: try prepared.benchmark.run(prepared.files))
        if prepared.files.zip == nil { rows.notes.append("import of an archive: creating it needs python3") }
        return rows
    }
}

/// Runs a program and writes its cost. A separate process, so that nothing else is counted.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure one program.", shouldDisplay: false)

    /// Returns a function that runs a program in a separate small process and returns its cost.
    ///
    /// - Parameter work: a directory for the report of the process.
    static func cost(in work: String) -> @Sendable (_ program: String, _ arguments: [String]) throws -> ProcessCost {
        { program, arguments in
            let report = "\(work)/cost.json"
            let child = try ChildProcess(
                ChildProcess.ownPath, ["measure", "--report", report, program] + arguments, work: work)
            try child.require("measuring \(program)")
            let cost = try ProcessCost.read(report)
            // Status 2 means repaired elements, which generated files may contain.
            guard cost.status == 0 || cost.status == 2 else {
                let command = ([program] + arguments.prefix(2)).joined(separator: " ")
                throw BenchError("\(command) failed with status \(cost.status): \(child.errors)")
            }
            return cost
        }
    }

    @Option var report: String
    @Argument(parsing: .captureForPassthrough) var command: [String]

    func run() throws {
        let cost = try ProcessCost.measure(command[0], Array(command.dropFirst()))
        try BenchFiles.write(try cost.json(), to: report)
    }
}
