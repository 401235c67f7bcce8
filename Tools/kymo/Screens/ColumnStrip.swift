// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// Rows of short cells, from left to right, folded at the width of the terminal: the kilometres of a run.
struct ColumnStrip {
    /// A row: its name, and a cell for each column.
    struct Row {
        var name: String
        var cells: [String]
    }

    /// The rows; the first one has the titles.
    let rows: [Row]
    /// The width of the terminal.
    let width: Int

    private static let gap = 2

    /// Writes the rows, in as many blocks as necessary.
    func write(_ output: Output) throws(DiskError) {
        guard let count = rows.first?.cells.count, count > 0 else { return }
        let names = rows.map { TextWidth.of($0.name) }.max() ?? 0
        let cell = (rows.flatMap(\.cells).map { TextWidth.of($0) }.max() ?? 0) + Self.gap
        let inBlock = max(1, (width - names) / cell)
        for start in stride(from: 0, to: count, by: inBlock) {
            for (place, row) in rows.enumerated() {
                let part = row.cells[start..<min(start + inBlock, count)]
                if part.allSatisfy(\.isEmpty) { continue }
                var text = row.name.padded(to: names) + part.map { $0.aligned(to: cell) }.joined()
                while text.hasSuffix(" ") { text.removeLast() }
                try output.line(place == 0 ? output.style.bold(text) : text)
            }
        }
    }
}
