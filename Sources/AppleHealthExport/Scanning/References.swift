// SPDX-License-Identifier: Apache-2.0

/// The references of XML: `&lt;` and the four other named ones, `&#183;` and `&#xB7;`. No other entity is supported.
enum References {
    /// The counts of irregular references.
    struct Found: Equatable {
        /// An `&` without a known reference, which is kept.
        var unknown = 0
        /// A reference to a character that XML forbids, which becomes a space.
        var illegal = 0
        /// A value with an unescaped `<`, which is kept.
        var markup = 0
    }

    /// Counts the irregularities that `resolve` would repair or keep.
    static func check(_ bytes: Span<UInt8>, _ range: Range<Int>, _ found: inout Found) {
        if ScanBytes.find(0x3C, in: bytes, range.lowerBound, range.upperBound) < range.upperBound { found.markup += 1 }
        for at in range {
            guard bytes[at] == 0x26 else { continue }
            guard let reference = decode(bytes, at, range.upperBound) else {
                found.unknown += 1
                continue
            }
            if reference.illegal { found.illegal += 1 }
        }
    }

    /// Resolves all references of a range in place; the result is never longer and has the same start.
    static func resolve(_ buffer: inout [UInt8], _ range: Range<Int>, _ found: inout Found) -> Range<Int> {
        let end = range.upperBound
        if ScanBytes.find(0x3C, in: buffer.span, range.lowerBound, end) < end { found.markup += 1 }
        var from = ScanBytes.find(0x26, in: buffer.span, range.lowerBound, end)
        var to = from
        while from < end {
            // This byte is an `&`.
            if let reference = decode(buffer.span, from, end) {
                for byte in reference.scalar.utf8 {
                    buffer[to] = byte
                    to += 1
                }
                from += reference.length
                if reference.illegal { found.illegal += 1 }
            } else {
                found.unknown += 1
                buffer[to] = 0x26
                to += 1
                from += 1
            }
            let next = ScanBytes.find(0x26, in: buffer.span, from, end)
            ScanBytes.move(&buffer, from..<next, to: to)
            to += next - from
            from = next
        }
        return range.lowerBound..<to
    }

    /// Returns the character of the reference at an `&`, and its length; nil for an unknown reference.
    private static func decode(
        _ bytes: Span<UInt8>, _ at: Int, _ end: Int
    ) -> (scalar: Unicode.Scalar, length: Int, illegal: Bool)? {
        guard at + 3 < end else { return nil }
        if bytes[at + 1] == 0x23 { return number(bytes, at, end) }
        switch bytes[at + 1] {
        case 0x6C where ScanBytes.matches(bytes, at, end, "&lt;"): return ("<", 4, false)
        case 0x67 where ScanBytes.matches(bytes, at, end, "&gt;"): return (">", 4, false)
        case 0x61 where ScanBytes.matches(bytes, at, end, "&amp;"): return ("&", 5, false)
        case 0x61 where ScanBytes.matches(bytes, at, end, "&apos;"): return ("'", 6, false)
        case 0x71 where ScanBytes.matches(bytes, at, end, "&quot;"): return ("\"", 6, false)
        default: return nil
        }
    }

    /// Decodes `&#183;` or `&#xB7;`, with at most 8 digits.
    private static func number(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int
    ) -> (scalar: Unicode.Scalar, length: Int, illegal: Bool)? {
        let hexadecimal = bytes[start + 2] == 0x78
        var at = start + (hexadecimal ? 3 : 2)
        let first = at
        var value: UInt32 = 0
        while at < end, at - first < 8 {
            let byte = bytes[at]
            var digit = UInt32(byte &- 0x30)
            if digit > 9 {
                guard hexadecimal, (byte | 0x20) &- 0x61 < 6 else { break }
                digit = UInt32((byte | 0x20) &- 0x61) + 10
            }
            // Eight digits fit: at most 0xFFFFFFFF or 99999999.
            value = value * (hexadecimal ? 16 : 10) + digit
            at += 1
        }
        guard at > first, at < end, bytes[at] == 0x3B else { return nil }
        let length = at + 1 - start
        guard let scalar = Unicode.Scalar(value), value >= 0x20 || value == 0x09 || value == 0x0A || value == 0x0D
        else {
            return (" ", length, true)
        }
        return (scalar, length, false)
    }

    /// Returns the text of a range with resolved references.
    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for at in range { copy.append(bytes[at]) }
        var found = Found()
        let resolved = resolve(&copy, 0..<copy.count, &found)
        return String(decoding: copy[resolved], as: UTF8.self)
    }
}
