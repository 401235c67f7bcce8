// SPDX-License-Identifier: Apache-2.0

/// Small rings for each day: a row is a month, and three rings show how much of three goals was reached.
package struct RingGrid {
    /// The goals of one day.
    package struct Day {
        /// The row, from 0.
        package var row: Int
        /// The day of the month, from 1 to 31.
        package var day: Int
        /// The share of each goal, from the outer ring inwards; 1 and more is closed.
        package var shares: [Double]
        package var words: String

        package init(row: Int, day: Int, shares: [Double], words: String) {
            self.row = row
            self.day = day
            self.shares = shares
            self.words = words
        }
    }

    let days: [Day]
    /// The names of the rows.
    let months: [String]
    /// The names of the rings, from the outer one inwards.
    let names: [String]

    /// - Parameters:
    ///   - months: the names of the rows.
    ///   - names: the names of the rings, from the outer one inwards.
    package init(_ days: [Day], months: [String], names: [String]) {
        self.days = days
        self.months = months
        self.names = names
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, cell) = (40.0, 23.0)
        let bottom = Double(months.count) * cell + 4
        var canvas = SVGCanvas(width: 760, height: bottom + ColorKey.height)
        for (row, name) in months.enumerated() { canvas.text(name, x: 0, y: Double(row) * cell + 15) }
        for day in days {
            let (x, y) = (left + (Double(day.day) - 0.5) * cell, (Double(day.row) + 0.5) * cell)
            for (ring, share) in day.shares.prefix(3).enumerated() {
                let radius = 9 - Double(ring) * 2.8
                canvas.circle(x: x, y: y, radius: radius, "o", says: ring == 0 ? day.words : nil)
                canvas.path(Self.arc(x, y, radius, share), "o o\(ring)")
            }
        }
        let entries = names.prefix(3).enumerated().map { (classes: "o o\($0.offset)", words: $0.element) }
        ColorKey(entries, shape: .ring).draw(&canvas, x: left, y: bottom)
        return canvas
    }

    /// Returns the path of an arc from the top, clockwise.
    static func arc(_ x: Double, _ y: Double, _ radius: Double, _ share: Double) -> String {
        guard share > 0, share.isFinite else { return "" }
        func point(_ turn: Double) -> String {
            let (sine, cosine) = Self.sineAndCosine(turn)
            return "\(SVGCanvas.number(x + radius * sine)) \(SVGCanvas.number(y - radius * cosine))"
        }
        let r = SVGCanvas.number(radius)
        if share >= 1 { return "M\(point(0))A\(r) \(r) 0 1 1 \(point(0.5))A\(r) \(r) 0 1 1 \(point(0))" }
        // Browsers draw nothing if the rounded ends are equal.
        return "M\(point(0))A\(r) \(r) 0 \(share > 0.5 ? 1 : 0) 1 \(point(min(share, 0.99)))"
    }

    /// Returns sine and cosine of a number of turns from 0 to 1, exact to about seven digits: series of Taylor around
    /// the nearest quarter turn.
    private static func sineAndCosine(_ turn: Double) -> (Double, Double) {
        let quarter = (turn * 4).rounded()
        let angle = (turn * 4 - quarter) * Double.pi / 2
        let square = angle * angle
        let sine = angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)))
        let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        switch Int(quarter) % 4 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }
}
