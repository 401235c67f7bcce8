// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation

/// A chart of lines over two logarithmic axes.
package struct SVGLines {
    package struct Line {
        package let name: String
        /// Positive on both axes.
        package let points: [(x: Double, y: Double)]

        package init(name: String, points: [(x: Double, y: Double)]) {
            self.name = name
            self.points = points
        }
    }

    private let title: String
    private let lines: [Line]
    private let xWords: (Double) -> String
    private let yWords: (Double) -> String

    /// Creates a chart.
    ///
    /// - Parameters:
    ///   - x: writes a number of the horizontal axis.
    ///   - y: writes a number of the vertical axis.
    package init(title: String, lines: [Line], x: @escaping (Double) -> String, y: @escaping (Double) -> String) {
        self.title = title
        self.lines = lines
        xWords = x
        yWords = y
    }

    /// The SVG text.
    package var text: String {
        let (left, top, width, height) = (90.0, 62.0, 560.0, 320.0)
        var svg = SVGCanvas(width: left + width + 40, height: top + height + 40)
        svg.text(title, x: 12, y: 22, "title")
        svg.legend(lines.map(\.name), x: 12, y: 44)
        let xs = PlotStyle.decades(lines.flatMap { $0.points.map(\.x) })
        let ys = PlotStyle.decades(lines.flatMap { $0.points.map(\.y) })
        func place(_ x: Double, _ decades: ClosedRange<Int>) -> Double {
            (log10(x) - Double(decades.lowerBound)) / Double(decades.count - 1)
        }
        for decade in xs {
            let at = left + place(pow(10, Double(decade)), xs) * width
            svg.line(from: (at, top), to: (at, top + height), "grid")
            svg.text(xWords(pow(10, Double(decade))), x: at, y: top + height + 20, "middle")
        }
        for decade in ys {
            let at = top + (1 - place(pow(10, Double(decade)), ys)) * height
            svg.line(from: (left, at), to: (left + width, at), "grid")
            svg.text(yWords(pow(10, Double(decade))), x: left - 8, y: at + 4, "end")
        }
        for (i, line) in lines.enumerated() {
            let points = line.points.map {
                (x: left + place($0.x, xs) * width, y: top + (1 - place($0.y, ys)) * height)
            }
            svg.polyline(points, PlotStyle.colour(i))
            for point in points { svg.circle(x: point.x, y: point.y, radius: 3, PlotStyle.colour(i)) }
        }
        return svg.document(style: PlotStyle.css)
    }
}
