// SPDX-License-Identifier: Apache-2.0

/// An electrocardiogram on paper with millimetres: 25 mm are a second, 10 mm a millivolt.
package struct VoltagePaper {
    /// The voltages in millivolts, at equal distances.
    let millivolts: [Double]
    /// The number of voltages in a second.
    let frequency: Double
    /// The seconds of one row.
    let secondsInRow: Double

    package init(_ millivolts: [Double], frequency: Double, secondsInRow: Double = 10) {
        self.millivolts = millivolts
        self.frequency = frequency
        self.secondsInRow = secondsInRow
    }

    /// Returns the drawing: at most three rows.
    package func draw() -> SVGCanvas {
        let millimetre = 3.0
        guard frequency > 0, frequency.isFinite, secondsInRow > 0 else { return SVGCanvas(width: 0, height: 0) }
        // One row is enough for all voltages if it has room for more of them.
        let inRow = max(1, Int(min(frequency * secondsInRow, Double(millivolts.count)).rounded()))
        let rows = min(3, (millivolts.count + inRow - 1) / inRow)
        let (width, height) = (secondsInRow * 25 * millimetre, 40 * millimetre)
        var canvas = SVGCanvas(width: width, height: Double(max(1, rows)) * (height + 9))
        for row in 0..<rows {
            let top = Double(row) * (height + 9)
            canvas.path(Self.grid(width, height, top, by: millimetre), "e1")
            canvas.path(Self.grid(width, height, top, by: 5 * millimetre), "e2")
            let part = millivolts[row * inRow..<min((row + 1) * inRow, millivolts.count)]
            // 1.5 mV below and 2.5 mV above zero.
            let line = part.enumerated().map { place, value in
                (
                    x: Double(place) / frequency * 25 * millimetre,
                    y: top + min(max((2.5 - value) * 10 * millimetre, 0), height)
                )
            }
            canvas.polyline(line, "e")
        }
        return canvas
    }

    private static func grid(_ width: Double, _ height: Double, _ top: Double, by step: Double) -> String {
        var data = ""
        for x in stride(from: 0, through: width + 0.01, by: step) {
            data += "M\(SVGCanvas.number(x)) \(SVGCanvas.number(top))V\(SVGCanvas.number(top + height))"
        }
        for y in stride(from: 0, through: height + 0.01, by: step) {
            data += "M0 \(SVGCanvas.number(top + y))H\(SVGCanvas.number(width))"
        }
        return data
    }
}
