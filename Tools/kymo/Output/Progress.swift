// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A progress line on the terminal; without a terminal it does nothing.
final class Progress {
    private let title: String
    private let isShown: Bool
    private let started = SystemClock.monotonicNanoseconds()
    private var drawn: Int64 = 0
    private var isDrawn = false
    private static let interval: Int64 = 100_000_000

    init(_ title: String, isShown: Bool) {
        self.title = TerminalText.printable(title)
        self.isShown = isShown && Terminal.isTerminal(.error) && Environment.value("TERM") != "dumb"
    }

    /// Redraws the line, at most ten times a second. A total of 0 is unknown.
    func show(done: UInt64, of total: UInt64, records: Int) {
        guard isShown else { return }
        let now = SystemClock.monotonicNanoseconds()
        guard now - drawn >= Self.interval else { return }
        drawn = now
        let seconds = Double(now - started) / 1e9
        let width = Terminal.columns(.error) - 1
        Messages.put("\r\u{1B}[K" + text(done, total, records, seconds, width))
        isDrawn = true
    }

    /// Clears the line.
    func clear() {
        if isDrawn { Messages.put("\r\u{1B}[K") }
        isDrawn = false
    }

    private func text(_ done: UInt64, _ total: UInt64, _ records: Int, _ seconds: Double, _ width: Int) -> String {
        let share = total > 0 ? min(Double(done) / Double(total), 1) : 0
        var parts =
            total > 0
            ? ["\(Int(share * 100)) %", Self.amount(done, of: total)] : [NumberText.bytes(Int64(clamping: done))]
        if seconds > 0.2 {
            if records > 0 { parts.append("\(NumberText.grouped(Int(Double(records) / seconds))) records/s") }
            // An estimate needs a minimum of progress.
            if share > 0.02 { parts.append("\(NumberText.clock(seconds: seconds / share - seconds)) left") }
        }
        let facts = parts.joined(separator: "  ")
        let name = TextWidth.cut(title, to: max(8, width / 3))
        if total == 0 { return TextWidth.cut("\(name)  \(facts)", to: width) }
        // Reserves space for the longest text, so that the bar does not move.
        let room = min(30, width - TextWidth.of(name) - 55)
        guard room >= 5 else { return TextWidth.cut("\(name)  \(facts)", to: width) }
        let bar = Bar.amount(share, width: room)
        let rest = String(repeating: " ", count: room - TextWidth.of(bar))
        return "\(name)  ▕\(Messages.style.accent(bar))\(rest)▏ \(facts)"
    }

    /// Returns the progress in bytes: `106 of 200 MB`.
    private static func amount(_ done: UInt64, of total: UInt64) -> String {
        let (part, whole) = (NumberText.bytes(Int64(clamping: done)), NumberText.bytes(Int64(clamping: total)))
        let unit = whole.split(separator: " ").last ?? ""
        return "\(part.hasSuffix(" " + unit) ? String(part.dropLast(unit.count + 1)) : part) of \(whole)"
    }
}
