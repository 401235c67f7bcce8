// SPDX-License-Identifier: Apache-2.0

/// Labels as one canonical text: a JSON object of strings without spaces, its keys ascending by their UTF-8 bytes, with
/// escapes only for the quote, the backslash and the control characters. Equal labels give equal text, so the text can
/// be part of a unique key, and SQLite's JSON functions can read it.
enum Labels {
    static func encode(_ labels: [String: String]) -> String {
        if labels.isEmpty { return "{}" }
        let sorted = labels.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        var text = ""
        for (key, value) in sorted {
            text += text.isEmpty ? "{" : ","
            append(key, to: &text)
            text += ":"
            append(value, to: &text)
        }
        return text + "}"
    }

    /// nil for anything that `encode` does not write.
    static func decode(_ text: String) -> [String: String]? {
        if text == "{}" { return [:] }
        var reader = Reader(bytes: Array(text.utf8))
        guard reader.take(UInt8(ascii: "{")) else { return nil }
        var labels: [String: String] = [:]
        repeat {
            guard let key = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.string(),
                labels.updateValue(value, forKey: key) == nil
            else { return nil }
        } while reader.take(UInt8(ascii: ","))
        guard reader.take(UInt8(ascii: "}")), reader.at == reader.bytes.count else { return nil }
        // Another order or other escapes are another text, and two texts of the same labels would be two series.
        return encode(labels).utf8.elementsEqual(text.utf8) ? labels : nil
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\0"..."\u{1f}", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        mutating func take(_ byte: UInt8) -> Bool {
            guard at < bytes.count, bytes[at] == byte else { return false }
            at += 1
            return true
        }

        mutating func string() -> String? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            var plain: [UInt8] = []
            while at < bytes.count {
                let byte = bytes[at]
                at += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: plain, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = escape() else { return nil }
                    plain.append(escaped)
                default: plain.append(byte)
                }
            }
            return nil
        }

        /// What follows a backslash; only ASCII is ever escaped.
        private mutating func escape() -> UInt8? {
            if take(UInt8(ascii: "\"")) { return UInt8(ascii: "\"") }
            if take(UInt8(ascii: "\\")) { return UInt8(ascii: "\\") }
            guard take(UInt8(ascii: "u")), bytes.count - at >= 4 else { return nil }
            let digits = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
            at += 4
            guard let code = UInt16(digits, radix: 16), code < 0x80 else { return nil }
            return UInt8(code)
        }
    }
}
