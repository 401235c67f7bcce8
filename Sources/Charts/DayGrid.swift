// SPDX-License-Identifier: Apache-2.0

/// A square for each day: a column is a week from Monday to Sunday, and a stronger square is a greater value. After 54
/// weeks, the most that a year touches, the columns continue below.
package struct DayGrid {
    /// One day.
    package struct Day {
        /// The number of the day; 0 is 1970-01-01.
        package var number: Int64
        /// The value; nil for a day without data.
        package var value: Double?
        /// The title of the square.
        package var words: String

        package init(number: Int64, value: Double?, words: String) {
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

    private static let columns: Int64 = 54
    private static let (left, top, cell) = (34.0, 20.0, 13.4)
    private static let blockHeight = top + 7 * cell + 4

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let first = days.first.map { Self.week($0.number) } ?? 0
        let blocks = ((days.last.map { Self.week($0.number) } ?? first) - first) / Self.columns + 1
        var canvas = SVGCanvas(width: 760, height: Double(blocks) * Self.blockHeight)
        /// Returns the place of the square of a day.
        func place(_ day: Int64) -> (x: Double, y: Double) {
            let (block, column) = (Self.week(day) - first).quotientAndRemainder(dividingBy: Self.columns)
            let top = Double(block) * Self.blockHeight + Self.top
            return (Self.left + Double(column) * Self.cell, top + Double(Self.weekday(day)) * Self.cell)
        }
        for block in 0..<blocks {
            for (row, name) in [(0, "Mon"), (2, "Wed"), (4, "Fri"), (6, "Sun")] {
                let y = Double(block) * Self.blockHeight + Self.top + Double(row) * Self.cell + 9
                canvas.text(name, x: 0, y: y)
            }
        }
        drawMonths(&canvas, from: first, place)
        for day in days {
            let (x, y) = place(day.number)
            let shade = day.value.map { value in steps.filter { value >= $0 }.count } ?? -1
            canvas.rectangle(
                .init(x: x, y: y, width: 11.4, height: 11.4), shade < 0 ? "h-" : "h\(min(shade, 4))", radius: 2.5,
                says: day.words)
        }
        return canvas
    }

    /// Writes the names of months above their first weeks, or ends them at the edge; overlapping names are left out.
    private func drawMonths(_ canvas: inout SVGCanvas, from first: Int64, _ place: (Int64) -> (x: Double, y: Double)) {
        guard let last = days.last else { return }
        var free = (x: -1.0, y: -1.0)
        for month in months where Self.week(month.day) >= first && month.day <= last.number {
            let (column, y) = place(month.day)
            let top = y - Double(Self.weekday(month.day)) * Self.cell - 8
            let width = Double(month.name.count) * 6
            let x = min(column, canvas.width - width)
            if top == free.y, x < free.x { continue }
            canvas.text(month.name, x: x, y: top)
            free = (x + width + 3, top)
        }
    }

    /// Returns the number of the week. Day 3 is Sunday, 4 January 1970; weeks begin on Monday.
    private static func week(_ day: Int64) -> Int64 { (day + 3 - weekday(day)) / 7 }

    /// Returns the day of the week, 0 for Monday.
    private static func weekday(_ day: Int64) -> Int64 { (((day + 3) % 7) + 7) % 7 }
}
