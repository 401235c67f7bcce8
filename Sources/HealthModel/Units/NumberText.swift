// SPDX-License-Identifier: Apache-2.0

/// The text of numbers in unit strings and descriptions.
package enum NumberText {
    /// Returns the shortest decimal that parses to the same number, without a trailing `.0`.
    package static func shortest(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns the same with at most sixteen significant digits, as exports write molar masses: `180.1558800000541` for
    /// the glucose constant 180.15588000005408. Halves round up. The function is idempotent: its result, parsed, has
    /// the same text.
    static func sixteenDigits(_ value: Double) -> String {
        let text = shortest(value)
        guard value.isFinite, significantDigits(text) > 16 else { return text }
        let (digits, exponent) = scientific(text)
        var rounded = Array(digits.prefix(16))
        if digits[16] >= 5 {
            var at = 15
            while at >= 0, rounded[at] == 9 {
                rounded[at] = 0
                at -= 1
            }
            if at >= 0 { rounded[at] += 1 } else { rounded.insert(1, at: 0) }
        }
        let carried = rounded.count - 16
        let body = rounded.map(String.init).joined()
        let sign = value < 0 ? "-" : ""
        let near = Double("\(sign)\(body)e\(exponent + carried - (rounded.count - 1))")
        // The largest numbers would round to infinity; they keep seventeen digits.
        guard let near, near.isFinite else { return text }
        return shortest(near)
    }

    private static func significantDigits(_ text: String) -> Int { scientific(text).digits.count }

    /// Returns the digits of a decimal without leading zeros, and the power of ten of the first digit.
    private static func scientific(_ text: String) -> (digits: [Int], exponent: Int) {
        var digits: [Int] = []
        var exponent = 0
        var point = false
        var written = 0
        var bytes = Substring(text).utf8
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "."): point = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                written = Int(String(Substring(bytes))) ?? 0
                bytes = "".utf8[...]
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = Int(byte) - 0x30
                if digits.isEmpty, digit == 0 {
                    if point { exponent -= 1 }
                    continue
                }
                if digits.isEmpty { exponent -= point ? 1 : 0 } else if !point { exponent += 1 }
                digits.append(digit)
            default: break
            }
        }
        return (digits, exponent + written)
    }
}
