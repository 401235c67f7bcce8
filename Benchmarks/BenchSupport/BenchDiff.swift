// SPDX-License-Identifier: Apache-2.0

/// What changed from one run to another, row by row.
package struct BenchDiff {
    /// How much worse a row may be, as parts of one: 0.1 is a tenth.
    package struct Budget: Sendable {
        package var time: Double
        package var size: Double

        package init(time: Double = 0.1, size: Double = 0.005) {
            self.time = time
            self.size = size
        }

        /// `10%` or `0.1`; nil for anything else, and for less than nothing.
        package static func parse(_ text: String) -> Double? {
            let isPercent = text.hasSuffix("%")
            guard let number = Double(isPercent ? text.dropLast() : text[...]), number.isFinite, number >= 0 else {
                return nil
            }
            return isPercent ? number / 100 : number
        }
    }

    /// What became of a row.
    package enum Verdict: String, Sendable {
        case same = ""
        case faster
        case slower
        case smaller
        case larger
        case answerDiffers = "other answer"
    }

    package struct Row: Sendable {
        package let key: BenchResult.Key
        package let before: BenchResult
        package let after: BenchResult
        /// Minimum after by minimum before, where both were timed.
        package let timeRatio: Double?
        /// Bytes of a sample after by before, where both have them.
        package let sizeRatio: Double?
        package let verdict: Verdict
        /// Whether the row is past its budget, or its answer another one.
        package let isBad: Bool
    }

    package private(set) var rows: [Row] = []
    /// Rows that only one of the runs has.
    package private(set) var onlyBefore: [BenchResult.Key] = []
    package private(set) var onlyAfter: [BenchResult.Key] = []

    package init(_ before: BenchReport, _ after: BenchReport, budget: Budget = Budget()) {
        var old: [BenchResult.Key: BenchResult] = [:]
        for row in before.results { old[row.key] = row }
        let new = Set(after.results.map(\.key))
        for row in after.results {
            if let other = old[row.key] {
                rows.append(Self.compare(other, row, budget))
            } else {
                onlyAfter.append(row.key)
            }
        }
        onlyBefore = before.results.map(\.key).filter { !new.contains($0) }
    }

    private static func compare(_ a: BenchResult, _ b: BenchResult, _ budget: Budget) -> Row {
        func ratio(_ old: Double, _ new: Double) -> Double? { old > 0 && new > 0 ? new / old : nil }
        let time = ratio(a.minSeconds, b.minSeconds)
        let size = ratio(a.bytesPerSample ?? 0, b.bytesPerSample ?? 0)
        var verdict = Verdict.same
        var isBad = false
        if let time, time > 1 + budget.time {
            (verdict, isBad) = (.slower, true)
        } else if let size, size > 1 + budget.size {
            (verdict, isBad) = (.larger, true)
        } else if let time, time < 1 - budget.time {
            verdict = .faster
        } else if let size, size < 1 - budget.size {
            verdict = .smaller
        }
        if a.hash != b.hash, !a.hash.isEmpty, !b.hash.isEmpty, a.samples == b.samples {
            (verdict, isBad) = (.answerDiffers, true)
        }
        return Row(key: a.key, before: a, after: b, timeRatio: time, sizeRatio: size, verdict: verdict, isBad: isBad)
    }

    /// Rows past the budget, and answers that differ.
    package var bad: [Row] { rows.filter(\.isBad) }

    /// As a Markdown table, then what only one run has, then the sum.
    package func markdown(onlyChanged: Bool = false) -> String {
        var text = "| id | set | mode | threads | before | after | ratio | B/sample | ratio | |\n"
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
        let bad = bad.count
        text += "\n\(rows.count) rows compared, "
        text += bad == 0 ? "none past the budget.\n" : "\(bad) past the budget or with another answer.\n"
        return text
    }
}
