// SPDX-License-Identifier: Apache-2.0

/// The sixteen bytes of a UUID, as two big-endian numbers.
package struct UUIDBytes: Hashable, Sendable {
    /// The first eight bytes.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates the UUID with the bits of two signed halves.
    package init(high: Int64, low: Int64) {
        self.init(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
    }

    /// Creates the UUID from its bytes.
    /// - Requires: sixteen bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has 16 bytes, not \(bytes.count)")
        func number(_ half: Range<Int>) -> UInt64 { bytes[half].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: number(0..<8), low: number(8..<16))
    }

    /// Parses 32 hexadecimal digits in either case. Hyphens are ignored. Returns nil for any other text.
    package init?(text: String) {
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The bytes, the highest of the first half first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 & 7))) }
    }

    /// Lower-case hexadecimal text with hyphens.
    package var text: String {
        let digits = Array("0123456789abcdef".utf8)
        var text = [UInt8]()
        for (place, byte) in bytes.enumerated() {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
