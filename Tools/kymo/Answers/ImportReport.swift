// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import CivilTime
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
        if outcome.missing > 0 { noteMissing(outcome) }
    }

    /// The number of missing files that the note names.
    private static let namedFiles = 3

    /// Writes the note about files that the XML names and that are missing. Only if a folder is missing altogether,
    /// another copy of the export may have the files.
    private func noteMissing(_ outcome: ImportOutcome) {
        let names = outcome.missingFiles.map { TerminalText.printable($0) }
        let count = NumberText.count(outcome.missing, "file")
        let text = "  note: \(count) that the XML names \(outcome.missing == 1 ? "is" : "are") missing"
        let advice =
            outcome.lacksFolder && !outcome.isArchive
            ? "; import export.zip, or the whole folder that it was unpacked into" : ""
        if listsAll {
            Messages.line(text + advice)
            for name in names { Messages.line("    " + name) }
            let left = outcome.missing - names.count
            if left > 0 { Messages.line("    ... and \(NumberText.grouped(left)) more") }
        } else {
            let more = outcome.missing > Self.namedFiles ? ", ... (--all-issues lists more)" : ""
            Messages.line("\(text): \(names.prefix(Self.namedFiles).joined(separator: ", "))\(more)\(advice)")
        }
    }

    mutating func add(_ file: String, _ failure: Failure) {
        if failure.status == .interrupted { isInterrupted = true }
        files.append((file, nil, failure))
        // Prefixes the file name, unless the message contains it.
        let text = TerminalText.printable(failure.message)
        Messages.write(text.contains(file) || isInterrupted ? text : "\(TerminalText.printable(file)): \(text)")
    }

    /// Returns the summary line: `480,000 records, 412,007 new, 67,993 known in 0.5 s`.
    private static func summary(_ outcome: ImportOutcome) -> String {
        var parts = [NumberText.count(outcome.records, "record")]
        if outcome.committed {
            parts.append("\(NumberText.grouped(outcome.added)) new")
            if outcome.unchanged > 0 { parts.append("\(NumberText.grouped(outcome.unchanged)) known") }
        } else {
            parts.append("nothing is new")
        }
        // Without new records, these are the reason for the commit.
        if outcome.added == 0 {
            for (count, noun) in [
                (outcome.objectsAdded, "object"), (outcome.documentsAdded, "document"),
                (outcome.electrocardiogramsAdded, "electrocardiogram"),
            ] where count > 0 { parts.append(NumberText.count(count, "new \(noun)")) }
        }
        if outcome.repaired > 0 { parts.append("\(NumberText.grouped(outcome.repaired)) repaired") }
        if outcome.skipped > 0 { parts.append("\(NumberText.grouped(outcome.skipped)) skipped") }
        return parts.joined(separator: ", ") + " in \(NumberText.duration(seconds: outcome.seconds))"
    }

    /// Writes the content of the store, and on a terminal the next commands; the JSON if `isJSON` is true.
    ///
    /// - Parameter recoveryKey: the recovery key of a new encrypted store, for the JSON.
    func finish(
        _ store: HealthStore, _ zone: CivilZone, _ output: Output, recoveryKey: String? = nil
    ) throws(DiskError) {
        // The files are stored: an error of this read does not change the outcome.
        let contents = files.contains { $0.outcome != nil } ? try? StoreContents(store) : nil
        guard isJSON else {
            if isInterrupted { return }
            if let text = contents?.text(zone) { try output.line(text) }
            if contents != nil, Terminal.isTerminal(.output) { try output.line(output.style.dim(Self.next)) }
            return
        }
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
        json.field("recoveryKey", recoveryKey)
        contents?.write(zone, &json)
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    /// The commands that show imported data.
    private static let next = """
        next: kymo                  show today
              kymo report --open    show a year as a page
              kymo types            list all types in the store
        """

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
