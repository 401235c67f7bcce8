// SPDX-License-Identifier: Apache-2.0

/// Escaping of untrusted text for a terminal: names, units, paths and messages may come from anyone.
///
/// All tools use these functions. They escape characters that a terminal would execute or a person could not see:
/// control characters, line and paragraph separators, bidirectional controls, zero-width and filler characters.
package enum TerminalText {
    /// Returns the text with each hidden character escaped as `\n`, `\r`, `\t` or `\u{9B}`.
    ///
    /// A zero-width joiner between two emoji stays, because it is displayed as one emoji.
    /// - Parameter keepingLines: whether line feeds stay, for text whose lines the tool itself formatted.
    /// - Complexity: O(length); a text without hidden characters is returned unchanged.
    package static func printable(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        for (at, scalar) in scalars.enumerated() {
            let stays = scalar == "\n" ? keepingLines : !isHidden(scalar) || joinsEmoji(scalars, at)
            if stays { result.append(scalar) } else { result.append(contentsOf: escape(scalar).unicodeScalars) }
        }
        return String(result)
    }

    /// Appends a text as a quoted JSON string. Hidden characters are escaped: the JSON denotes the same text, and a
    /// terminal executes nothing.
    package static func appendJSON(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        for byte in text.utf8 {
            if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.removeLast(bytes.count - start)
                for scalar in text.unicodeScalars { appendJSON(scalar, to: &bytes) }
                break
            }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a terminal would execute a character, or a person would not see it.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: return true
        case ..<0xAD: return false
        // Variation selectors choose between two forms of a visible character.
        case 0xFE00...0xFE0F, 0xE0100...0xE01EF: return false
        // Visible signs of numbers and verses.
        case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether the character joins two emoji.
    private static func joinsEmoji(_ scalars: [Unicode.Scalar], _ at: Int) -> Bool {
        guard scalars[at].value == 0x200D, at > 0, at + 1 < scalars.count else { return false }
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value > 0x7F && (scalar.properties.isEmoji || scalar.value == 0xFE0F)
        }
        return isPart(scalars[at - 1]) && isPart(scalars[at + 1])
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }

    private static func appendJSON(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
        case "\n", "\r", "\t": bytes += Array(escape(scalar).utf8)
        case _ where isHidden(scalar):
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                bytes += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            }
        default: bytes += Array(String(scalar).utf8)
        }
    }
}
