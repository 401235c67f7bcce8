// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An SVG image for light and dark pages: without a background, with grey text that is darker or lighter if the viewer
/// reports its colour scheme.
struct SVG {
    private var body = ""
    let width: Double
    let height: Double

    /// The number of different colours.
    static let colours = 6

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    private static let style = """
        text { font: 12px system-ui, sans-serif; fill: #6e7781; }
        .title { font-size: 15px; font-weight: 600; }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        .grid { stroke: #8c959f; stroke-opacity: 0.35; stroke-width: 1; }
        .c0 { fill: #2f81f7; stroke: #2f81f7; } .c1 { fill: #d9822b; stroke: #d9822b; }
        .c2 { fill: #2da44e; stroke: #2da44e; } .c3 { fill: #bf5af2; stroke: #bf5af2; }
        .c4 { fill: #e5534b; stroke: #e5534b; } .c5 { fill: #1f9e9e; stroke: #1f9e9e; }
        polyline { fill: none !important; stroke-width: 2; }
        @media (prefers-color-scheme: dark) { text { fill: #adbac7; } }
        @media (prefers-color-scheme: light) { text { fill: #424a53; } }
        """

    /// Adds a text; `classes` names classes of the style above.
    mutating func text(_ words: String, x: Double, y: Double, _ classes: String = "") {
        body += "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(Self.classes(classes))>"
        body += "\(Self.escaped(words))</text>\n"
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, colour: Int, says words: String) {
        body += "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
        body += "height=\"\(Self.number(height))\" rx=\"2\" class=\"c\(colour % Self.colours)\" stroke-width=\"0\">"
        body += "<title>\(Self.escaped(words))</title></rect>\n"
    }

    mutating func line(from a: (x: Double, y: Double), to b: (x: Double, y: Double)) {
        body += "<line x1=\"\(Self.number(a.x))\" y1=\"\(Self.number(a.y))\" x2=\"\(Self.number(b.x))\" "
        body += "y2=\"\(Self.number(b.y))\" class=\"grid\"/>\n"
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], colour: Int) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polyline points=\"\(list)\" class=\"c\(colour % Self.colours)\"/>\n"
        for point in points {
            body += "<circle cx=\"\(Self.number(point.x))\" cy=\"\(Self.number(point.y))\" r=\"3\" "
            body += "class=\"c\(colour % Self.colours)\"/>\n"
        }
    }

    /// Adds the names of the colours, from left to right, below the title.
    mutating func legend(_ names: [String], x: Double, y: Double) {
        var at = x
        for (i, name) in names.enumerated() {
            rectangle(x: at, y: y - 9, width: 10, height: 10, colour: i, says: name)
            text(name, x: at + 15, y: y)
            at += 35 + Double(name.count) * 6.6
        }
    }

    /// The whole document.
    var document: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))" height="\(Self.number(height))" \
        viewBox="0 0 \(Self.number(width)) \(Self.number(height))" role="img">
        <style>
        \(Self.style)
        </style>
        \(body)</svg>

        """
    }

    private static func classes(_ names: String) -> String { names.isEmpty ? "" : " class=\"\(names)\"" }

    /// Returns a number with at most two decimals; never an exponent, `nan` or `inf`.
    static func number(_ x: Double) -> String {
        guard x.isFinite, abs(x) < 1e9 else { return "0" }
        let hundredths = Int((x * 100).rounded())
        if hundredths % 100 == 0 { return String(hundredths / 100) }
        return String(Double(hundredths) / 100)
    }

    static func escaped(_ words: String) -> String {
        var text = ""
        for character in words.unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case _ where character.value < 32: text += " "
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    /// Returns the powers of ten that enclose positive numbers.
    static func decades(_ values: [Double]) -> ClosedRange<Int> {
        let low = values.min().map { Int(log10($0).rounded(.down)) } ?? 0
        let high = values.max().map { Int(log10($0).rounded(.up)) } ?? 1
        return low...max(high, low + 1)
    }
}
