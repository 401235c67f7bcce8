// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

struct Operations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Small operations, always the same, whose instructions Tools/check-budgets counts.",
        discussion: """
            EXAMPLES
              kymo-bench operations                  # the time of each
              kymo-bench operations --list
              Tools/check-budgets                    # their instructions, against Benchmarks/budgets
            """)

    @Option(help: ArgumentHelp("Only these, with commas between them.", valueName: "names"))
    var only: String?

    @Flag(help: "List the names.")
    var list = false

    @Flag(help: "Print nothing but the level of the processor that the kernels used.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func validate() throws {
        _ = try operations
        if list, only != nil || quiet { throw ValidationError("--list lists all names: leave out --only and --quiet.") }
        if list || quiet, output.json != nil || output.markdown != nil {
            throw ValidationError("--list and --quiet make no rows: leave out --json and --markdown.")
        }
    }

    private var operations: [CountedOperation] {
        get throws {
            guard let only else { return CountedOperation.all }
            return try NameOption.list(only, "--only").map { name in
                guard let operation = CountedOperation.all.first(where: { $0.name == name }) else {
                    throw ValidationError("There is no operation \(name); --list names all.")
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

/// The second half of `Tools/check-budgets`.
struct CheckBudgets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budgets", abstract: "Compares counted instructions, and exact sizes, with budgets.",
        discussion: """
            Tools/check-budgets counts the instructions and calls this.

            EXIT STATUS
              0    nothing is past its budget
              1    something is
              2    a budget or the counts cannot be read
            """)

    @Option(help: ArgumentHelp("The budgets.", valueName: "dir"))
    var directory = "Benchmarks/budgets"

    @Option(help: ArgumentHelp("Lines of counts; without them only sizes are compared.", valueName: "file"))
    var counts: String?

    @Flag(help: "Write what was found as the new budgets; what was not counted keeps its own.")
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
                : "budgets: \(report.failures) failed; Tools/check-budgets --update accepts what was found"
            try OutputPlace.standardOutput.write((report.lines + [verdict, ""]).joined(separator: "\n"))
            if report.failures > 0 { throw ExitCode(1) }
        } catch let error where error is BenchError || error is DiskError {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
    }
}
