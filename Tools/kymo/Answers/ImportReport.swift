// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import FileSystem
import KymographHealth

/// The output of `import` about its files, and its exit status.
struct ImportReport {
    /// The number of issues listed per file without `--all-issues`.
    static let listed = 20

    let path: String
    let listsAll: Bool
    let isJSON: Bool
    var isInterrupted = false
    private var files: [(file: String, outcome: ImportOutcome?, failure: Failure?)] = []

    init(path: String, listsAll: Bool, isJSON: Bool) {
        self.path = path
        self.listsAll = listsAll
        self.isJSON = isJSON
    }

    /// The exit status of the worst outcome.
    var status: ExitStatus {
        if isInterrupted { return .interrupted }
        if files.contains(where: { $0.failure?.status == .corrupt }) { return .corrupt }
        if files.contains(where: { $0.failure != nil }) { return .failed }
        return files.contains { ($0.outcome?.repaired ?? 0) + ($0.outcome?.skipped ?? 0) > 0 } ? .repaired : .done
    }

    /// Writes the outcome of a file: one line, and a list of its issues.
    mutating func add(_ file: String, _ outcome: ImportOutcome, _ output: Output) throws(DiskError) {
        files.append((file, outcome, nil))
        if !isJSON {
            try output.line("\(TerminalText.printable(file)): \(Self.summary(outcome))")
            try output.finish()
        }
        let issues = outcome.issues.filter { $0.kind != .ignored }
        let shown = listsAll ? issues[...] : issues.prefix(Self.listed)
        for issue in shown { Messages.line("  " + TerminalText.printable(issue.description)) }
        let left = outcome.repaired + outcome.skipped - shown.count
        if left > 0 {
            let advice =
                shown.count < issues.count ? "; --all-issues lists \(issues.count) of all" : " of the same kinds"
            Messages.line("  ... and \(NumberText.grouped(left)) more\(advice)")
        }
        if outcome.missing > 0, !outcome.isArchive { Messages.line("  " + TerminalText.printable(Self.note(outcome))) }
    }

    /// The number of missing files that the note names.
    private static let namedFiles = 3

    /// Returns the note about files that the XML names and that are missing. For an archive there is no advice, and so
    /// no note.
    private static func note(_ outcome: ImportOutcome) -> String {
        let names = outcome.missingFiles.prefix(namedFiles).joined(separator: ", ")
        let isOne = outcome.missing == 1
        return "note: \(NumberText.count(outcome.missing, "file")) that the XML names \(isOne ? "is" : "are") missing: "
            + names + (outcome.missing > namedFiles ? ", ..." : "")
            + "; import export.zip, or the whole folder that it was unpacked into"
    }

    mutating func add(_ file: String, _ failure: Failure) {
        if failure.status == .interrupted { isInterrupted = true }
        files.append((file, nil, failure))
        // Prefixes the file name, unless the message contains it.
        let text = TerminalText.printable(failure.message)
        Messages.write(text.contains(file) || isInterrupted ? text : "\(TerminalText.printable(file)): \(text)")
    }

    /// Returns the summary line: `480,000 records, 480,000 added ...`.
    private static func summary(_ outcome: ImportOutcome) -> String {
        var parts = [NumberText.count(outcome.records, "record")]
        if outcome.committed {
            parts.append("\(NumberText.grouped(outcome.added)) added")
            if outcome.unchanged > 0 { parts.append("\(NumberText.grouped(outcome.unchanged)) unchanged") }
        } else {
            parts.append("nothing is new")
        }
        func both(_ added: Int, _ unchanged: Int, _ noun: String) {
            if added > 0 { parts.append("\(NumberText.count(added, noun)) added") }
            if added == 0, unchanged > 0, outcome.committed { parts.append("no new \(noun)s") }
        }
        both(outcome.objectsAdded, outcome.objectsUnchanged, "object")
        both(outcome.documentsAdded, outcome.documentsUnchanged, "document")
        if outcome.electrocardiogramsAdded > 0 {
            parts.append("\(NumberText.count(outcome.electrocardiogramsAdded, "electrocardiogram")) added")
        }
        if outcome.repaired > 0 { parts.append("\(NumberText.grouped(outcome.repaired)) repaired") }
        if outcome.skipped > 0 { parts.append("\(NumberText.grouped(outcome.skipped)) skipped") }
        return parts.joined(separator: ", ") + " in \(NumberText.duration(seconds: outcome.seconds))"
    }

    /// Writes the JSON if `isJSON` is true.
    func finish(_ output: Output) throws(DiskError) {
        guard isJSON else { return }
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("store", path)
        json.key("files")
        json.beginArray()
        for (file, outcome, failure) in files {
            json.beginObject()
            json.field("file", file)
            json.field("error", failure?.message)
            if let outcome { write(outcome, &json) }
            json.endObject()
        }
        json.endArray()
        func total(_ number: (ImportOutcome) -> Int) -> Int {
            files.reduce(0) { $0 + ($1.outcome.map(number) ?? 0) }
        }
        json.field("records", total(\.records))
        json.field("added", total(\.added))
        json.field("unchanged", total(\.unchanged))
        json.field("repaired", total(\.repaired))
        json.field("skipped", total(\.skipped))
        json.field("interrupted", isInterrupted)
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private func write(_ outcome: ImportOutcome, _ json: inout JSONWriter) {
        json.field("records", outcome.records)
        json.field("added", outcome.added)
        json.field("unchanged", outcome.unchanged)
        json.field("objectsAdded", outcome.objectsAdded)
        json.field("objectsUnchanged", outcome.objectsUnchanged)
        json.field("documentsAdded", outcome.documentsAdded)
        json.field("documentsUnchanged", outcome.documentsUnchanged)
        json.field("electrocardiogramsAdded", outcome.electrocardiogramsAdded)
        json.field("electrocardiogramsUnchanged", outcome.electrocardiogramsUnchanged)
        json.field("missing", outcome.missing)
        json.field("missingFiles", outcome.missingFiles)
        json.field("repaired", outcome.repaired)
        json.field("skipped", outcome.skipped)
        json.field("complete", outcome.complete)
        json.field("changed", outcome.committed)
        json.field("seconds", outcome.seconds)
        json.key("types")
        json.beginArray()
        for type in outcome.types {
            json.beginObject()
            json.field("type", type.type)
            json.field("added", type.added)
            json.field("unchanged", type.unchanged)
            json.endObject()
        }
        json.endArray()
        json.key("issues")
        json.beginArray()
        for issue in outcome.issues.prefix(listsAll ? Int.max : Self.listed) {
            json.beginObject()
            json.field("kind", "\(issue.kind)")
            json.field("reason", issue.reason.rawValue)
            if issue.line > 0 { json.field("line", issue.line) }
            json.field("byte", Int(clamping: issue.offset))
            json.field("what", issue.what)
            json.endObject()
        }
        json.endArray()
    }
}
