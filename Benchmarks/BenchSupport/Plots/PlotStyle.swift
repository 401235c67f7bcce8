// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation

/// The style of plots in reports of benchmarks, for light and dark pages: without a background, with grey text that is
/// darker or lighter if the viewer reports its colour scheme.
enum PlotStyle {
    /// The number of different colours.
    static let colours = 6

    static let css = """
        text { font: 12px system-ui, sans-serif; fill: #6e7781; }
        .title { font-size: 15px; font-weight: 600; }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        .grid { stroke: #8c959f; stroke-opacity: 0.35; stroke-width: 1; }
        .c0 { fill: #2f81f7; stroke: #2f81f7; } .c1 { fill: #d9822b; stroke: #d9822b; }
        .c2 { fill: #2da44e; stroke: #2da44e; } .c3 { fill: #bf5af2; stroke: #bf5af2; }
        .c4 { fill: #e5534b; stroke: #e5534b; } .c5 { fill: #1f9e9e; stroke: #1f9e9e; }
        rect { stroke-width: 0; }
        polyline { fill: none !important; stroke-width: 2; }
        @media (prefers-color-scheme: dark) { text { fill: #adbac7; } }
        @media (prefers-color-scheme: light) { text { fill: #424a53; } }
        """

    /// Returns the class of a colour.
    static func colour(_ number: Int) -> String { "c\(number % colours)" }

    /// Returns the powers of ten that enclose positive numbers.
    static func decades(_ values: [Double]) -> ClosedRange<Int> {
        let low = values.min().map { Int(log10($0).rounded(.down)) } ?? 0
        let high = values.max().map { Int(log10($0).rounded(.up)) } ?? 1
        return low...max(high, low + 1)
    }
}

extension SVGCanvas {
    /// Adds the names of the colours, from left to right, below the title.
    mutating func legend(_ names: [String], x: Double, y: Double) {
        var at = x
        for (i, name) in names.enumerated() {
            rectangle(.init(x: at, y: y - 9, width: 10, height: 10), PlotStyle.colour(i), radius: 2, says: name)
            text(name, x: at + 15, y: y, "")
            at += 35 + Double(name.count) * 6.6
        }
    }
}
