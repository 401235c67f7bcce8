// SPDX-License-Identifier: Apache-2.0

/// A dot for each pair of values.
package struct ScatterChart {
    let points: [(x: Double, y: Double)]
    let names: (x: String, y: String)

    /// - Parameter names: the titles of the axes.
    package init(_ points: [(x: Double, y: Double)], names: (x: String, y: String)) {
        self.points = points.filter { $0.x.isFinite && $0.y.isFinite }
        self.names = names
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, bottom) = (60.0, 756.0, 22.0, 262.0)
        var canvas = SVGCanvas(width: 760, height: bottom + 40)
        canvas.text(names.y, x: 0, y: 12)
        canvas.text(names.x, x: right, y: bottom + 32, "ax end")
        func range(_ values: [Double]) -> ClosedRange<Double> {
            guard let least = values.min(), let greatest = values.max() else { return 0...1 }
            let margin = (greatest - least) * 0.04
            return least - margin...greatest + margin
        }
        let horizontal = Axis(range(points.map(\.x)), from: left, to: right)
        let vertical = Axis(range(points.map(\.y)), from: bottom, to: top)
        for label in horizontal.labels(most: 6) {
            let x = horizontal.place(label.value)
            canvas.line(from: (x, top), to: (x, bottom))
            canvas.text(label.text, x: x, y: bottom + 16, "ax mid")
        }
        for label in vertical.labels(most: 6) {
            let y = vertical.place(label.value)
            canvas.line(from: (left, y), to: (right, y))
            canvas.text(label.text, x: left - 6, y: y + 4, "ax end")
        }
        for point in points {
            canvas.circle(x: horizontal.place(point.x), y: vertical.place(point.y), radius: 2.2, "q")
        }
        return canvas
    }
}
