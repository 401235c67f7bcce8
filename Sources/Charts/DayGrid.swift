// SPDX-License-Identifier: Apache-2.0

/// A square for each day: a column is a week from Monday to Sunday, and a stronger square is a greater value.
package struct DayGrid {
    /// One day.
    package struct Day {
        /// The number of the day; 0 is 1970-01-01.
        package var number: Int64
        /// The value; nil for a day without data.
        package var value: Double?
        /// What the square says; nil for nothing.
        package var words: String?

        package init(number: Int64, value: Double?, words: String?) {
            self.number = number
            self.value = value
            self.words = words
        }
    }

    /// The days, ascending.
    let days: [Day]
    /// The least values of the four stronger shades, ascending.
    let steps: [Double]
    /// The name of a month by the number of its first day.
    let months: [(day: Int64, name: String)]

    /// - Parameters:
    ///   - steps: the least values of the four stronger shades, ascending.
    ///   - months: the first day of each month, and its name.
    package init(_ days: [Day], steps: [Double], months: [(day: Int64, name: String)]) {
        self.days = days
        self.steps = steps
        self.months = months
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, top, cell) = (34.0, 20.0, 13.4)
        // Day 3 is Sunday, 4 January 1970; weeks begin on Monday.
        func week(_ day: Int64) -> Int64 { (day + 3 - Self.weekday(day)) / 7 }
        let first = days.first.map { week($0.number) } ?? 0
        let columns = (days.last.map { week($0.number) } ?? 0) - first + 1
        // The name of a month in the last column is wider than the column.
        let bottom = top + 7 * cell + 4
        var canvas = SVGCanvas(
            width: max(760, left + Double(columns) * cell + 18), height: bottom + ColorKey.height)
        for (row, name) in [(0, "Mon"), (2, "Wed"), (4, "Fri"), (6, "Sun")] {
            canvas.text(name, x: 0, y: top + Double(row) * cell + 9)
        }
        var free = -1.0
        for month in months {
            let x = left + Double(week(month.day) - first) * cell
            guard x >= max(left, free), let last = days.last, month.day <= last.number else { continue }
            canvas.text(month.name, x: x, y: 12)
            free = x + Double(month.name.count) * 7
        }
        for day in days {
            let x = left + Double(week(day.number) - first) * cell
            let y = top + Double(Self.weekday(day.number)) * cell
            let shade = day.value.map { value in steps.filter { value >= $0 }.count } ?? -1
            canvas.rectangle(
                .init(x: x, y: y, width: 11.4, height: 11.4), shade < 0 ? "h-" : "h\(min(shade, 4))", radius: 2.5,
                says: day.words)
        }
        key.draw(&canvas, x: left, y: bottom)
        return canvas
    }

    /// The shades: `below 2,500`, `2,500`, `5,000`, `7,500`, `10,000 or more`.
    private var key: ColorKey {
        guard let first = steps.first else { return ColorKey([]) }
        func text(_ value: Double) -> String { SVGCanvas.label(value, decimals: 0) }
        var entries = [(classes: "h0", words: "below \(text(first))")]
        for (place, step) in steps.prefix(4).enumerated() { entries.append(("h\(place + 1)", text(step))) }
        entries[entries.count - 1].words += " or more"
        if days.contains(where: { $0.value == nil }) { entries.append(("h-", "no data")) }
        return ColorKey(entries)
    }

    /// Returns the day of the week, 0 for Monday.
    private static func weekday(_ day: Int64) -> Int64 { (((day + 3) % 7) + 7) % 7 }
}
