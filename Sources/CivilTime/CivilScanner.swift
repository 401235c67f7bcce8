// SPDX-License-Identifier: Apache-2.0

/// Scans digits and signs from the front of a text. No input traps; mismatches return nil or false.
struct CivilScanner {
    let bytes: [UInt8]
    var at = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { at >= bytes.count }

    /// The next byte; 0 at the end.
    var next: UInt8 { at < bytes.count ? bytes[at] : 0 }

    /// Returns the number of digits that follow, at most `limit`.
    func countDigits(limit: Int) -> Int {
        var count = 0
        while count < limit, at + count < bytes.count, Self.isDigit(bytes[at + count]) { count += 1 }
        return count
    }

    /// Reads a number of exactly `count` digits (at most 18); returns nil if there are fewer.
    mutating func number(digits count: Int) -> Int? {
        guard countDigits(limit: count) == count, count > 0, count <= 18 else { return nil }
        var value = 0
        for byte in bytes[at..<at + count] { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
        at += count
        return value
    }

    /// Consumes the next byte if it equals `character`.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    /// Reads an offset from UTC in seconds: `Z`, `+02`, `+0200`, `+02:00`, `+02:00:30`; `+2` if `allowsOneDigit`.
    mutating func offset(allowsOneDigit: Bool = false) -> Int? {
        let start = at
        if take("Z") || take("z") { return 0 }
        let negative = next == UInt8(ascii: "-")
        guard take("+") || take("-"), let seconds = unsignedOffset(allowsOneDigit) else {
            at = start
            return nil
        }
        return negative ? -seconds : seconds
    }

    private mutating func unsignedOffset(_ allowsOneDigit: Bool) -> Int? {
        let count = countDigits(limit: 7)
        if allowsOneDigit, count == 1 || count == 2 && bytes.count == at + 2 {
            return number(digits: count).map { $0 * 3600 }
        }
        guard count == 2 || count == 4 || count == 6, let hours = number(digits: 2) else { return nil }
        var minutes = 0
        var seconds = 0
        if count >= 4 {
            guard let value = number(digits: 2) else { return nil }
            minutes = value
            seconds = count == 6 ? number(digits: 2) ?? 60 : 0
        } else if take(":") {
            guard let value = number(digits: 2) else { return nil }
            minutes = value
            if take(":") {
                guard let value = number(digits: 2) else { return nil }
                seconds = value
            }
        }
        guard hours <= 23, minutes <= 59, seconds <= 59 else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
