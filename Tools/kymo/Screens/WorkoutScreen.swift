// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of one workout: totals, pulse, splits, laps, zones, activities.
struct WorkoutScreen {
    let details: WorkoutDetails
    let zone: CivilZone
    let text: WorkoutText

    private var one: WorkoutSummary { details.summary }

    /// The height of the plot of the pulse in characters.
    private static let rows = 6
    /// The width of the value axis and its label.
    static let margin = 7
    /// The maximum number of pauses in a line, and of laps in a table.
    private static let mostPauses = 4
    private static let mostLaps = 200

    func show(_ output: Output) throws(DiskError) {
        try output.line(output.style.bold(title))
        for line in Self.folded(facts, output.columns) { try output.line(line) }
        if let curve = details.pulseCurve { try draw(curve, output) }
        try splits(output)
        try laps(output)
        for group in details.zones { try WorkoutZoneTable(group: group).write(output) }
        if let route = details.route { try TrackPicture(route: route).write(text, output) }
        try parts(output)
        if !details.pauses.isEmpty { try output.line(output.style.dim(pauses)) }
    }

    /// `Cycling, Friday 20 November 2026, 15:43 to 16:13, My Watch`.
    private var title: String {
        let (first, last) = (CalendarDate(containing: one.start, in: zone), CalendarDate(containing: one.end, in: zone))
        let end = (first == last ? "" : "\(DayText.near(last, first)) ") + DayText.clock(one.end, zone)
        return [
            TerminalText.printable(ActivityName.words(one.activityName)), DayText.weekday(first),
            "\(DayText.clock(one.start, zone)) to \(end)", TerminalText.printable(one.source),
        ].joined(separator: ", ")
    }

    /// The totals, each with its name.
    private var facts: [String] {
        var facts = ["length \(WorkoutText.length(one.duration))"]
        func add(_ name: String, _ value: String?) { if let value { facts.append("\(name) \(value)") } }
        add("distance", one.distance.map { text.distance($0, one.activity, decimals: 2) })
        add("pace", text.pace(one.speed, one.activity))
        add("energy", one.energy.map(WorkoutText.energy))
        add("pulse", one.pulse.flatMap(WorkoutText.pulse))
        add("climbed", details.climb.map(height))
        add("flights", one.flights.map(AmountText.whole))
        add("strokes", one.strokes.map(AmountText.whole))
        add("SWOLF", details.swolf.map { NumberText.fixed($0, decimals: 0) })
        add("pool", details.lapLength.map { text.distance($0, .swimming) })
        if let isIndoor = one.isIndoor { facts.append(isIndoor ? "indoors" : "outdoors") }
        return facts
    }

    /// Returns a height: `84 m`, `276 ft`.
    private func height(_ metres: Double) -> String {
        text.unit == .km ? "\(AmountText.whole(metres)) m" : "\(AmountText.whole(metres / 0.3048)) ft"
    }

    /// Returns facts in lines that fit the terminal.
    static func folded(_ facts: [String], _ columns: Int) -> [String] {
        var lines: [String] = []
        for fact in facts {
            if let last = lines.last, TextWidth.of(last) + 3 + TextWidth.of(fact) <= columns {
                lines[lines.count - 1] = last + "   " + fact
            } else {
                lines.append(fact)
            }
        }
        return lines
    }

    private func draw(_ curve: TypeCurve, _ output: Output) throws(DiskError) {
        let columns = max(20, output.columns - Self.margin)
        var canvas = Braille(columns: columns, rows: Self.rows)
        let (top, bottom) = (curve.greatest.value, curve.least.value)
        canvas.draw(curve.slices, ValueScale(least: bottom, greatest: top, height: canvas.height))
        let labels = [top, bottom].map { NumberText.fixed($0, decimals: 0) }
        let width = max(Self.margin - 3, labels.map(\.count).max() ?? 0)
        let lines = canvas.lines
        for (row, line) in lines.enumerated() {
            var label = row == 0 ? labels[0] : row == lines.count - 1 ? labels[1] : ""
            // Equal values are in the middle.
            if top == bottom { label = row == lines.count / 2 ? labels[0] : "" }
            let dots = line.isEmpty ? "" : " " + output.style.accent(line)
            try output.line("\(label.aligned(to: width)) ┤\(dots)")
        }
        let axis = ClockAxis(bounds: curve.bounds, zone: zone, columns: columns).text
        try output.line("\(String(repeating: " ", count: width)) └ \(output.style.dim(axis))")
    }

    private func splits(_ output: Output) throws(DiskError) {
        let splits = details.splits
        if splits.count < 2 { return }
        let titles = splits.enumerated().map { place, split in
            let isWhole = split.distance > text.unit.metres - 0.5
            return isWhole ? "\(place + 1)" : NumberText.fixed(split.distance / text.unit.metres, decimals: 2)
        }
        var rows = [
            ColumnStrip.Row(name: text.unit.noun, cells: titles),
            ColumnStrip.Row(name: "time", cells: splits.map { WorkoutText.length($0.duration) }),
        ]
        if splits.contains(where: { $0.pulse != nil }) {
            let cells = splits.map { $0.pulse.map { NumberText.fixed($0, decimals: 0) } ?? "" }
            rows.append(ColumnStrip.Row(name: "pulse", cells: cells))
        }
        try ColumnStrip(rows: rows, width: output.columns).write(output)
    }

    private func laps(_ output: Output) throws(DiskError) {
        let laps = details.laps.prefix(Self.mostLaps)
        if laps.isEmpty { return }
        var rows = [
            ColumnStrip.Row(name: "lap", cells: laps.indices.map { "\($0 + 1)" }),
            ColumnStrip.Row(name: "time", cells: laps.map { WorkoutText.length($0.duration) }),
        ]
        func add(_ name: String, _ cell: (WorkoutLap) -> String?) {
            let cells = laps.map { cell($0) ?? "" }
            if cells.contains(where: { !$0.isEmpty }) { rows.append(ColumnStrip.Row(name: name, cells: cells)) }
        }
        add("stroke") { $0.style.map(Self.words) }
        add("strokes") { $0.strokes.map { NumberText.fixed($0, decimals: 0) } }
        add("SWOLF") { $0.swolf.map { NumberText.fixed($0, decimals: 0) } }
        try ColumnStrip(rows: rows, width: output.columns).write(output)
        let left = details.laps.count - laps.count
        if left > 0 { try output.line(output.style.dim("… and \(left) more laps; --json has all")) }
    }

    /// Returns the name of a stroke style in at most six characters.
    private static func words(_ style: HKSwimmingStrokeStyle) -> String {
        switch style {
        case .unknown: "rest"
        case .mixed: "mixed"
        case .freestyle: "free"
        case .backstroke: "back"
        case .breaststroke: "breast"
        case .butterfly: "fly"
        case .kickboard: "kick"
        }
    }

    private func parts(_ output: Output) throws(DiskError) {
        if details.parts.isEmpty { return }
        var table = Table([
            .init(title: "part", limit: 36, least: 10), .init(title: "start"),
            .init(title: "length", alignment: .right), .init(title: "distance", alignment: .right),
            .init(title: "energy", alignment: .right, omission: 3),
            .init(title: "pulse", alignment: .right, omission: 1), .init(title: "pace", alignment: .right, omission: 2),
        ])
        for part in details.parts {
            let speed = part.distance.flatMap { part.duration > 0 ? $0 / part.duration : nil }
            table.append([
                ActivityName.words(part.activityName), DayText.clock(part.range.start, zone),
                WorkoutText.length(part.duration),
                part.distance.map { text.distance($0, part.activity, decimals: 2) } ?? "–",
                part.energy.map(WorkoutText.energy) ?? "–", part.pulse.flatMap(WorkoutText.pulse) ?? "–",
                text.pace(speed, part.activity) ?? "–",
            ])
        }
        table.fit(output.columns)
        try table.write(to: output)
    }

    /// `2 pauses, 1:40: 15:50 to 15:51, 15:58 to 15:59`.
    private var pauses: String {
        let pauses = details.pauses
        let whole = pauses.reduce(0) { $0 + Double(UInt64(bitPattern: $1.end &- $1.start)) / 1e9 }
        var times = pauses.prefix(Self.mostPauses).map {
            "\(DayText.clock($0.start, zone)) to \(DayText.clock($0.end, zone))"
        }
        if pauses.count > times.count { times.append("…") }
        return "\(NumberText.count(pauses.count, "pause")), \(WorkoutText.length(whole)): "
            + times.joined(separator: ", ")
    }
}
