// SPDX-License-Identifier: Apache-2.0

/// A line chart of numbers in text characters.
enum Sparkline {
    private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Returns one character per value; more than `width` values are averaged in groups. A missing value is a blank.
    ///
    /// - Parameter fromZero: true if the lowest step means zero, as for amounts; false if it means the minimum, as for
    ///   levels.
    static func text(_ values: [Double?], width: Int, fromZero: Bool) -> String {
        // A sum beyond all doubles has no height.
        let points = fitted(values.map { $0.flatMap { $0.isFinite ? $0 : nil } }, to: max(width, 1))
        let present = points.compactMap { $0 }
        guard let least = present.min(), let greatest = present.max() else { return "" }
        let base = fromZero ? min(0, least) : least
        // Halves, because the difference of two doubles may be infinite.
        let range = greatest / 2 - base / 2
        var text = ""
        for point in points {
            guard let point else {
                text.append(" ")
                continue
            }
            let share = range > 0 ? (point / 2 - base / 2) / range : fromZero && point <= 0 ? 0 : 0.5
            text.append(steps[min(max(Int(share * 8), 0), 7)])
        }
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    /// Returns at most `width` values: means of neighbours.
    private static func fitted(_ values: [Double?], to width: Int) -> [Double?] {
        guard values.count > width else { return values }
        return (0..<width).map { at in
            let part = values[values.count * at / width..<values.count * (at + 1) / width].compactMap { $0 }
            let most = Double.greatestFiniteMagnitude
            return part.isEmpty ? nil : min(max(part.reduce(0, +), -most), most) / Double(part.count)
        }
    }
}

/// A bar chart in a table column.
enum Bar {
    private static let parts: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

    /// Returns a bar of a fraction of the width, to an eighth of a character.
    static func amount(_ share: Double, width: Int) -> String {
        guard share > 0, share.isFinite else { return "" }
        let eighths = max(1, Int((min(share, 1) * Double(width) * 8).rounded()))
        var text = String(repeating: "█", count: eighths / 8)
        if eighths % 8 > 0 { text.append(parts[eighths % 8 - 1]) }
        return text
    }

    /// Returns a line between two fractions of the width with a marked point.
    static func range(_ low: Double, _ point: Double, _ high: Double, width: Int) -> String {
        func place(_ share: Double) -> Int {
            share.isNaN ? 0 : Int((min(max(share, 0), 1) * Double(width - 1)).rounded())
        }
        let (first, middle, last) = (place(low), place(point), place(high))
        var cells = [Character](repeating: " ", count: last + 1)
        for at in first...max(first, last) { cells[at] = "─" }
        cells[min(max(middle, first), last)] = "●"
        return String(cells)
    }
}
