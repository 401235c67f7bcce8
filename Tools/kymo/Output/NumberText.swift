// SPDX-License-Identifier: Apache-2.0

/// The text of numbers, independent of locale.
enum NumberText {
    /// Returns the shortest text that parses to the same bits, for JSON and CSV.
    ///
    /// Integers have no `.0`, except minus zero, which would lose its sign. Numbers that are not finite become `null`:
    /// JSON has no text for them, and the store holds none.
    static func json(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let text = value.description
        return text.hasSuffix(".0") && text != "-0.0" ? String(text.dropLast(2)) : text
    }

    /// Returns a number with a fixed number of decimals.
    static func fixed(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 9e15 else { return json(value) }
        let digits = Int64(scaled)
        let sign = value < 0 && digits > 0 ? "-" : ""
        if decimals == 0 { return sign + String(digits) }
        let (whole, part) = digits.quotientAndRemainder(dividingBy: Int64(scale))
        let text = String(part)
        return sign + String(whole) + "." + String(repeating: "0", count: decimals - text.count) + text
    }

    /// Returns the numbers of a table column with equal decimals.
    ///
    /// - Parameter digits: about so many digits has the greatest number.
    static func column(_ values: [Double?], digits: Int = 5) -> [String] {
        let present = values.compactMap { $0 }
        var decimals = 0
        if present.contains(where: { $0 != $0.rounded() }) {
            var greatest = present.reduce(0) { max($0, abs($1)) }
            decimals = digits - 1
            while greatest >= 10, decimals > 1 {
                greatest /= 10
                decimals -= 1
            }
            while greatest < 0.1, greatest > 0, decimals < 9 {
                greatest *= 10
                decimals += 1
            }
        }
        let texts = values.map { $0.map { fixed($0, decimals: decimals) } ?? "" }
        return withoutCommonZeros(texts, decimals: decimals)
    }

    private static func withoutCommonZeros(_ texts: [String], decimals: Int) -> [String] {
        if texts.contains(where: { $0.contains("e") }) { return texts }
        var texts = texts
        var left = decimals
        while left > 0, texts.allSatisfy({ !$0.contains(".") || $0.hasSuffix("0") }) {
            left -= 1
            let count = left == 0 ? 2 : 1
            texts = texts.map { $0.contains(".") ? String($0.dropLast(count)) : $0 }
        }
        return texts
    }

    /// Returns an integer with thousands separators.
    static func grouped(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (at, digit) in digits.enumerated() {
            if at > 0, (digits.count - at) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// Returns a number rounded to an integer, with thousands separators.
    static func whole(_ value: Double) -> String {
        Int(exactly: value.rounded()).map { grouped($0) } ?? fixed(value, decimals: 0)
    }

    /// Returns a count with its noun: `1 block`, `2,048 blocks`.
    static func count(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(grouped(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// Returns a size in decimal units: `512 B`, `7.62 MB`.
    static func bytes(_ value: Int64) -> String {
        var size = Double(value)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB"]
        while size >= 999.5, unit + 1 < units.count {
            size /= 1000
            unit += 1
        }
        return fixed(size, decimals: unit == 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2) + " " + units[unit]
    }

    /// Returns a time span: `0.38 s`, `2:05 min`, `1:02:09 h`.
    static func duration(seconds: Double) -> String {
        if seconds < 60 { return fixed(seconds, decimals: seconds < 10 ? 2 : 1) + " s" }
        let text = clock(seconds: seconds)
        return seconds < 3600 ? text + " min" : text + " h"
    }

    /// Returns a time span of minutes or hours: `2:05` or `1:02:09`.
    static func clock(seconds: Double) -> String {
        let whole = Int64(min(max(seconds, 0), 9e15).rounded())
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
    }
}
