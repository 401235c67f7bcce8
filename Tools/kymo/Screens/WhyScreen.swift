// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of a day's total by source: a lane over the hours for each source, the sums, a sentence.
struct WhyScreen {
    let day: CountedDay

    /// The names of the fields, in order.
    static let columns = ["day", "source", "recorded", "counted", "unit", "slices"]

    /// Writes a row for each source.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for share in day.who.shares {
            writer.beginRow()
            writer.text("day", day.date.description)
            writer.text("source", share.source)
            writer.number("recorded", share.recorded)
            writer.number("counted", share.counted)
            writer.text("unit", day.who.unit)
            writer.nested("slices", isThere: true) { json in
                json.beginArray()
                for (start, slice) in zip(day.starts, share.slices) where slice.recorded != 0 {
                    json.beginObject()
                    json.field("start", start, day.zone)
                    json.field("recorded", slice.recorded)
                    json.field("counted", slice.counted)
                    json.endObject()
                }
                json.endArray()
            }
            try writer.endRow()
        }
        try writer.finish()
    }

    /// Writes the lanes, as wide as the terminal allows: half hours, hours, or no lanes.
    func show(_ output: Output) throws(DiskError) {
        let shares = day.who.shares
        let sums = shares.map { amount($0.counted) }
        let names = shares.map { TextWidth.cut(TerminalText.printable($0.source), to: 24) }
        let (nameWidth, sumWidth) = (Self.widest(names) + 2, Self.widest(sums))
        let room = output.columns - nameWidth - sumWidth - 2
        let lanes = [1, 2].map { SourceLanes(day, joining: $0) }.first { $0.width <= room }
        let unit = day.who.unit.flatMap { $0 == "count" ? nil : " " + TerminalText.printable($0) } ?? ""
        let title = "\(day.who.type.shortName), \(DayText.weekday(day.date)): \(amount(day.who.counted))\(unit)"
        try output.line(output.style.bold(title))
        if let lanes {
            try output.line(output.style.dim(String(repeating: " ", count: nameWidth) + lanes.hours))
        }
        for (place, share) in shares.enumerated() {
            var line = names[place].padded(to: nameWidth)
            let lane = lanes?.lane(share)
            if let lane { line += output.style.accent(lane) + "  " }
            line += sums[place].aligned(to: sumWidth)
            let remark = remark(place, lane?.contains(SourceLanes.hidden) ?? false)
            let width = nameWidth + (lanes.map { $0.width + 2 } ?? 0) + sumWidth
            if width + 3 + TextWidth.of(remark) <= output.columns {
                try output.line(line + "   " + output.style.dim(remark))
            } else {
                try output.line(line)
                try output.line("  " + output.style.dim(remark))
            }
        }
        for line in ShellText.lines(sentence, output.columns) { try output.line(line) }
    }

    private static func widest(_ texts: [String]) -> Int { texts.map { TextWidth.of($0) }.max() ?? 0 }

    private func amount(_ value: Double) -> String { AmountText.text(value, day.who.unit) }

    /// Whether a part of a sum is more than an error of rounding.
    private func isPart(_ part: Double, of whole: Double) -> Bool { part > 1e-9 * abs(whole) }

    /// Returns how much of a source counts.
    ///
    /// - Parameter isMarked: whether the lane of the source has marks of hidden parts.
    private func remark(_ place: Int, _ isMarked: Bool) -> String {
        let share = day.who.shares[place]
        let hidden = share.recorded - share.counted
        guard isPart(hidden, of: share.recorded) else { return "counts whole" }
        let before = day.who.shares[..<place]
        let recorded = "of \(amount(share.recorded))"
        if before.isEmpty { return "\(recorded); the rest are copies" }
        let who = before.count == 1 ? TerminalText.printable(before[0].source) : "the sources before it"
        return "\(recorded); \(isMarked ? "░" : "the rest is") hidden by \(who)"
    }

    /// The last sentences.
    private var sentence: [String] {
        let shares = day.who.shares
        guard shares.count > 1 else { return ["no other source has data of this day"] }
        let (recorded, twice) = (day.who.recorded, day.who.recorded - day.who.counted)
        let hidden = isPart(twice, of: recorded) ? "\(amount(twice)) of them twice" : "nothing twice"
        let name = ShellText.quoted(TerminalText.printable(shares[1].source))
        return [
            "together they recorded \(amount(recorded)); \(hidden)",
            "another order: kymo prefer \(day.who.type.shortName) \(name)",
        ]
    }
}
