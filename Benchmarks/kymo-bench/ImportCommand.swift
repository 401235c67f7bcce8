// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

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

    @Option(help: "How often each import is repeated.")
    var runs = 5

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.publish(try output.withWork { work in try rows(work) })
    }

    func rows(_ work: String) throws -> Rows {
        let files: ExportFiles
        let benchmark: ImportBenchmark
        do {
            benchmark = try ImportBenchmark(kymo: kymo, work: work, runs: runs) { program, arguments in
                let report = "\(work)/cost.json"
                let child = try ChildProcess(
                    ChildProcess.ownPath, ["measure", "--report", report, program] + arguments, work: work)
                try child.require("measuring \(program)")
                return try ProcessCost.read(report)
            }
            if let export {
                files = try ExportFiles.existing(export, manifest: manifest, work: work)
            } else if let made = try ExportFiles.generated(
                records: small ? 500 : 50_000, work: work, generator: generator)
            {
                files = made
            } else {
                return Rows(notes: ["import: there is no python3 to make an export; name one with --export"])
            }
        } catch let error as BenchError {
            throw ValidationError(error.description)
        }
        var rows = Rows(results: try benchmark.run(files))
        if files.zip == nil { rows.notes.append("import of an archive: there is no python3 to make it") }
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
