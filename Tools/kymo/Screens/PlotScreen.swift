// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of a type's values over time as a picture of braille dots.
struct PlotScreen {
    let curve: TypeCurve
    let zone: CivilZone
    /// The length of the bars of a cumulative type; nil for a discrete type.
    let step: BucketStep?
    /// The width of the picture in characters.
    let columns: Int

    /// The height of the picture in lines.
    private static let rows = 8
    /// The width of the value axis and its labels, at most.
    static let margin = 12

    func show(_ output: Output) throws(DiskError) {
        var name = curve.type.shortName
        let shown = ShownUnit(curve.unit)
        if !shown.name.isEmpty { name += " (\(shown.name))" }
        if let step { name += " by \(step.text)" }
        let range = "\(DayText.dated(first)) to \(DayText.dated(last))"
        let dates = first == last ? DayText.dated(first) : range
        try output.line(
            output.style.bold(TerminalText.printable(name))
                + output.style.dim(", \(dates), times in \(zone.identifier)"))
        let lines = picture().lines
        let labels = [text(top), text(bottom)]
        let width = labels.map(\.count).max() ?? 0
        for (row, line) in lines.enumerated() {
            var label = row == 0 ? labels[0] : row == lines.count - 1 ? labels[1] : ""
            // Equal values are in the middle.
            if top == bottom { label = row == lines.count / 2 ? labels[0] : "" }
            let dots = line.isEmpty ? "" : " " + output.style.accent(line)
            try output.line("\(label.aligned(to: width)) ┤\(dots)")
        }
        let axis = ClockAxis(bounds: curve.bounds, zone: zone, columns: columns).text
        try output.line("\(String(repeating: " ", count: width)) └ \(output.style.dim(axis))")
        let average = "average \(text(curve.average))\(each)"
        try output.line("\(average), least \(words(curve.least)), greatest \(words(curve.greatest))")
    }

    /// The time of one bar in words.
    private var each: String {
        guard let step else { return "" }
        return step.count > 1 ? " a bar" : step.length == .hour ? " an hour" : " a \(step.length)"
    }

    private var first: CalendarDate { CalendarDate(containing: curve.bounds.start, in: zone) }
    private var last: CalendarDate { CalendarDate(containing: curve.bounds.end - 1, in: zone) }

    /// The values at the top and at the bottom of the picture. Sums are drawn from zero.
    private var top: Double { curve.greatest.value }
    private var bottom: Double { step == nil ? curve.least.value : min(0, curve.least.value) }

    private func text(_ value: Double) -> String { AmountText.text(value, curve.unit) }

    private func words(_ point: TypeCurve.Point) -> String { "\(text(point.value)) \(when(point.at))" }

    /// Returns when a sample or a bucket starts, in words.
    private func when(_ instant: Int64) -> String {
        let date = CalendarDate(containing: instant, in: zone)
        let day = first.year == last.year ? DayText.near(date, last) : DayText.dated(date)
        switch step?.length {
        case .year: return "in \(date.year)"
        case .month: return "in \(DayText.month(date))"
        case .week: return "in the week of \(day)"
        case .day: return "on \(day)"
        case .hour, .minute, nil:
            let clock = "at \(DayText.clock(instant, zone))"
            return first == last ? clock : "on \(day) \(clock)"
        }
    }

    private func picture() -> Braille {
        var canvas = Braille(columns: columns, rows: Self.rows)
        let scale = ValueScale(least: bottom, greatest: top, height: canvas.height)
        if step == nil { canvas.draw(curve.slices, scale) } else { draw(curve.sums, scale, &canvas) }
        return canvas
    }

    /// Draws bars from zero, with a gap between bars that are wide enough.
    private func draw(_ sums: [TypeCurve.Sum], _ scale: ValueScale, _ canvas: inout Braille) {
        let zero = scale.row(0)
        for (place, sum) in sums.enumerated() {
            guard let value = sum.value, value != 0 else { continue }
            let start = canvas.width * place / sums.count
            let end = max(canvas.width * (place + 1) / sums.count, start + 1)
            for x in start..<(end - start > 2 ? end - 1 : end) { canvas.column(x, from: scale.row(value), to: zero) }
        }
    }
}
