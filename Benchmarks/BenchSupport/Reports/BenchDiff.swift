// SPDX-License-Identifier: Apache-2.0

/// The differences between two runs, row by row.
package struct BenchDiff {
    /// The allowed increase of a row as a fraction: 0.1 is a tenth.
    package struct Budget: Sendable {
        package var time: Double
        package var size: Double

        package init(time: Double = 0.1, size: Double = 0.005) {
            self.time = time
            self.size = size
        }

        /// Parses `10%` or `0.1`; nil for an invalid or negative value.
        package static func parse(_ text: String) -> Double? {
            let isPercent = text.hasSuffix("%")
            guard let number = Double(isPercent ? text.dropLast() : text[...]), number.isFinite, number >= 0 else {
                return nil
            }
            return isPercent ? number / 100 : number
        }
    }

    /// The result of comparing a row.
    package enum Verdict: String, Sendable {
        case same = ""
        case faster
        case slower
        case smaller
        case larger
        case answerDiffers = "other answer"
        case samplesDiffer = "other samples"
        case notTimed = "no time"
    }

    package struct Row: Sendable {
        package let key: BenchResult.Key
        package let before: BenchResult
        package let after: BenchResult
        /// The ratio of the minima, after to before; nil if one was not measured.
        package let timeRatio: Double?
        /// The ratio of the bytes per sample, after to before; nil if one was not measured.
        package let sizeRatio: Double?
        package let verdict: Verdict
        /// Whether the row is over its budget, or has another result.
        package let isBad: Bool
    }

    package private(set) var rows: [Row] = []
    /// The rows of only one run.
    package private(set) var onlyBefore: [BenchResult.Key] = []
    package private(set) var onlyAfter: [BenchResult.Key] = []
    /// The differences of the machines; those in `apart` make times incomparable.
    package let machines: Machines

    /// Compares two runs.
    ///
    /// - Requires: both reports passed `check`.
    package init(_ before: BenchReport, _ after: BenchReport, budget: Budget = Budget()) {
        machines = Machines(before.machine, after.machine)
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

    /// Whether times of different machines or builds were compared.
    package var isAcrossMachines: Bool { !machines.apart.isEmpty && rows.contains { $0.timeRatio != nil } }

    /// Throws if a report has rows that cannot be compared: duplicate rows or invalid numbers.
    ///
    /// - Parameter path: the path for errors.
    package static func check(_ report: BenchReport, _ path: String) throws {
        var seen = Set<BenchResult.Key>()
        for row in report.results {
            if !seen.insert(row.key).inserted { throw BenchError("\(path) has the row \(row.key) twice") }
            let times = [("min_s", row.minSeconds), ("median_s", row.medianSeconds)]
            for (name, value) in times where !value.isFinite || value < 0 {
                throw BenchError("\(path): \(name) of \(row.key) is \(value)")
            }
            if let size = row.bytesPerSample, !size.isFinite || size < 0 {
                throw BenchError("\(path): bytes_per_sample of \(row.key) is \(size)")
            }
            if row.samples < 0 { throw BenchError("\(path): samples of \(row.key) is \(row.samples)") }
        }
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
        if (a.minSeconds > 0) != (b.minSeconds > 0) { (verdict, isBad) = (.notTimed, true) }
        if a.samples != b.samples {
            (verdict, isBad) = (.samplesDiffer, true)
        } else if a.hash != b.hash, !a.hash.isEmpty, !b.hash.isEmpty {
            (verdict, isBad) = (.answerDiffers, true)
        }
        return Row(key: a.key, before: a, after: b, timeRatio: time, sizeRatio: size, verdict: verdict, isBad: isBad)
    }

    /// The rows over the budget, or with other samples or another result.
    package var bad: [Row] { rows.filter(\.isBad) }
}
