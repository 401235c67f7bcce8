// SPDX-License-Identifier: Apache-2.0

/// A linear axis: places values between two ends of a drawing, and finds round values for its labels.
package struct Axis: Sendable {
    /// The least and the greatest value.
    package let range: ClosedRange<Double>
    /// The places of the least and the greatest value.
    package let ends: (Double, Double)

    package init(_ range: ClosedRange<Double>, from start: Double, to end: Double) {
        let isFlat = range.upperBound <= range.lowerBound
        self.range = isFlat ? range.lowerBound - 1...range.lowerBound + 1 : range
        ends = (start, end)
    }

    /// Returns the place of a value; values outside of the range are moved to an end.
    package func place(_ value: Double) -> Double {
        let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        return ends.0 + (ends.1 - ends.0) * min(max(share, 0), 1)
    }

    /// Returns at most `most` round values in the range: multiples of 1, 2 or 5 times a power of ten.
    package func ticks(most: Int) -> [Double] {
        let span = range.upperBound - range.lowerBound
        guard span.isFinite, span > 0, most > 0 else { return [] }
        var step = 1e-9
        var factor = 0
        while span / step > Double(most) {
            step *= [2, 2.5, 2][factor % 3]
            factor += 1
            if factor > 120 { return [] }
        }
        var value = (range.lowerBound / step).rounded(.up) * step
        var found: [Double] = []
        // A step below the precision of the values would never reach the end.
        while value <= range.upperBound + step * 1e-9, found.count <= most {
            found.append(abs(value) < step * 1e-9 ? 0 : value)
            value += step
        }
        return found
    }

    /// Returns at most `most` round values in the range with their texts, all with the same number of decimals.
    package func labels(most: Int) -> [(value: Double, text: String)] {
        let ticks = ticks(most: most)
        func isRound(_ decimals: Int) -> Bool {
            let scale = [1.0, 10, 100, 1_000, 10_000][decimals]
            return ticks.allSatisfy { abs($0 * scale - ($0 * scale).rounded()) < 1e-6 * max(1, abs($0 * scale)) }
        }
        let decimals = (0..<4).first(where: isRound) ?? 4
        return ticks.map { ($0, SVGCanvas.label($0, decimals: decimals)) }
    }
}

/// The values that a chart shows over time.
package struct TimeAxis: Sendable {
    /// A label at an instant.
    package struct Mark: Sendable {
        package var at: Int64
        package var text: String

        package init(at: Int64, text: String) {
            self.at = at
            self.text = text
        }
    }

    /// The first instant, and the first one after the end.
    package let start: Int64
    package let end: Int64
    /// The labels, ascending.
    package let marks: [Mark]

    package init(start: Int64, end: Int64, marks: [Mark]) {
        self.start = start
        self.end = max(end, start < .max ? start + 1 : start)
        self.marks = marks
    }

    /// Returns the place of an instant between two places.
    package func place(_ instant: Int64, from left: Double, to right: Double) -> Double {
        let share = (Double(instant) - Double(start)) / (Double(end) - Double(start))
        return left + (right - left) * min(max(share, 0), 1)
    }

    /// Draws the labels below a chart, and lines up to its top. Labels that would overlap are left out; a label that
    /// would be cut off at the right is moved to the left.
    package func draw(_ canvas: inout SVGCanvas, from left: Double, to right: Double, top: Double, bottom: Double) {
        var free = -Double.infinity
        for mark in marks where mark.at >= start && mark.at < end {
            let x = place(mark.at, from: left, to: right)
            canvas.line(from: (x, top), to: (x, bottom))
            let width = Double(mark.text.count) * 6
            let begin = max(left, min(x, canvas.width - width))
            if begin < free { continue }
            canvas.text(mark.text, x: begin, y: bottom + 14, "ax")
            free = begin + width + 6
        }
    }
}
