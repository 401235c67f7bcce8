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
        /// The width to which `fit(_:)` may truncate the cells; nil to keep them.
        var least: Int?
        /// The order in which `fit(_:)` omits columns, the greatest number first; 0 to keep the column.
        var omission = 0
    }

    private var columns: [Column]
    private var omitted: Set<Int> = []
    private var rows: [Row] = []
    private var widths: [Int]
    private static let gap = "  "

    private enum Row {
        case cells([String])
        /// A line across all columns.
        case note(String)
    }

    init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map { min(TextWidth.of($0.title), $0.limit) }
    }

    /// Adds a row with a cell for each column.
    mutating func append(_ cells: [String]) {
        let cells = zip(cells, columns).map { TextWidth.cut(TerminalText.printable($0), to: $1.limit) }
        for (at, cell) in cells.enumerated() { widths[at] = max(widths[at], TextWidth.of(cell)) }
        rows.append(.cells(cells))
    }

    /// Adds a dim line that does not belong to a column.
    mutating func note(_ text: String) { rows.append(.note(TerminalText.printable(text))) }

    /// Truncates cells and omits columns, so that the rows are at most `width` characters wide if possible.
    ///
    /// Columns are omitted only if truncation is not enough. Later rows have the same columns and limits.
    mutating func fit(_ width: Int) {
        func narrowest(_ at: Int) -> Int { min(widths[at], max(columns[at].least ?? widths[at], 1)) }
        func shown() -> [Int] { columns.indices.filter { !omitted.contains($0) } }
        func total(_ width: (Int) -> Int) -> Int {
            shown().reduce(0) { $0 + width($1) } + Self.gap.count * max(0, shown().count - 1)
        }
        while total(narrowest) > width,
            let next = shown().filter({ columns[$0].omission > 0 }).max(by: {
                columns[$0].omission < columns[$1].omission
            })
        {
            omitted.insert(next)
        }
        for at in shown() where columns[at].least != nil {
            let excess = total { widths[$0] } - width
            if excess > 0 { limit(at, to: max(narrowest(at), widths[at] - excess)) }
        }
    }

    private mutating func limit(_ at: Int, to limit: Int) {
        columns[at].limit = limit
        widths[at] = limit
        for (i, row) in rows.enumerated() {
            guard case .cells(var cells) = row else { continue }
            cells[at] = TextWidth.cut(cells[at], to: limit)
            rows[i] = .cells(cells)
        }
    }

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// The total width of the shown columns in characters, including gaps.
    var width: Int {
        let shown = columns.indices.filter { !omitted.contains($0) }
        return shown.reduce(0) { $0 + widths[$1] } + Self.gap.count * max(0, shown.count - 1)
    }

    /// Writes the titles and the rows and clears the rows; later rows keep the widths.
    mutating func write(to output: Output, header: Bool = true) throws(DiskError) {
        if header { try output.line(output.style.bold(line(titles))) }
        for row in rows where output.isOpen {
            switch row {
            case .cells(let cells): try output.line(line(cells, output.style))
            case .note(let text): try output.line(output.style.dim(text))
            }
        }
        rows.removeAll()
    }

    private var titles: [String] { columns.map { TextWidth.cut($0.title, to: $0.limit) } }

    private func line(_ cells: [String], _ style: Style? = nil) -> String {
        var text = ""
        var pending = 0
        var isFirst = true
        for (at, cell) in cells.enumerated() where !omitted.contains(at) {
            if !isFirst { pending += Self.gap.count }
            isFirst = false
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
