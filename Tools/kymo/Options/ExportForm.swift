// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The format of an export.
enum ExportForm: String, CaseIterable, ExpressibleByArgument {
    case xml, csv, jsonl
    case csvSafe = "csv-safe"

    /// The formats that a file with a known suffix may have. Without `--format` the file has the first one.
    private static let bySuffix: [String: [ExportForm]] = ["xml": [.xml], "csv": [.csv, .csvSafe], "jsonl": [.jsonl]]

    /// Returns the format of a file by its suffix and `--format`.
    ///
    /// - Throws: a usage `Failure` if the suffix does not select a format and none is given, or if both disagree.
    static func of(file: String, _ given: ExportForm?) throws -> ExportForm {
        let suffix = suffix(of: file)
        switch suffix {
        case "zip":
            throw Failure.usage("\(file): exports are not archives; use .xml, .csv or .jsonl")
        case "json":
            guard let given else {
                throw Failure.usage("only JSON lines are supported: name the file .jsonl or use --format jsonl")
            }
            if given == .jsonl { return given }
        default:
            guard let known = bySuffix[suffix] else {
                if let given { return given }
                let what = suffix.isEmpty ? "the file has no suffix" : "no format has the suffix .\(suffix)"
                throw Failure.usage("\(file): \(what); use .xml, .csv or .jsonl, or add --format")
            }
            guard let given else { return known[0] }
            if known.contains(given) { return given }
        }
        let text = given?.rawValue ?? ""
        throw Failure.usage(
            "\(file) has the suffix .\(suffix), but the format is \(text); rename the file, or change --format")
    }

    /// Returns the part of a file's name after its last dot, in lower case; empty without a dot or before a name such
    /// as `.xml`.
    private static func suffix(of file: String) -> String {
        let name = file.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}
