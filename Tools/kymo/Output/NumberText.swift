// SPDX-License-Identifier: Apache-2.0

/// Numbers as text, in no country's way.
enum NumberText {
    /// The shortest text that reads back to the same bits, as JSON and CSV have it.
    ///
    /// Whole numbers have no `.0`, except that of minus zero, which would lose its sign with it. There is no text for
    /// what is not finite: JSON has none, and the store holds none.
    static func json(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let text = value.description
        return text.hasSuffix(".0") && text != "-0.0" ? String(text.dropLast(2)) : text
    }

    /// A number with so many digits behind the point.
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

    /// The numbers of a table's column, all with as many decimals as the greatest needs for some five digits.
    static func column(_ values: [Double?]) -> [String] {
        let present = values.compactMap { $0 }
        var decimals = 0
        if present.contains(where: { $0 != $0.rounded() }) {
            var greatest = present.reduce(0) { max($0, abs($1)) }
            decimals = 4
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

    /// A whole number with commas, for sentences.
    static func grouped(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (at, digit) in digits.enumerated() {
            if at > 0, (digits.count - at) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// A count with its noun: `1 block`, `2,048 blocks`.
    static func count(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(grouped(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// A size in decimal units: `512 B`, `7.62 MB`.
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

    /// A span of time: `0.38 s`, `2:05 min`, `1:02:09 h`.
    static func duration(seconds: Double) -> String {
        if seconds < 60 { return fixed(seconds, decimals: seconds < 10 ? 2 : 1) + " s" }
        let text = clock(seconds: seconds)
        return seconds < 3600 ? text + " min" : text + " h"
    }

    /// `2:05` or `1:02:09`; from minutes on.
    static func clock(seconds: Double) -> String {
        let whole = Int64(min(max(seconds, 0), 9e15).rounded())
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
    }
}
