// SPDX-License-Identifier: Apache-2.0

/// An SVG image under construction: shapes with classes, whose colours a style sheet defines.
package struct SVGCanvas {
    private var body = ""
    /// The width in units of the drawing.
    package let width: Double
    package let height: Double

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Adds a text.
    package mutating func text(_ words: String, x: Double, y: Double, _ classes: String = "ax") {
        body += "<text\(Self.at(x, y))\(Self.classes(classes))>\(Self.escaped(words))</text>"
    }

    /// The place and size of a rectangle.
    package struct Box {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        package init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// Adds a rectangle.
    ///
    /// - Parameters:
    ///   - radius: of the corners.
    ///   - words: the title, for viewers and screen readers; nil for none.
    package mutating func rectangle(_ box: Box, _ classes: String, radius: Double = 0, says words: String? = nil) {
        let round = radius > 0 ? " rx=\"\(Self.number(radius))\"" : ""
        let size = " width=\"\(Self.number(max(0, box.width)))\" height=\"\(Self.number(max(0, box.height)))\""
        body += "<rect\(Self.at(box.x, box.y))\(size)\(round)\(Self.classes(classes))" + Self.closed("rect", words)
    }

    /// Adds a circle.
    package mutating func circle(x: Double, y: Double, radius: Double, _ classes: String, says words: String? = nil) {
        body += "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\""
        body += Self.classes(classes) + Self.closed("circle", words)
    }

    /// Adds a line.
    package mutating func line(from a: (x: Double, y: Double), to b: (x: Double, y: Double), _ classes: String = "g") {
        body += "<line x1=\"\(Self.number(a.x))\" y1=\"\(Self.number(a.y))\" x2=\"\(Self.number(b.x))\" "
        body += "y2=\"\(Self.number(b.y))\"\(Self.classes(classes))/>"
    }

    /// Adds connected lines.
    package mutating func polyline(_ points: [(x: Double, y: Double)], _ classes: String) {
        if points.isEmpty { return }
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polyline points=\"\(list)\"\(Self.classes(classes))/>"
    }

    /// Adds a filled area.
    package mutating func polygon(_ points: [(x: Double, y: Double)], _ classes: String) {
        if points.isEmpty { return }
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        body += "<polygon points=\"\(list)\"\(Self.classes(classes))/>"
    }

    /// Adds many separate pieces as one path: `M` moves and `L` draws.
    package mutating func path(_ data: String, _ classes: String) {
        if !data.isEmpty { body += "<path d=\"\(data)\"\(Self.classes(classes))/>" }
    }

    /// Returns the image as an element of an HTML page.
    ///
    /// - Parameters:
    ///   - id: distinguishes the image from others of the page.
    ///   - title: what the image shows.
    ///   - description: the same as a sentence, for people who do not see it.
    package func element(id: String, title: String, description: String) -> String {
        let label = "role=\"img\" aria-labelledby=\"\(id)-t \(id)-d\""
        let words =
            "<title id=\"\(id)-t\">\(Self.escaped(title))</title>"
            + "<desc id=\"\(id)-d\">\(Self.escaped(description))</desc>"
        return "<svg viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" \(label)>\(words)\(body)</svg>"
    }

    /// Returns the image as a document with its own style sheet.
    package func document(style: String) -> String {
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(Self.number(width)) \(Self.number(height))" \
            role="img">
            <style>
            \(style)
            </style>
            \(body)</svg>

            """
    }

    private static func at(_ x: Double, _ y: Double) -> String { " x=\"\(number(x))\" y=\"\(number(y))\"" }

    private static func classes(_ names: String) -> String { names.isEmpty ? "" : " class=\"\(names)\"" }

    private static func closed(_ element: String, _ words: String?) -> String {
        words.map { "><title>\(escaped($0))</title></\(element)>" } ?? "/>"
    }

    /// Returns a number with at most two decimals; never an exponent, `nan` or `inf`.
    package static func number(_ x: Double) -> String {
        guard x.isFinite, abs(x) < 1e9 else { return "0" }
        let hundredths = Int((x * 100).rounded())
        if hundredths % 100 == 0 { return String(hundredths / 100) }
        return String(Double(hundredths) / 100)
    }

    /// Returns a number with a fixed number of decimals, at most four, and with thousands separators: `12,500.0`.
    package static func label(_ x: Double, decimals: Int) -> String {
        guard x.isFinite, abs(x) < 1e9 else { return "0" }
        let scale = [1, 10, 100, 1_000, 10_000][min(max(decimals, 0), 4)]
        let (whole, part) = Int((abs(x) * Double(scale)).rounded()).quotientAndRemainder(dividingBy: scale)
        var text = ""
        for (place, digit) in String(whole).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text = "," + text }
            text = String(digit) + text
        }
        if scale > 1 { text += "." + String(String(scale + part).dropFirst()) }
        return x < 0 && (whole > 0 || part > 0) ? "\u{2212}" + text : text
    }

    /// Returns a text in which no character is markup.
    package static func escaped(_ words: String) -> String {
        var text = ""
        for character in words.unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case _ where character.value < 32: text += " "
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
