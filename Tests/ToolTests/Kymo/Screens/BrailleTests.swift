// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kymo

@Suite("T-12 pictures of braille dots")
struct BrailleTests {
    @Test("each dot is the one of Unicode: 1 to 8 by column and row")
    func dots() {
        let names: [(x: Int, y: Int, text: String)] = [
            (0, 0, "⠁"), (0, 1, "⠂"), (0, 2, "⠄"), (1, 0, "⠈"), (1, 1, "⠐"), (1, 2, "⠠"), (0, 3, "⡀"), (1, 3, "⢀"),
        ]
        for name in names {
            var canvas = Braille(columns: 1, rows: 1)
            canvas.dot(name.x, name.y)
            #expect(canvas.lines == [name.text])
        }
        var canvas = Braille(columns: 2, rows: 2)
        #expect(canvas.width == 4 && canvas.height == 8 && canvas.lines == ["", ""])
        for (x, y) in [(-1, 0), (4, 0), (0, -1), (0, 8)] { canvas.dot(x, y) }
        #expect(canvas.lines == ["", ""])
        canvas.dot(3, 7)
        #expect(canvas.lines == ["", " ⢀"])
    }

    @Test("columns and lines have all their dots, in any direction, and are cut at the edges")
    func lines() {
        var full = Braille(columns: 1, rows: 2)
        full.column(0, from: 9, to: -3)
        full.column(1, from: 0, to: 7)
        #expect(full.lines == ["⣿", "⣿"])
        var outside = Braille(columns: 1, rows: 1)
        outside.column(0, from: 4, to: 9)
        outside.column(0, from: -5, to: -1)
        #expect(outside.lines == [""])
        var (down, up) = (Braille(columns: 2, rows: 1), Braille(columns: 2, rows: 1))
        down.line(from: (0, 0), to: (3, 3))
        up.line(from: (3, 3), to: (0, 0))
        #expect(down.lines == ["⠑⢄"] && up.lines == down.lines)
        var point = Braille(columns: 1, rows: 1)
        point.line(from: (1, 1), to: (1, 1))
        #expect(point.lines == ["⠐"])
        var level = Braille(columns: 3, rows: 1)
        level.line(from: (-2, 2), to: (9, 2))
        #expect(level.lines == ["⠤⠤⠤"])
    }

    @Test("a line between any two points touches both, and has no gap")
    func connected() {
        for end in [(x: 19, y: 3), (x: 2, y: 31), (x: 0, y: 0), (x: 13, y: 17)] {
            var canvas = Braille(columns: 10, rows: 8)
            canvas.line(from: (5, 9), to: end)
            let dots = Self.dots(canvas)
            #expect(dots.contains([5, 9]) && dots.contains([end.x, end.y]))
            #expect(dots.count == max(abs(end.x - 5), abs(end.y - 9)) + 1)
            for dot in dots where dot != [end.x, end.y] {
                #expect(dots.contains { $0 != dot && abs($0[0] - dot[0]) <= 1 && abs($0[1] - dot[1]) <= 1 })
            }
        }
    }

    /// Returns the places of the dots in a text.
    private static func dots(_ canvas: Braille) -> Set<[Int]> {
        let order = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
        var found = Set<[Int]>()
        for (row, line) in canvas.lines.enumerated() {
            for (column, scalar) in line.unicodeScalars.enumerated() where scalar != " " {
                for (bit, place) in order.enumerated() where (scalar.value - 0x2800) >> UInt32(bit) & 1 == 1 {
                    found.insert([column * 2 + place.0, row * 4 + place.1])
                }
            }
        }
        return found
    }

    @Test("a scale puts the greatest value at the top, and equal values in the middle")
    func scale() {
        let scale = ValueScale(least: 40, greatest: 80, height: 21)
        #expect(scale.row(80) == 0 && scale.row(40) == 20 && scale.row(60) == 10 && scale.row(61) == 10)
        #expect(scale.row(100) == 0 && scale.row(-5) == 20)
        #expect(ValueScale(least: 3, greatest: 3, height: 8).row(3) == 4)
        let wide = ValueScale(least: -Double.greatestFiniteMagnitude, greatest: .greatestFiniteMagnitude, height: 8)
        #expect(wide.row(0) == 4)
    }
}
