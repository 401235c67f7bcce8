// SPDX-License-Identifier: Apache-2.0

/// A bar for each name: the whole amount, and the part of it that counts.
package struct ShareBars {
    /// One bar.
    package struct Bar {
        package var name: String
        package var whole: Double
        package var part: Double
        /// The text behind the bar.
        package var words: String

        package init(name: String, whole: Double, part: Double, words: String) {
            self.name = name
            self.whole = whole
            self.part = part
            self.words = words
        }
    }

    let bars: [Bar]

    package init(_ bars: [Bar]) { self.bars = bars }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, row) = (200.0, 560.0, 28.0)
        var canvas = SVGCanvas(width: 760, height: Double(bars.count) * row + 4)
        let greatest = max(bars.map(\.whole).filter(\.isFinite).max() ?? 0, .leastNonzeroMagnitude)
        let axis = Axis(0...greatest, from: 0, to: right - left)
        for (place, bar) in bars.enumerated() {
            let y = Double(place) * row + 4
            canvas.text(Self.cut(bar.name), x: 0, y: y + 15, "tx")
            canvas.rectangle(.init(x: left, y: y + 3, width: axis.place(bar.whole), height: 16), "u0", radius: 2)
            canvas.rectangle(.init(x: left, y: y + 3, width: axis.place(bar.part), height: 16), "u1", radius: 2)
            canvas.text(bar.words, x: left + axis.place(bar.whole) + 8, y: y + 15)
        }
        return canvas
    }

    private static func cut(_ name: String) -> String { name.count > 28 ? String(name.prefix(27)) + "…" : name }
}
