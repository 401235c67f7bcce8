// SPDX-License-Identifier: Apache-2.0

extension BenchDiff {
    /// The differences between the machines and builds of two runs.
    package struct Machines: Sendable {
        /// The differences that make times incomparable: `processor: A, then B`.
        package private(set) var apart: [String] = []
        /// Further remarks for the reader.
        package private(set) var notes: [String] = []

        init(_ a: BenchHost, _ b: BenchHost) {
            func differ(_ name: String, _ a: String, _ b: String) -> [String] {
                a == b ? [] : ["\(name): \(a), then \(b)"]
            }
            apart += differ("processor", a.processor, b.processor)
            apart += differ("cores", "\(a.cores)", "\(b.cores)")
            apart += differ("build", a.build, b.build)
            if let one = a.level, let other = b.level { apart += differ("level of the kernels", one, other) }
            if a.build == "debug" || b.build == "debug" {
                notes.append("a debug build was measured: its times do not apply to a release build")
            }
            notes += differ("kernel", a.kernel, b.kernel) + differ("system", a.system, b.system)
            if let one = a.compiler, let other = b.compiler { notes += differ("compiler", one, other) }
            if let one = a.sqlite, let other = b.sqlite { notes += differ("SQLite", one, other) }
        }
    }

    /// Returns a Markdown table, the rows of only one run, and the summary.
    package func markdown(onlyChanged: Bool = false) -> String {
        var text = ""
        for difference in machines.apart { text += "WARNING, not the same machine or build: \(difference)\n" }
        for note in machines.notes { text += "Note: \(note)\n" }
        if !text.isEmpty { text += "\n" }
        text += "| id | set | mode | threads | before | after | ratio | B/sample | ratio | |\n"
        text += "|---|---|---|---:|---:|---:|---:|---:|---:|---|\n"
        for row in rows where !onlyChanged || row.verdict != .same {
            let key = row.key
            let sizes = [row.before, row.after].map { $0.bytesPerSample.map(NumberWords.number) ?? "" }
            text += "| \(key.id) | \(key.set) | \(key.mode) | \(key.threads) "
            text += "| \(NumberWords.time(row.before.minSeconds)) | \(NumberWords.time(row.after.minSeconds)) "
            text += "| \(row.timeRatio.map(NumberWords.number) ?? "") "
            text += "| \(sizes[0] == sizes[1] ? sizes[1] : "\(sizes[0]) → \(sizes[1])") "
            text += "| \(row.sizeRatio.map(NumberWords.number) ?? "") "
            text += "| \(row.isBad ? "**\(row.verdict.rawValue)**" : row.verdict.rawValue) |\n"
        }
        if !onlyBefore.isEmpty || !onlyAfter.isEmpty { text += "\n" }
        for key in onlyBefore { text += "- only before: \(key)\n" }
        for key in onlyAfter { text += "- only after: \(key)\n" }
        return text + "\n" + sum
    }

    private var sum: String {
        if rows.isEmpty { return "Nothing compared: no row is in both runs.\n" }
        let compared = "\(rows.count) row\(rows.count == 1 ? "" : "s") compared"
        if bad.isEmpty { return "\(compared), none over the budget.\n" }
        return "\(compared), \(bad.count) over the budget or not comparable.\n"
    }
}
