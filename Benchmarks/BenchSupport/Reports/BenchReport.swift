// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The machine and all rows of one run.
package struct BenchReport: Codable, Sendable, Equatable {
    package var machine: BenchHost
    /// The time, the command line and the repetitions; nil in reports of earlier versions.
    package var run: Run?
    package var results: [BenchResult]
    /// The measurements that were not possible, with reasons.
    package var notes: [String]?

    /// The origin of a report.
    package struct Run: Codable, Sendable, Equatable {
        /// The start of the run in UTC: `2026-01-31T12:00:00Z`.
        package var date: String
        /// The command line, including paths.
        package var command: [String]
        /// The repetitions of each measurement; nil for commands without this option.
        package var runs: Int?

        package init(date: String, command: [String], runs: Int?) {
            self.date = date
            self.command = command
            self.runs = runs
        }

        /// Returns the origin of a run of this process that starts now.
        package static func now(runs: Int?) -> Run {
            Run(
                date: Date().formatted(.iso8601), command: ["kymo-bench"] + CommandLine.arguments.dropFirst(),
                runs: runs)
        }
    }

    /// Creates a report about this machine.
    package init(_ results: [BenchResult], notes: [String] = [], run: Run? = nil) {
        machine = BenchHost.current()
        self.run = run
        self.results = results
        var seen = Set<String>()
        let different = notes.filter { seen.insert($0).inserted }
        self.notes = different.isEmpty ? nil : different
    }

    /// Returns the report as JSON with sorted keys.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Reads a report written by `--json`, also of an earlier version.
    package static func read(_ path: String) throws -> BenchReport {
        try BenchJSON.read(path, limit: 1 << 28, "report of kymo-bench", hint: "write one with --json")
    }

    /// Returns the report as a Markdown table, without empty columns.
    package func markdown() -> String {
        var text = machine.text + "Median and minimum of the runs"
        if let run { text += "\(run.runs.map { " (--runs \($0))" } ?? ""), begun \(run.date)" }
        text += ".\n\n"
        let columns = Self.columns.filter { column in results.contains { column.text($0) != "" } }
        text += "|" + columns.map { " \($0.title) |" }.joined() + "\n"
        text += "|" + columns.map { $0.isNumber ? "---:|" : "---|" }.joined() + "\n"
        for row in results { text += "|" + columns.map { " \($0.text(row)) |" }.joined() + "\n" }
        if let notes { text += "\n" + notes.map { Self.lines("- Not measured: \($0)") }.joined() }
        return text
    }

    /// Breaks a note into lines of at most 120 columns.
    private static func lines(_ note: String) -> String {
        var (text, column) = ("", 0)
        for word in note.split(separator: " ") {
            if column == 0 {
                text += word
            } else if column + 1 + word.count > 120 {
                text += "\n  " + word
                column = 2
            } else {
                text += " " + word
                column += 1
            }
            column += word.count
        }
        return text + "\n"
    }

    private struct Column: Sendable {
        let title: String
        var isNumber = true
        let text: @Sendable (BenchResult) -> String
    }

    private static let columns: [Column] = [
        Column(title: "id", isNumber: false) { $0.id },
        Column(title: "set", isNumber: false) { $0.set },
        Column(title: "what", isNumber: false) { $0.what },
        Column(title: "mode", isNumber: false) { $0.mode },
        Column(title: "threads") { String($0.threads) },
        Column(title: "median") { NumberWords.time($0.medianSeconds) },
        Column(title: "min") { NumberWords.time($0.minSeconds) },
        Column(title: "p99") { $0.p99Seconds.map(NumberWords.time) ?? "" },
        Column(title: "CPU") { $0.processorSeconds.map(NumberWords.time) ?? "" },
        Column(title: "samples") { String($0.samples) },
        Column(title: "M samples/s") { $0.samplesPerSecond.map { NumberWords.number($0 / 1e6) } ?? "" },
        Column(title: "GB/s") { $0.bytesPerSecond.map { NumberWords.number($0 / 1e9) } ?? "" },
        Column(title: "bytes") { $0.bytes.map(String.init) ?? "" },
        Column(title: "B/sample") { $0.bytesPerSample.map(NumberWords.number) ?? "" },
        Column(title: "memory") { $0.residentBytes.map(NumberWords.bytes) ?? "" },
        Column(title: "ratio") { row in
            row.ratio.map { "\(NumberWords.number($0)) × \(row.ratioTo ?? "")" } ?? ""
        },
    ]
}
