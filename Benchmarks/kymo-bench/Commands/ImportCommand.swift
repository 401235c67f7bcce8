// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Whole runs of kymo import: processor time, wall time, peak memory, bytes of a record.",
        discussion: """
            EXAMPLES
              kymo-bench import                                  # makes an export of 50,000 records; needs python3
              python3 Benchmarks/data/gen_export_xml.py --records 480000 -o export.xml --manifest export.json
              kymo-bench import --export export.xml --runs 9
            """)

    @Option(help: ArgumentHelp("An export.xml; its manifest is expected beside it, as .json.", valueName: "file"))
    var export: String?

    @Option(help: ArgumentHelp("What gen_export_xml.py --manifest wrote about the export.", valueName: "file"))
    var manifest: String?

    @Option(help: ArgumentHelp("The program; by default the one next to kymo-bench.", valueName: "path"))
    var kymo: String?

    @Option(help: ArgumentHelp("Benchmarks/data/gen_export_xml.py, if it cannot be found.", valueName: "path"))
    var generator: String?

    @Flag(help: "Seconds: an export of 500 records.")
    var small = false

    @Option(
        parsing: .unconditional, help: "How often each import is repeated, at most 10000 times.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws {
        if export == nil {
            if manifest != nil { throw ValidationError("--manifest is about the export of --export.") }
        } else if small || generator != nil {
            throw ValidationError("--export names an export that is there: leave out --small and --generator.")
        }
    }

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows(prepare($0)) } }
    }

    /// What is imported, and by what.
    struct Prepared {
        let benchmark: ImportBenchmark
        let files: ExportFiles
    }

    /// - Throws: `BenchError` where a program or the export is missing.
    func prepare(_ work: String) throws -> Prepared {
        let benchmark = try ImportBenchmark(kymo: kymo, work: work, runs: runs) { program, arguments in
            let report = "\(work)/cost.json"
            let child = try ChildProcess(
                ChildProcess.ownPath, ["measure", "--report", report, program] + arguments, work: work)
            try child.require("measuring \(program)")
            let cost = try ProcessCost.read(report)
            // 2 says that something was repaired, which generated files may ask for.
            guard cost.status == 0 || cost.status == 2 else {
                let command = ([program] + arguments.prefix(2)).joined(separator: " ")
                throw BenchError("\(command) ended with \(cost.status): \(child.errors)")
            }
            return cost
        }
        let files =
            try export.map { try ExportFiles.existing($0, manifest: manifest, work: work) }
            ?? ExportFiles.generated(records: small ? 500 : 50_000, work: work, generator: generator)
        return Prepared(benchmark: benchmark, files: files)
    }

    func rows(_ prepared: Prepared) throws -> Rows {
        var rows = Rows(results: try prepared.benchmark.run(prepared.files))
        if prepared.files.zip == nil { rows.notes.append("import of an archive: there is no python3 to make it") }
        return rows
    }
}

/// Runs a program and writes what it cost; a process of its own, so that nothing else is counted.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures one program.", shouldDisplay: false)

    @Option var report: String
    @Argument(parsing: .captureForPassthrough) var command: [String]

    func run() throws {
        let cost = try ProcessCost.measure(command[0], Array(command.dropFirst()))
        try BenchFiles.write(try cost.json(), to: report)
    }
}
