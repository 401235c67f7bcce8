// SPDX-License-Identifier: Apache-2.0

/// The canonical text of labels: a JSON object of strings without spaces, keys ascending by their UTF-8 bytes, with
/// escapes only for the quote, the backslash and control characters. Equal labels have equal text, so the text can be
/// part of a unique key; SQLite's JSON functions can parse it.
package enum Labels {
    package static func encode(_ labels: [String: String]) -> String {
        encode(labels.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    }

    private static func encode(_ sorted: [(key: String, value: String)]) -> String {
        if sorted.isEmpty { return "{}" }
        var text = ""
        for (key, value) in sorted {
            text += text.isEmpty ? "{" : ","
            append(key, to: &text)
            text += ":"
            append(value, to: &text)
        }
        return text + "}"
    }

    /// Returns a text of labels for comparison: equal labels yield equal texts, regardless of Unicode composition.
    /// `encode` sorts keys by their bytes, and equal keys can have different bytes.
    package static func comparable(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        guard let labels = decode(text) else { return text }
        return encode(labels.sorted { $0.key < $1.key })
    }

    /// Whether `encode` writes exactly these bytes.
    static func isCanonical(_ bytes: Span<UInt8>) -> Bool {
        if let simple = isSimple(bytes) { return simple }
        return decode(String(copying: bytes)) != nil
    }

    /// Whether a text is canonical, if that can be decided without decoding; nil if the text has a backslash or a byte
    /// outside printable ASCII.
    private static func isSimple(_ bytes: Span<UInt8>) -> Bool? {
        if bytes.count == 2, bytes[0] == UInt8(ascii: "{"), bytes[1] == UInt8(ascii: "}") { return true }
        for i in bytes.indices where !(32..<127).contains(bytes[i]) || bytes[i] == UInt8(ascii: "\\") { return nil }
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "{"), bytes[bytes.count - 1] == UInt8(ascii: "}") else {
            return false
        }
        var at = 0
        var last: Range<Int>?
        repeat {
            at += 1
            guard let key = string(bytes, &at), at < bytes.count, bytes[at] == UInt8(ascii: ":") else { return false }
            at += 1
            guard string(bytes, &at) != nil else { return false }
            if let last, !isAscending(bytes, last, key) { return false }
            last = key
        } while at < bytes.count && bytes[at] == UInt8(ascii: ",")
        return at == bytes.count - 1
    }

    /// Returns the range of the quoted string at `at`, without its quotes, and moves `at` after the closing quote.
    private static func string(_ bytes: Span<UInt8>, _ at: inout Int) -> Range<Int>? {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return nil }
        let first = at + 1
        var end = first
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += 1 }
        if end == bytes.count { return nil }
        at = end + 1
        return first..<end
    }

    private static func isAscending(_ bytes: Span<UInt8>, _ a: Range<Int>, _ b: Range<Int>) -> Bool {
        for i in 0..<min(a.count, b.count) {
            let (x, y) = (bytes[a.lowerBound + i], bytes[b.lowerBound + i])
            if x != y { return x < y }
        }
        return a.count < b.count
    }

    /// Decodes a canonical text; nil for any other text.
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
        // A different order or different escapes give a different text, which would be a second series of the same
        // labels.
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

        /// Decodes the characters after a backslash; only ASCII is ever escaped.
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

extension String {
    /// Creates a string from bytes; replaces bytes that are not UTF-8.
    init(copying bytes: Span<UInt8>) {
        if let valid = try? UTF8Span(validating: bytes) {
            self.init(copying: valid)
        } else {
            var copy = [UInt8]()
            copy.append(copying: bytes)
            self.init(decoding: copy, as: UTF8.self)
        }
    }
}

extension [UInt8] {
    mutating func append(copying bytes: Span<UInt8>) {
        append(addingCapacity: bytes.count) { output in
            for i in bytes.indices { output.append(bytes[i]) }
        }
    }
}
