// SPDX-License-Identifier: Apache-2.0

/// A canvas of dots, printed as text. A character of Unicode's braille block has 2 columns and 4 rows of dots.
struct Braille {
    /// The number of dots in a row and in a column.
    let width: Int
    let height: Int
    private let columns: Int
    private var cells: [UInt8]

    /// The bit of each dot: by row, left and right.
    private static let bits: [(UInt8, UInt8)] = [(0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80)]
    private static let first: UInt32 = 0x2800

    /// Creates an empty canvas.
    ///
    /// - Parameters:
    ///   - columns: the number of characters in a line.
    ///   - rows: the number of lines.
    init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        (width, height) = (self.columns * 2, max(rows, 1) * 4)
        cells = [UInt8](repeating: 0, count: self.columns * max(rows, 1))
    }

    /// Draws a dot; (0, 0) is at the top left. Dots outside of the canvas are ignored.
    mutating func dot(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let bits = Self.bits[y % 4]
        cells[y / 4 * columns + x / 2] |= x % 2 == 0 ? bits.0 : bits.1
    }

    /// Draws the dots of a column between two rows, in any order.
    mutating func column(_ x: Int, from top: Int, to bottom: Int) {
        let (low, high) = (max(min(top, bottom), 0), min(max(top, bottom), height - 1))
        if low <= high { for y in low...high { dot(x, y) } }
    }

    /// Draws a straight line.
    mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
        let (wide, high) = (end.x - start.x, end.y - start.y)
        let steps = max(abs(wide), abs(high))
        for step in 0...steps {
            // Rounds to the nearest dot; a line of one dot has no step.
            let share = steps > 0 ? Double(step) / Double(steps) : 0
            dot(start.x + Int((Double(wide) * share).rounded()), start.y + Int((Double(high) * share).rounded()))
        }
    }

    /// The lines of text from top to bottom, without blanks at their ends. A character without dots is a blank.
    var lines: [String] {
        stride(from: 0, to: cells.count, by: columns).map { start in
            var line = String.UnicodeScalarView()
            for cell in cells[start..<start + columns] {
                line.append(cell == 0 ? " " : Unicode.Scalar(Self.first + UInt32(cell)) ?? " ")
            }
            var text = String(line)
            while text.hasSuffix(" ") { text.removeLast() }
            return text
        }
    }
}

/// The rows of dots that stand for values, the greatest value at the top.
struct ValueScale {
    let least: Double
    let greatest: Double
    let height: Int

    /// Returns the row of a value; the middle row if all values are equal.
    func row(_ value: Double) -> Int {
        let range = greatest - least
        guard range > 0, range.isFinite else { return height / 2 }
        let share = min(max((value - least) / range, 0), 1)
        return Int(((1 - share) * Double(height - 1)).rounded())
    }
}
