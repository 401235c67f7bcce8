// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Whole runs of commands of `kymo` on one store, with the start of the process.
package struct CommandsBenchmark {
    /// One command line.
    private struct Line {
        let text: String
        /// The limit of its median; nil for a command without one.
        var limit: Double? = CommandsBenchmark.limit
        /// Whether the output has times of the run or paths, so that runs have different outputs.
        var varies = false

        var arguments: [String] { text.split(separator: " ").map(String.init) }
        var mode: String { limit == nil ? "exempt" : "limited" }
    }

    /// The limit of a command and of the report, in seconds.
    private static let limit = 0.05
    private static let reportLimit = 2.0

    /// Why some commands have no limit: they read or write the whole store.
    package static let exemptions =
        "exempt from the limit of 50 ms, because they read or write all samples: import, verify, export, backup, "
        + "repair, compact, simulate, and statistics of a whole store by 15m; the report has 2 s"

    /// Commands that only read, then commands that write.
    private static let lines = [
        Line(text: "today", varies: true), Line(text: "types"), Line(text: "sources"),
        Line(text: "stats steps"), Line(text: "stats steps --by day"), Line(text: "stats steps --by month --sources"),
        Line(text: "stats pulse --by hour --from 2022-03-01 --to 2022-03-07"),
        Line(text: "stats pulse --by month --quantiles 0.05,0.5,0.95 --deviation"),
        Line(text: "stats sleep --by month"),
        Line(text: "query pulse --reverse"), Line(text: "query pulse --points 200 --json"), Line(text: "query bp"),
        Line(text: "query ecg"), Line(text: "sleep"), Line(text: "sleep --from 2022-01 --to 2022-12 --json"),
        Line(text: "workouts"), Line(text: "workouts --totals"), Line(text: "workouts last"), Line(text: "show last"),
        Line(text: "plot pulse"), Line(text: "plot steps"), Line(text: "why steps"), Line(text: "why sleep"),
        Line(text: "ecg"), Line(text: "summaries"), Line(text: "watch weight --all --once"),
        Line(text: "info", varies: true), Line(text: "zone"), Line(text: "prefer steps"), Line(text: "privacy"),
        Line(text: "clients"), Line(text: "delete weight --from 2022-01-01 --dry-run"),
        Line(text: "export --format csv --types weight"),
        Line(text: "report -", limit: reportLimit, varies: true),
        Line(text: "stats pulse --by 15m --csv", limit: nil), Line(text: "export --format csv", limit: nil),
        Line(text: "verify", limit: nil, varies: true),
        Line(text: "prefer steps --reset", varies: true), Line(text: "add weight 70 kg", varies: true),
    ]

    private let importing: ImportBenchmark

    /// - Parameter importing: how the store is made, and with which program.
    package init(_ importing: ImportBenchmark) { self.importing = importing }

    /// Imports an export into a new store, and returns a row for each command.
    ///
    /// - Throws: `BenchError` if a command fails, or if the store does not have the samples of the manifest.
    package func run(_ files: ExportFiles) throws -> [BenchResult] {
        BenchFiles.removeTree(importing.store)
        let path = files.zip ?? files.xml
        _ = try importing.measure(
            importing.kymo, ["import", path, "--store", importing.store, "--quiet", "--tz", "UTC"])
        let (records, _) = try importing.check(files.manifest)
        return try Self.lines.map { try row($0, records) }
    }

    private func row(_ line: Line, _ records: Int) throws -> BenchResult {
        let arguments = line.arguments + ["--store", importing.store]
        // The first run fills the caches, and its output is compared between runs of the benchmark.
        let child = try ChildProcess(importing.kymo, arguments, work: importing.work)
        try child.require("kymo \(line.text)")
        var hash = AnswerHash()
        if !line.varies { for byte in child.output.utf8 { hash.add(UInt64(byte)) } }
        let costs = try (0..<max(1, importing.runs)).map { _ in try importing.measure(importing.kymo, arguments) }
        let watch = Stopwatch(seconds: costs.map(\.wallSeconds))
        var row = BenchResult(
            id: "command", set: line.text, mode: line.mode, watch: watch, samples: records, hash: hash,
            what: "kymo \(line.text), with the start of the process")
        row.processorSeconds = Stopwatch(seconds: costs.map(\.processorSeconds)).median
        row.residentBytes = costs.map(\.peakResidentBytes).max()
        if let limit = line.limit, watch.median > 0 {
            row.ratio = watch.median / limit
            row.ratioTo = limit < 1 ? "50 ms" : "2 s"
        }
        return row
    }
}
