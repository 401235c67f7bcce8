// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A table of text in columns.
struct Table {
    enum Alignment {
        case left, right
    }

    struct Column {
        var title: String
        var alignment = Alignment.left
        /// Whether the cells are coloured.
        var isAccent = false
        /// The maximum width; longer cells are truncated.
        var limit = Int.max
    }

    private let columns: [Column]
    private var rows: [[String]] = []
    private var widths: [Int]
    private static let gap = "  "

    init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map { min(TextWidth.of($0.title), $0.limit) }
    }

    /// Adds a row with a cell for each column.
    mutating func append(_ cells: [String]) {
        let cells = zip(cells, columns).map { TextWidth.cut(TerminalText.printable($0), to: $1.limit) }
        for (at, cell) in cells.enumerated() { widths[at] = max(widths[at], TextWidth.of(cell)) }
        rows.append(cells)
    }

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// The total width of the columns in characters, including gaps.
    var width: Int { widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1) }

    /// Writes the titles and the rows and clears the rows; later rows keep the widths.
    mutating func write(to output: Output, header: Bool = true) throws(DiskError) {
        if header { try output.line(output.style.bold(line(columns.map(\.title)))) }
        for row in rows where output.isOpen { try output.line(line(row, output.style)) }
        rows.removeAll()
    }

    private func line(_ cells: [String], _ style: Style? = nil) -> String {
        var text = ""
        var pending = 0
        for (at, cell) in cells.enumerated() {
            if at > 0 { pending += Self.gap.count }
            let rest = widths[at] - TextWidth.of(cell)
            if columns[at].alignment == .right { pending += max(0, rest) }
            if !cell.isEmpty {
                // Blanks are written only before a cell, so that no line ends in blanks.
                text += String(repeating: " ", count: pending)
                text += columns[at].isAccent ? style?.accent(cell) ?? cell : cell
                pending = 0
            } else if columns[at].alignment == .right {
                continue
            }
            if columns[at].alignment == .left { pending += max(0, rest) }
        }
        return text
    }
}

/// The width of text on a terminal in columns.
enum TextWidth {
    static func of(_ text: String) -> Int {
        var width = 0
        for scalar in text.unicodeScalars { width += scalar.value < 0x7F ? 1 : columns(of: scalar) }
        return width
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Returns the text, truncated with an ellipsis if it is too wide.
    static func cut(_ text: String, to limit: Int) -> String {
        guard of(text) > limit else { return text }
        var result = ""
        var width = 0
        for character in text {
            let next = of(String(character))
            if width + next > limit - 1 { break }
            result.append(character)
            width += next
        }
        return result + "…"
    }
}
