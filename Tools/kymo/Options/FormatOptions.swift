// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The output formats for other programs.
enum RowFormat: String, EnumerableFlag {
    case json, csv, csvSafe, jsonl

    /// Whether the format is CSV.
    var isCSV: Bool { self == .csv || self == .csvSafe }

    static func help(for value: RowFormat) -> ArgumentHelp? {
        switch value {
        case .json: "Write a JSON array."
        case .csv: "Write CSV with a header line."
        case .csvSafe: "Write CSV in which no text can run as a spreadsheet formula."
        case .jsonl: "Write JSON lines: one object per line."
        }
    }
}

/// The format of rows: a table, or a format for other programs.
struct FormatOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var format: RowFormat?
}

/// The progress and summary options of a long-running command.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Show no progress on the terminal.")
    var quiet = false

    @Flag(help: "Write a summary as a JSON object.")
    var json = false
}
