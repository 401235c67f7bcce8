// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation

/// A chart of horizontal bars in groups.
package struct SVGBars {
    /// The scale of the bars and the text of values.
    package enum Axis {
        /// Powers of ten at equal distances.
        case logarithmic((Double) -> String)
        /// A linear scale from zero.
        case linear((Double) -> String)
    }

    private struct Bar {
        let group: String
        let series: String
        let value: Double
    }

    private let title: String
    private let axis: Axis
    private var bars: [Bar] = []

    package init(title: String, axis: Axis) {
        self.title = title
        self.axis = axis
    }

    package var isEmpty: Bool { bars.isEmpty }

    /// Adds a bar with a positive value. Groups and series keep their order of appearance.
    package mutating func add(_ value: Double, group: String, series: String) {
        bars.append(Bar(group: group, series: series, value: value))
    }

    private static let barHeight = 14.0
    private static let gap = 8.0
    private static let plotWidth = 520.0

    private func words(_ value: Double) -> String {
        switch axis {
        case .logarithmic(let words), .linear(let words): words(value)
        }
    }

    /// The SVG text.
    package var text: String {
        let groups = Self.distinct(bars.map(\.group))
        let series = Self.distinct(bars.map(\.series))
        let left = 24 + (groups.map { Double($0.count) * 7 }.max() ?? 0)
        let top = series.count > 1 ? 62.0 : 44.0
        let rows = Double(bars.count) * Self.barHeight + Double(groups.count) * Self.gap
        var svg = SVGCanvas(width: left + Self.plotWidth + 100, height: top + rows + 34)
        svg.text(title, x: 12, y: 22, "title")
        if series.count > 1 { svg.legend(series, x: 12, y: 44) }
        let (place, ticks) = scale()
        for tick in ticks {
            let x = left + place(tick) * Self.plotWidth
            svg.line(from: (x, top), to: (x, top + rows), "grid")
            svg.text(words(tick), x: x, y: top + rows + 18, "middle")
        }
        var y = top + Self.gap / 2
        for group in groups {
            let members = bars.filter { $0.group == group }
            svg.text(group, x: left - 8, y: y + Double(members.count) * Self.barHeight / 2 + 4, "end")
            for bar in members {
                let width = max(2, place(bar.value) * Self.plotWidth)
                svg.rectangle(
                    .init(x: left, y: y + 1, width: width, height: Self.barHeight - 2),
                    PlotStyle.colour(series.firstIndex(of: bar.series) ?? 0), radius: 2,
                    says: "\(bar.group), \(bar.series): \(words(bar.value))")
                svg.text(words(bar.value), x: left + width + 6, y: y + 11, "")
                y += Self.barHeight
            }
            y += Self.gap
        }
        return svg.document(style: PlotStyle.css)
    }

    /// Returns the position of a value from 0 to 1, and the values with grid lines.
    private func scale() -> (place: (Double) -> Double, ticks: [Double]) {
        switch axis {
        case .logarithmic:
            let decades = PlotStyle.decades(bars.map(\.value))
            let span = Double(decades.count - 1)
            return (
                { (log10($0) - Double(decades.lowerBound)) / span }, decades.map { pow(10, Double($0)) }
            )
        case .linear:
            let most = bars.map(\.value).max() ?? 1
            let unit = pow(10, log10(most).rounded(.down))
            let step = [0.2, 0.5, 1, 2].map { $0 * unit }.first { most / $0 <= 6 } ?? unit
            let ticks = (most / step).rounded(.up)
            return ({ $0 / (ticks * step) }, (0...Int(ticks)).map { Double($0) * step })
        }
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen = Set<String>()
        return names.filter { seen.insert($0).inserted }
    }
}
