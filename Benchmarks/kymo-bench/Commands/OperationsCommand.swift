// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

struct Operations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run small fixed operations; Tools/check-budgets counts their instructions.",
        discussion: """
            EXAMPLES
              kymo-bench operations                  # the time of each operation
              kymo-bench operations --list
              Tools/check-budgets                    # their instructions, against Benchmarks/budgets
            """)

    @Option(help: ArgumentHelp("Run only these comma-separated operations.", valueName: "names"))
    var only: String?

    @Flag(help: "List the names of the operations.")
    var list = false

    @Flag(help: "Print only the processor level of the kernels.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws {
        _ = try operations
        if list, only != nil || quiet { throw ValidationError("--list cannot be combined with --only or --quiet.") }
        if list || quiet, output.json != nil || output.markdown != nil {
            throw ValidationError("--list and --quiet produce no rows: omit --json and --markdown.")
        }
    }

    private var operations: [CountedOperation] {
        get throws {
            guard let only else { return CountedOperation.all }
            return try NameOption.list(only, "--only").map { name in
                guard let operation = CountedOperation.all.first(where: { $0.name == name }) else {
                    throw ValidationError("No operation \(name); --list lists all.")
                }
                return operation
            }
        }
    }

    func run() throws {
        if list {
            try OutputPlace.standardOutput.write(CountedOperation.all.map { $0.name + "\n" }.joined())
        } else if quiet {
            _ = try rows()
            try OutputPlace.standardOutput.write("level \(BenchHost.currentLevel)\n")
        } else {
            try publishing(output) { Rows(results: try rows()) }
        }
    }

    private func rows() throws -> [BenchResult] {
        let operations = try operations
        return try work.use { work in
            try operations.map { operation in
                let watch = try operation.run(work: work)
                return BenchResult(
                    id: "operation", set: operation.name, mode: "small", watch: watch,
                    samples: operation.repetitions, hash: nil, what: operation.what)
            }
        }
    }
}

/// The comparison step of `Tools/check-budgets`.
struct CheckBudgets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budgets", abstract: "Compare counted instructions and exact sizes with budgets.",
        discussion: """
            Tools/check-budgets counts the instructions and runs this command.

            EXIT STATUS
              0    all results are within their budgets
              1    a result is over its budget
              2    a budget or the counts are unreadable
            """)

    @Option(help: ArgumentHelp("Directory of the budgets. Default: Benchmarks/budgets.", valueName: "dir"))
    var directory = "Benchmarks/budgets"

    @Option(help: ArgumentHelp("File of counts. Default: compare only sizes.", valueName: "file"))
    var counts: String?

    @Flag(help: "Write the results as new budgets; operations that were not counted keep theirs.")
    var update = false

    @OptionGroup var work: WorkOptions

    func run() throws {
        let sizes = try work.use { try Budgets.Sizes.measure(work: $0) }
        do {
            let counted = try counts.map { path in
                let bytes = try RealDisk().contents(of: path, limit: 1 << 20)
                return try Budgets.Instructions(counts: String(decoding: bytes, as: UTF8.self))
            }
            if update {
                let instructions = try counted ?? Budgets(directory: directory).instructions
                try Budgets(instructions: instructions, sizes: sizes).write(to: directory)
                print("wrote the budgets of \(instructions.instructions.count) operations to \(directory)")
                return
            }
            let report = BudgetReport(try Budgets(directory: directory), counts: counted, sizes: sizes)
            let verdict =
                report.failures == 0
                ? "budgets: all \(sizes.bytes.count) sizes\(counted == nil ? "" : " and all operations") within"
                : "budgets: \(report.failures) failed; Tools/check-budgets --update accepts the results"
            try OutputPlace.standardOutput.write((report.lines + [verdict, ""]).joined(separator: "\n"))
            if report.failures > 0 { throw ExitCode(1) }
        } catch let error where error is BenchError || error is DiskError {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
    }
}
