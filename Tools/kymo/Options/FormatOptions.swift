// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Forms that other programs read.
enum RowFormat: String, EnumerableFlag {
    case json, csv, csvSafe, jsonl

    /// Whether rows are lines of cells.
    var isCSV: Bool { self == .csv || self == .csvSafe }

    static func help(for value: RowFormat) -> ArgumentHelp? {
        switch value {
        case .json: "Write a JSON array."
        case .csv: "Write CSV with a header line."
        case .csvSafe: "Write CSV whose texts no spreadsheet runs as formulas."
        case .jsonl: "Write JSON lines: one object a line."
        }
    }
}

/// How rows are written: a table, or something that other programs read.
struct FormatOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var format: RowFormat?
}

/// How a command that takes its time says how far it is, and in the end what it did.
struct ReportOptions: ParsableArguments {
    @Flag(help: "No progress on the terminal.")
    var quiet = false

    @Flag(help: "Write a JSON object that sums up.")
    var json = false
}
