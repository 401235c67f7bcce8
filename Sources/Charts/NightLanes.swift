// SPDX-License-Identifier: Apache-2.0

/// A part of a night: a lane and a range of time.
package struct LanePart {
    package var start: Int64
    package var end: Int64
    /// The number of the lane, from the top.
    package var lane: Int

    package init(start: Int64, end: Int64, lane: Int) {
        self.start = start
        self.end = end
        self.lane = lane
    }
}

/// The stages of one night, each in a lane of its own: awake, REM, core, deep, without a stage.
package struct NightLanes {
    let parts: [LanePart]
    let axis: TimeAxis
    let names: [String]

    /// - Parameter names: the names of the lanes, from the top.
    package init(_ parts: [LanePart], over axis: TimeAxis, names: [String]) {
        self.parts = parts
        self.axis = axis
        self.names = names
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, lane) = (64.0, 756.0, 6.0, 26.0)
        let bottom = top + Double(names.count) * lane
        var canvas = SVGCanvas(width: 760, height: bottom + 22)
        for (row, name) in names.enumerated() {
            let y = top + (Double(row) + 0.5) * lane
            canvas.text(name, x: 0, y: y + 4)
            canvas.line(from: (left, y), to: (right, y))
        }
        axis.draw(&canvas, from: left, to: right, top: top, bottom: bottom)
        var last: LanePart?
        for part in parts where names.indices.contains(part.lane) {
            let x = axis.place(part.start, from: left, to: right)
            let y = top + Double(part.lane) * lane + 5
            if let last, last.end == part.start, last.lane != part.lane {
                let from = top + (Double(last.lane) + 0.5) * lane
                canvas.line(from: (x, from), to: (x, y + lane / 2 - 5), "g2")
            }
            let width = max(1, axis.place(part.end, from: left, to: right) - x)
            canvas.rectangle(.init(x: x, y: y, width: width, height: lane - 10), "s\(part.lane)", radius: 2)
            last = part
        }
        return canvas
    }
}

/// A row for each of several nights over the clock.
package struct NightRows {
    /// One night.
    package struct Row {
        package var name: String
        /// The parts in minutes of the clock, counted from the start of the axis.
        package var parts: [LanePart]

        package init(name: String, parts: [LanePart]) {
            self.name = name
            self.parts = parts
        }
    }

    let rows: [Row]
    let axis: TimeAxis
    /// The names of the lanes that occur, with their numbers.
    let names: [(lane: Int, name: String)]

    /// - Parameters:
    ///   - axis: the minutes of the clock, with labels of the hours.
    ///   - names: the names of all lanes; the colours of those in the rows are explained.
    package init(_ rows: [Row], over axis: TimeAxis, names: [String]) {
        self.rows = rows
        self.axis = axis
        let used = Set(rows.flatMap { $0.parts.map(\.lane) })
        self.names = names.enumerated().filter { used.contains($0.offset) }.map { (lane: $0.offset, name: $0.element) }
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, row) = (68.0, 756.0, 6.0, 12.0)
        let bottom = top + Double(rows.count) * row
        var canvas = SVGCanvas(width: 760, height: bottom + 22 + ColorKey.height)
        axis.draw(&canvas, from: left, to: right, top: top, bottom: bottom)
        for (place, night) in rows.enumerated() {
            let y = top + Double(place) * row
            canvas.text(night.name, x: 0, y: y + 9)
            for part in night.parts {
                let x = axis.place(part.start, from: left, to: right)
                let width = axis.place(part.end, from: left, to: right) - x
                canvas.rectangle(.init(x: x, y: y + 1, width: width, height: row - 3), "s\(part.lane)")
            }
        }
        let entries = names.map { (classes: "s\($0.lane)", words: $0.name) }
        ColorKey(entries).draw(&canvas, x: left, y: bottom + 20)
        return canvas
    }
}

/// The nights of a year as one strip: a column from the beginning to the end of each.
package struct NightStrip {
    /// One night.
    package struct Column {
        /// The place, from 0.
        package var place: Int
        /// The minutes of the clock at which the person falls asleep and wakes, counted from the start of the axis.
        package var minutes: Range<Int>
        package var words: String

        package init(place: Int, minutes: Range<Int>, words: String) {
            self.place = place
            self.minutes = minutes
            self.words = words
        }
    }

    let columns: [Column]
    /// The number of places.
    let count: Int
    /// The minutes of the clock, with labels of the hours.
    let hours: TimeAxis
    /// The names of months by their place, ascending; a name that would overlap or leave the drawing is left out.
    let months: [(place: Int, name: String)]

    package init(_ columns: [Column], of count: Int, hours: TimeAxis, months: [(place: Int, name: String)]) {
        self.columns = columns
        self.count = max(1, count)
        self.hours = hours
        self.months = months
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, bottom) = (40.0, 756.0, 6.0, 166.0)
        let step = (right - left) / Double(count)
        var canvas = SVGCanvas(width: 760, height: bottom + 22)
        for mark in hours.marks {
            let y = hours.place(mark.at, from: top, to: bottom)
            canvas.line(from: (left, y), to: (right, y))
            canvas.text(mark.text, x: left - 6, y: y + 4, "ax end")
        }
        var free = 0.0
        for month in months {
            let width = Double(month.name.count) * 6
            let x = min(left + Double(month.place) * step, canvas.width - width)
            if x < free { continue }
            canvas.text(month.name, x: x, y: bottom + 14)
            free = x + width + 6
        }
        for column in columns {
            let y = hours.place(Int64(column.minutes.lowerBound), from: top, to: bottom)
            let height = hours.place(Int64(column.minutes.upperBound), from: top, to: bottom) - y
            canvas.rectangle(
                .init(x: left + Double(column.place) * step, y: y, width: max(step - 0.4, 0.6), height: height), "s2",
                says: column.words)
        }
        return canvas
    }
}
