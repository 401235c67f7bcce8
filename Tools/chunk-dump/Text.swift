// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import FileSystem

/// A text table: columns as wide as their widest cell, numbers right-aligned.
struct Table {
    private let titles: [String]
    private let leftAligned: Set<Int>
    private var rows: [[String]] = []

    /// Creates a table; `left` holds the left-aligned columns.
    init(_ titles: [String], left: Set<Int> = []) {
        self.titles = titles
        leftAligned = left
    }

    /// Adds a row; line feeds and other hidden characters in cells are escaped.
    mutating func add(_ cells: [String]) { rows.append(cells.map { TerminalText.printable($0) }) }

    var isEmpty: Bool { rows.isEmpty }

    /// Returns the lines, each with a line break.
    func text(indent: Int = 2) -> String {
        var widths = titles.map(\.count)
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], cell.count)
            }
        }
        return ([titles] + rows).map { line($0, widths, indent) }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int], _ indent: Int) -> String {
        var out = String(repeating: " ", count: indent)
        for (index, cell) in cells.enumerated() where index < widths.count {
            let space = String(repeating: " ", count: widths[index] - cell.count)
            out += leftAligned.contains(index) ? cell + space : space + cell
            out += "  "
        }
        while out.last == " " { out.removeLast() }
        return out + "\n"
    }
}

/// The text of numbers, times and bytes, identical in every locale.
enum Text {
    /// Returns the time in ISO 8601, UTC, with nine decimals.
    static func time(_ nanoseconds: Int64) -> String {
        let second: Int64 = 1_000_000_000
        var seconds = nanoseconds / second
        var rest = nanoseconds % second
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + second) }
        var days = seconds / 86_400
        var clock = seconds % 86_400
        if clock < 0 { (days, clock) = (days - 1, clock + 86_400) }
        let (year, month, day) = civil(days)
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(clock / 3600, 2) + ":"
            + pad(clock / 60 % 60, 2) + ":" + pad(clock % 60, 2) + "." + pad(rest, 9) + "Z"
    }

    /// Returns the time in ISO 8601, UTC, with no more decimals than it has: none, three, six or nine.
    static func instant(_ nanoseconds: Int64) -> String {
        var text = time(nanoseconds)
        text.removeLast()
        for _ in 0..<3 where text.hasSuffix("000") { text.removeLast(3) }
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + "Z"
    }

    /// Returns a number with thousands separators: `1,840,812`.
    static func grouped(_ number: some BinaryInteger) -> String {
        var text = ""
        for (place, digit) in String(number.magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text = "," + text }
            text = String(digit) + text
        }
        return number < 0 ? "-" + text : text
    }

    /// Returns a number of things: `1 file`, `7 files`.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns year, month and day of a number of days since 1970-01-01 in the proleptic Gregorian calendar.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Returns a number with a fixed number of decimals.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded()
        let whole = Int64(scaled / scale)
        let part = Int64(scaled - Double(whole) * scale)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return decimals == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(pad(part, decimals))"
    }

    /// Returns `part / whole`, or a dash if `whole` is zero.
    static func ratio(_ part: Int, _ whole: Int, _ decimals: Int = 2) -> String {
        whole == 0 ? "-" : fixed(Double(part) / Double(whole), decimals)
    }

    static func hex(_ checksum: UInt32) -> String { hex(UInt64(checksum), digits: 8) }

    static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    static func hex(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { hex(UInt64($0), digits: 2) }.joined() }

    /// Returns a UUID's text from its 16 bytes; plain hexadecimal for any other length.
    static func uuid(_ bytes: [UInt8]) -> String { bytes.count == 16 ? UUIDBytes(bytes).text : hex(bytes[...]) }

    /// Returns the 16 bytes in a name of the form `<uuid>.kseg`; nil for any other name.
    static func uuidBytes(ofFile name: String) -> [UInt8]? {
        name.hasSuffix(".kseg") ? UUIDBytes(text: String(name.dropLast(5)))?.bytes : nil
    }

    static func verdict(_ isIntact: Bool) -> String { isIntact ? "ok" : "BAD" }
}
