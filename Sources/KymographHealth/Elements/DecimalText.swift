// SPDX-License-Identifier: Apache-2.0

/// Numbers in the text form of an export: decimal digits, optionally with a point, a sign or an exponent.
package enum DecimalText {
    /// The maximum length of a number's text.
    package static let limit = 4_096

    /// Returns the correctly rounded number of a text; nil if the text is not a decimal number or the number is not
    /// finite.
    ///
    /// The grammar is `[+-] digits [. digits] [e [+-] digits]` with at least one digit before the exponent. Spaces,
    /// names (`nan`, `inf`), hexadecimal numbers and decimal commas are not accepted. Takes constant time for up to 19
    /// digits and small exponents.
    package static func parse(_ text: Span<UInt8>) -> Double? {
        let count = text.count
        guard count > 0, count <= limit else { return nil }
        var at = 0
        let negative = text[0] == 0x2D
        if negative || text[0] == 0x2B { at = 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var scale = 0
        var point = false
        while at < count {
            let digit = text[at] &- 0x30
            if digit < 10 {
                if digits < 19 { mantissa = mantissa &* 10 &+ UInt64(digit) }
                digits &+= 1
                if point { scale &-= 1 }
            } else if text[at] == 0x2E, !point {
                point = true
            } else {
                break
            }
            at &+= 1
        }
        guard digits > 0 else { return nil }
        if at < count {
            guard let exponent = exponent(text, at) else { return nil }
            scale += exponent
        }
        if digits <= 19, mantissa <= 1 << 53, scale >= -22, scale <= 22 {
            let exact = Double(mantissa)
            let value = scale < 0 ? exact / powers[-scale] : exact * powers[scale]
            return negative ? -value : value
        }
        return slow(text)
    }

    /// Reads a number of the form `[-] digits . digits`, with one to seven digits on each side of the point, and moves
    /// after it; nil for any other form. If the text ends there, `parse` returns the same number.
    ///
    /// - Requires: at least 24 bytes after the place.
    @inline(__always)
    static func readShort(_ bytes: Span<UInt8>, _ place: inout Int) -> Double? {
        let isNegative = bytes[place] == 0x2D
        let first = place &+ (isNegative ? 1 : 0)
        let whole = ShortDigits(bytes, first)
        let point = first &+ whole.count
        guard 1...7 ~= whole.count, bytes[point] == 0x2E else { return nil }
        let fraction = ShortDigits(bytes, point &+ 1)
        let end = point &+ 1 &+ fraction.count
        guard 1...7 ~= fraction.count else { return nil }
        place = end
        // Up to 14 digits and the power of ten are exact, so the quotient is rounded once.
        let power = ShortDigits.powers[fraction.count]
        let value = Double(whole.number &* power &+ fraction.number) / Double(power)
        return isNegative ? -value : value
    }

    /// Returns the number of a text in an array; see `parse(_: Span)`.
    package static func parse(_ text: [UInt8]) -> Double? { parse(text.span) }

    /// Returns the exponent from `start` to the end of the text, clamped to a million.
    private static func exponent(_ text: Span<UInt8>, _ start: Int) -> Int? {
        guard text[start] | 0x20 == 0x65 else { return nil }
        var at = start + 1
        var negative = false
        if at < text.count, text[at] == 0x2B || text[at] == 0x2D {
            negative = text[at] == 0x2D
            at += 1
        }
        guard at < text.count else { return nil }
        var value = 0
        while at < text.count {
            let digit = text[at] &- 0x30
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int(digit), 1_000_000)
            at += 1
        }
        return negative ? -value : value
    }

    /// Parses with the standard library, which rounds correctly for any length.
    private static func slow(_ text: Span<UInt8>) -> Double? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Returns the canonical text of a finite number: the fewest digits that parse to the number, without an exponent;
    /// `-0` for negative zero. At most 328 bytes.
    package static func text(_ value: Double) -> String {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the canonical text of a number; see `text`. A number that is not finite is written as its name.
    package static func append(_ value: Double, to out: inout [UInt8]) {
        // The standard library returns the shortest digits, with an exponent outside of 1e-4..<2^53.
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        var rest = value.description.utf8[...]
        guard value.isFinite else { return out.append(contentsOf: rest) }
        if rest.first == 0x2D {
            out.append(0x2D)
            rest = rest.dropFirst()
        }
        while let byte = rest.first {
            rest = rest.dropFirst()
            if byte == 0x2E {
                point = digits.count
            } else if byte == 0x65 {
                exponent = Int(Substring(rest)) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        // The number is 0.DIGITS times ten to the power of `whole`.
        var whole = (point ?? digits.count) + exponent
        while digits.last == 0x30 { digits.removeLast() }
        let zeros = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(zeros)
        whole -= zeros
        if digits.isEmpty { return out.append(0x30) }
        if whole <= 0 {
            out.append(contentsOf: [0x30, 0x2E])
            out.append(contentsOf: repeatElement(0x30, count: -whole))
            out.append(contentsOf: digits)
        } else if whole >= digits.count {
            out.append(contentsOf: digits)
            out.append(contentsOf: repeatElement(0x30, count: whole - digits.count))
        } else {
            out.append(contentsOf: digits[..<whole])
            out.append(0x2E)
            out.append(contentsOf: digits[whole...])
        }
    }

    /// Returns whether `text` is the canonical text of `value`.
    ///
    /// Up to 15 significant digits need no formatting: no two such decimals share a double, so the shortest digits are
    /// the digits of the text, and only their arrangement is checked.
    /// - Requires: `value` was parsed from `text`.
    package static func isCanonical(_ text: Span<UInt8>, _ value: Double) -> Bool {
        var at = text.count > 0 && text[0] == 0x2D ? 1 : 0
        guard at < text.count else { return false }
        if text[at] == 0x30, at + 1 < text.count, text[at + 1] != 0x2E { return false }
        var significant = 0
        var point = -1
        while at < text.count {
            let digit = text[at] &- 0x30
            if digit < 10 {
                if significant > 0 || digit > 0 { significant += 1 }
            } else if text[at] == 0x2E, point < 0, at > 0, text[at - 1] &- 0x30 < 10 {
                point = at
            } else {
                return false
            }
            at += 1
        }
        if point >= 0, point == text.count - 1 || text[text.count - 1] == 0x30 { return false }
        if significant <= 15, text.count <= 40 { return true }
        var canonical: [UInt8] = []
        append(value, to: &canonical)
        guard canonical.count == text.count else { return false }
        for at in canonical.indices where canonical[at] != text[at] { return false }
        return true
    }

    /// Returns whether an array contains the canonical text of its number; see `isCanonical(_: Span, _:)`.
    package static func isCanonical(_ text: [UInt8], _ value: Double) -> Bool { isCanonical(text.span, value) }
}

/// The digits at a place, up to eight, read eight bytes at a time.
struct ShortDigits {
    /// The number of digits, 0 to 8.
    let count: Int
    /// Their number.
    let number: UInt64

    /// Powers of ten up to 10^8.
    static let powers: InlineArray<9, UInt64> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]

    /// - Requires: at least 8 bytes at the place.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ place: Int) {
        let word = Self.word(bytes, place)
        // A byte without a mark is 0x30...0x39: its high half is 3, and adding 6 does not carry into it.
        let halves = (word & 0xF0F0_F0F0_F0F0_F0F0) | ((word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0) &>> 4
        let marks = halves ^ 0x3333_3333_3333_3333
        count = marks.trailingZeroBitCount &>> 3
        // The digits move to the high end, so that the bytes below them count as leading zeros.
        var digits = count == 0 ? 0 : (word & 0x0F0F_0F0F_0F0F_0F0F) << UInt64(64 &- 8 &* count)
        digits = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits &* 100 &+ digits &>> 16) & 0x0000_FFFF_0000_FFFF
        number = (digits &* 10_000 &+ digits &>> 32) & 0xFFFF_FFFF
    }

    /// Returns eight bytes as a number, the first one lowest.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, _ place: Int) -> UInt64 {
        let eight = bytes.extracting(place..<place &+ 8)
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(eight[index]) &<< UInt64(8 &* index) }
        return word
    }
}
