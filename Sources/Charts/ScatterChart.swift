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
        let (left, right, top, bottom) = (60.0, 500.0, 22.0, 262.0)
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
        for tick in horizontal.ticks(most: 6) {
            canvas.line(from: (horizontal.place(tick), top), to: (horizontal.place(tick), bottom))
            canvas.text(SVGCanvas.number(tick), x: horizontal.place(tick), y: bottom + 16, "ax mid")
        }
        for tick in vertical.ticks(most: 6) {
            canvas.line(from: (left, vertical.place(tick)), to: (right, vertical.place(tick)))
            canvas.text(SVGCanvas.number(tick), x: left - 6, y: vertical.place(tick) + 4, "ax end")
        }
        for point in points {
            canvas.circle(x: horizontal.place(point.x), y: vertical.place(point.y), radius: 2.2, "q")
        }
        return canvas
    }
}
