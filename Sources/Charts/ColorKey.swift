// SPDX-License-Identifier: Apache-2.0

/// The meaning of the colours of a drawing: a row of small shapes, each with a text.
package struct ColorKey {
    /// The shape in front of a text.
    package enum Shape {
        case square, ring
    }

    /// The height of a row.
    static let height = 20.0

    let shape: Shape
    let entries: [(classes: String, words: String)]

    /// - Parameter entries: the classes of each shape, and its text.
    init(_ entries: [(classes: String, words: String)], shape: Shape = .square) {
        self.shape = shape
        self.entries = entries
    }

    /// Draws the row.
    ///
    /// - Parameter y: the upper edge of the row.
    func draw(_ canvas: inout SVGCanvas, x: Double, y: Double) {
        var x = x
        for entry in entries {
            switch shape {
            case .square:
                canvas.rectangle(.init(x: x, y: y + 5, width: 10, height: 10), entry.classes, radius: 2)
            case .ring:
                canvas.circle(x: x + 5, y: y + 10, radius: 4, entry.classes)
            }
            canvas.text(entry.words, x: x + 15, y: y + 14)
            x += 15 + Double(entry.words.count) * 6 + 14
        }
    }
}
