// SPDX-License-Identifier: Apache-2.0

/// Bands and a line over time: the spread of many values, and their middle.
package struct BandChart {
    /// The values of one bucket of time.
    package struct Point {
        /// The middle of the bucket.
        package var at: Int64
        /// The lower and upper edge of each band, from the widest to the narrowest; empty where there is none.
        package var bands: [ClosedRange<Double>]
        /// The value of the line; nil to interrupt it.
        package var value: Double?

        package init(at: Int64, bands: [ClosedRange<Double>] = [], value: Double?) {
            self.at = at
            self.bands = bands
            self.value = value
        }
    }

    let points: [Point]
    let axis: TimeAxis
    /// Whether each point is drawn as a dot, for few values.
    let isDotted: Bool
    let height: Double
    /// Points with a longer distance are not connected.
    let longestGap: Int64

    package init(
        _ points: [Point], over axis: TimeAxis, isDotted: Bool = false, height: Double = 160,
        longestGap: Int64 = .max
    ) {
        self.points = points
        self.axis = axis
        self.isDotted = isDotted
        self.height = height
        self.longestGap = longestGap
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, bottom) = (40.0, 756.0, 8.0, 8.0 + height)
        var canvas = SVGCanvas(width: 760, height: bottom + 22)
        let all = points.flatMap { point in
            point.bands.flatMap { [$0.lowerBound, $0.upperBound] } + [point.value].compactMap { $0 }
        }.filter(\.isFinite)
        guard let least = all.min(), let greatest = all.max() else { return canvas }
        let margin = max((greatest - least) * 0.05, abs(greatest) * 1e-6)
        let vertical = Axis(least - margin...greatest + margin, from: bottom, to: top)
        for label in vertical.labels(most: 6) {
            let y = vertical.place(label.value)
            canvas.line(from: (left, y), to: (right, y))
            canvas.text(label.text, x: left - 6, y: y + 4, "ax end")
        }
        axis.draw(&canvas, from: left, to: right, top: top, bottom: bottom)
        func x(_ point: Point) -> Double { axis.place(point.at, from: left, to: right) }
        for part in pieces() {
            let places = part.map { (x: x($0), point: $0) }
            for band in 0..<(part.map(\.bands.count).max() ?? 0) {
                for run in places.split(whereSeparator: { $0.point.bands.count <= band }) {
                    let wide = Self.widened(Array(run))
                    let upper = wide.map { ($0.x, vertical.place($0.point.bands[band].upperBound)) }
                    let lower = wide.reversed().map { ($0.x, vertical.place($0.point.bands[band].lowerBound)) }
                    canvas.polygon(upper + lower, "b\(min(band + 1, 3))")
                }
            }
            for line in places.split(whereSeparator: { $0.point.value == nil }) {
                canvas.polyline(
                    Self.widened(Array(line)).map { ($0.x, vertical.place($0.point.value ?? 0)) }, "l")
            }
        }
        if isDotted {
            for point in points {
                if let value = point.value { canvas.circle(x: x(point), y: vertical.place(value), radius: 2, "p") }
            }
        }
        return canvas
    }

    /// Returns places that cover some width, because a band or line of a single point would be invisible.
    private static func widened(_ places: [(x: Double, point: Point)]) -> [(x: Double, point: Point)] {
        guard places.count == 1, let only = places.first else { return places }
        return [(only.x - 1.5, only.point), (only.x + 1.5, only.point)]
    }

    /// Returns the points in pieces without a gap.
    private func pieces() -> [ArraySlice<Point>] {
        var found: [ArraySlice<Point>] = []
        var from = 0
        // The distance of two instants may exceed Int64.
        for at in points.indices.dropFirst()
        where Double(points[at].at) - Double(points[at - 1].at) > Double(longestGap) {
            found.append(points[from..<at])
            from = at
        }
        return points.isEmpty ? [] : found + [points[from...]]
    }
}
