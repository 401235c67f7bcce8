// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

/// Where rows go.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the rows as JSON to this file.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the rows as a Markdown table to this file.", valueName: "file"))
    var markdown: String?

    @Option(help: ArgumentHelp("Draw plots into this directory, which is made if it is not there.", valueName: "dir"))
    var svg: String?

    @Option(help: ArgumentHelp("A directory for stores and other files; they are removed again.", valueName: "dir"))
    var work: String?

    /// Runs a body with a directory for stores that is removed afterwards.
    func withWork<R>(_ body: (String) throws -> R) throws -> R {
        let parent = work ?? Environment.value("TMPDIR") ?? "/tmp"
        let path = "\(parent)/kymo-bench-\(Environment.processIdentifier)"
        do {
            try BenchFiles.makeDirectory(path)
        } catch {
            throw ValidationError("Stores cannot be made in \(parent) (\(error)); name a directory with --work.")
        }
        defer { BenchFiles.removeTree(path) }
        return try body(path)
    }

    /// Writes the rows wherever they are wanted, and prints them.
    func publish(_ rows: Rows, plots: [Plot] = []) throws {
        let report = BenchReport(rows.results, notes: rows.notes)
        if let json { try BenchFiles.write(try report.json(), to: json) }
        if let markdown { try BenchFiles.write(report.markdown(), to: markdown) }
        if let svg {
            try BenchFiles.makeDirectory(svg)
            for plot in Plot.all(of: report.results) + plots {
                try BenchFiles.write(plot.svg, to: "\(svg)/\(plot.name).svg")
            }
        }
        print(report.markdown(), terminator: "")
    }
}

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

    @Option(help: "How often each measurement is repeated.")
    var runs = 5

    @Option(help: "How many threads the store may use; several numbers, with commas between them, are measured each.")
    var threads = "1"

    @OptionGroup var output: OutputOptions

    func load() throws -> [BenchSet] {
        let wanted = sets.map(Self.list)
        do {
            if small { return try BenchSet.small(wanted) }
            guard let data else { throw BenchError("Say where the data is (--data DIR), or ask for --small.") }
            return try BenchSet.load(data, sets: wanted)
        } catch let error as BenchError {
            throw ValidationError(error.description)
        }
    }

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be at least 1.") }
        _ = try threadCounts
    }

    /// The numbers of `--threads`.
    var threadCounts: [Int] {
        get throws {
            let counts = Self.list(threads).map { Int($0) ?? 0 }
            guard !counts.isEmpty, counts.allSatisfy({ (1...64).contains($0) }) else {
                throw ValidationError("--threads takes numbers from 1 to 64 with commas between them, not \(threads).")
            }
            return counts
        }
    }

    /// The parts between commas.
    static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
}
