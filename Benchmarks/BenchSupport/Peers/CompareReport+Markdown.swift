// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CompareReport {
    /// Returns the report as Markdown tables.
    package func markdown() -> String {
        let drift = driftText.isEmpty ? "" : "\n" + driftText
        var text = machine.text + (run?.text ?? "") + "\n" + verdict + drift + "\n## The peers\n\n" + peerTable
        var footnotes = Footnotes()
        for threads in Set(lines.map(\.threads)).sorted() {
            let here = lines.filter { $0.threads == threads }
            text += "\n## \(Self.threads(threads))\n\n"
            text += "Times are medians and, in brackets, the best of the runs; ingest is M samples/s, size bytes per\n"
            text += "sample. *Times as good*: how many times as fast, or as small, Kymograph is as the best\n"
            text += "lossless peer, by the best of the runs (small appends: the median); below 1 the peer is ahead.\n\n"
            text += table(here, &footnotes)
        }
        text += footnotes.text
        if peers.contains(where: { !$0.lossy.isEmpty }) {
            text += "\n† lossy; not counted as best.\n"
        }
        for note in notes { text += "\n- \(note)\n" }
        return text
    }

    /// The measured peers, each once, in order.
    private var columns: [(name: String, title: String)] {
        var found: [(name: String, title: String)] = []
        for peer in peers where !found.contains(where: { $0.name == peer.peer }) {
            found.append((peer.peer, peer.title))
        }
        return found
    }

    /// The range of ratios that count as equal.
    private static let equal = 0.95...1.05

    /// The number of lines in which Kymograph is ahead, and each line in which it is not.
    private var verdict: String {
        let judged = lines.filter { $0.ratio != nil }
        let even = judged.filter { Self.equal.contains($0.ratio ?? 0) }
        let behind = judged.filter { ($0.ratio ?? 0) < Self.equal.lowerBound }
        var text = missingText
        guard !judged.isEmpty else {
            let reason = compared.isEmpty ? "no peer has a result" : "all results of peers are lossy"
            return text + "Nothing was compared: \(reason).\n"
        }
        text += "Of \(judged.count) lines Kymograph is ahead in \(judged.count - even.count - behind.count), "
        text += "equal (within 5 %) in \(even.count), behind in \(behind.count).\n"
        for line in behind + even {
            text += "\n- \(line.name), \(Self.threads(line.threads)): "
            text += "Kymograph is \(Self.digits(line.ratio ?? 0)) times as good as \(title(line.bestPeer ?? ""))"
        }
        return text + (behind.isEmpty && even.isEmpty ? "" : "\n")
    }

    /// The requested peers without results, each with the reason.
    private var missingText: String {
        let missing = columns.filter { notCompared[$0.name] != nil }
        guard !missing.isEmpty else { return "" }
        var text = "**\(missing.count) of \(columns.count) peers could not be compared:**\n\n"
        for (name, title) in missing { text += "- \(title): \(notCompared[name] ?? "")\n" }
        return text + "\n"
    }

    /// Returns the number of threads: `1 thread`, `2 threads`.
    package static func threads(_ count: Int) -> String { "\(count) thread\(count == 1 ? "" : "s")" }

    private func title(_ peer: String) -> String { columns.first { $0.name == peer }?.title ?? peer }

    /// The variation of Kymograph's times between the passes.
    private var driftText: String {
        var drifts: [(factor: Double, name: String)] = []
        for (threads, passes) in passes {
            var bests: [BenchResult.Key: [Double]] = [:]
            for row in passes.joined() where row.mode == "warm" { bests[row.key, default: []].append(row.minSeconds) }
            for (key, seconds) in bests where seconds.count > 1 {
                guard let least = seconds.min(), let most = seconds.max(), least > 0 else { continue }
                drifts.append((most / least, "\(key.id), \(Self.threads(Int(threads) ?? 1))"))
            }
        }
        drifts.sort { $0.factor < $1.factor }
        guard let worst = drifts.last else { return "" }
        let passes = passes.values.map { $0.filter { $0.contains { $0.mode == "warm" } }.count }.max() ?? 0
        return "Kymograph ran \(passes) times, before, between and after the peers; the slowest and the "
            + "fastest pass differ by\na factor of \(Self.digits(drifts[drifts.count / 2].factor)) in the median "
            + "query, \(Self.digits(worst.factor)) in the worst (\(worst.name)).\n"
    }

    private var peerTable: String {
        var text = "| peer | version | empty call | settings |\n|---|---|---:|---|\n"
        for column in columns {
            guard let outcome = peers.first(where: { $0.peer == column.name }) else { continue }
            let call = outcome.callSeconds.map(Self.time) ?? ""
            let settings = notCompared[column.name] != nil ? "not compared: see above" : outcome.note
            text += "| \(column.title) | \(outcome.version) | \(call) | \(Self.escaped(settings)) |\n"
        }
        return text
    }

    fileprivate static func escaped(_ text: String) -> String { text.replacingOccurrences(of: "|", with: "\\|") }

    private func table(_ lines: [Line], _ footnotes: inout Footnotes) -> String {
        let columns = columns.filter { notCompared[$0.name] == nil }
        let titles =
            ["", "Kymograph"] + columns.map(\.title) + ["best lossless", "times as good", "without the empty call"]
        var text = "| " + titles.joined(separator: " | ") + " |\n"
        text += "|---|" + String(repeating: "---:|", count: columns.count + 1) + "---|---:|---:|\n"
        for line in lines {
            var cells = [line.name, line.text(line.ours)]
            for (name, title) in columns {
                if let cell = line.peers[name] {
                    cells.append(line.text(cell) + (cell.isLossy ? " †" : ""))
                } else {
                    cells.append(footnotes.mark("\(title): \(line.missing[name] ?? "not measured")"))
                }
            }
            cells.append(line.bestPeer.map(title) ?? "none")
            cells.append(line.ratio.map(Self.ratio) ?? "")
            cells.append(line.ratioWithoutCall.map(Self.ratio) ?? "")
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        return text
    }

    private static func ratio(_ ratio: Double) -> String {
        let number = digits(ratio)
        if equal.contains(ratio) { return "\(number), equal" }
        return ratio < 1 ? "**\(number), the peer is ahead**" : number
    }

    /// Returns a number with three significant digits.
    static func digits(_ x: Double) -> String {
        switch abs(x) {
        case ..<10: String(format: "%.2f", x)
        case ..<100: String(format: "%.1f", x)
        default: String(format: "%.0f", x)
        }
    }

    /// Returns seconds in a suitable unit.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-6: "\(digits(seconds * 1e9)) ns"
        case ..<1e-3: "\(digits(seconds * 1e6)) µs"
        case ..<1: "\(digits(seconds * 1e3)) ms"
        default: "\(digits(seconds)) s"
        }
    }

    /// The reasons for missing results, each once.
    private struct Footnotes {
        private var reasons: [String] = []

        mutating func mark(_ reason: String) -> String {
            if !reasons.contains(reason) { reasons.append(reason) }
            return "- [\((reasons.firstIndex(of: reason) ?? 0) + 1)]"
        }

        var text: String {
            var text = reasons.isEmpty ? "" : "\n"
            for (i, reason) in reasons.enumerated() { text += "[\(i + 1)] \(reason)\n\n" }
            return text.hasSuffix("\n\n") ? String(text.dropLast()) : text
        }
    }
}

extension CompareReport.Line {
    /// The description of the line.
    package var name: String {
        switch kind {
        case .size: "size of \(set)"
        case .ingest: "ingest of \(set)"
        case .durable: "durable append of \(mode.split(separator: "-").last.map(String.init) ?? "")"
        case .cold: "\(id) cold, with opening"
        case .query: id == "Q6" ? "Q6, all of \(set) into arrays" : id
        }
    }

    fileprivate func text(_ cell: CompareReport.Cell) -> String {
        switch kind {
        case .size: CompareReport.digits(cell.median)
        case .ingest: "\(rate(cell.median)) (\(rate(cell.best)))"
        case .durable: CompareReport.time(cell.median)
        default: "\(CompareReport.time(cell.median)) (\(CompareReport.time(cell.best)))"
        }
    }

    private func rate(_ seconds: Double) -> String {
        seconds > 0 ? String(format: "%.1f", Double(samples) / seconds / 1e6) : "-"
    }
}
