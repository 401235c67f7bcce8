// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Testing

@Suite("T-9 untrusted text on a terminal")
struct TerminalTextTests {
    @Test(
        "Control sequences and invisible characters are escaped",
        arguments: [
            ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("\u{9B}2J", "\\u{9B}2J"), ("\u{7F}", "\\u{7F}"), ("\0", "\\u{0}"),
            ("one\ntwo\r\tthree", "one\\ntwo\\r\\tthree"), ("\u{202E}exe.txt", "\\u{202E}exe.txt"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
            ("a\u{200B}b\u{200C}c\u{200D}d", "a\\u{200B}b\\u{200C}c\\u{200D}d"),
            ("\u{2028}\u{2029}\u{85}", "\\u{2028}\\u{2029}\\u{85}"),
            ("\u{FEFF}\u{AD}\u{2060}", "\\u{FEFF}\\u{AD}\\u{2060}"),
            ("\u{61C}\u{3164}\u{E0041}", "\\u{61C}\\u{3164}\\u{E0041}"),
        ])
    func escapes(_ text: String, _ shown: String) {
        #expect(TerminalText.printable(text) == shown)
    }

    @Test(
        "Visible text is unchanged",
        arguments: [
            "", "Ann's Watch", "Ann\u{2019}s\u{A0}iPhone", "Größe 体重 ⁦".replacingOccurrences(of: "\u{2066}", with: ""),
            "👨‍👩‍👧 iPhone", "❤️ Rate", "🏳️‍🌈", "e\u{301}", "C:\\n",
        ])
    func stays(_ text: String) { #expect(TerminalText.printable(text) == text) }

    @Test("Line breaks of a tool's own output are kept")
    func lines() {
        #expect(TerminalText.printable("a\nb\u{9B}\n", keepingLines: true) == "a\nb\\u{9B}\n")
    }

    @Test("JSON keeps the text and has no hidden character, for every scalar")
    func json() throws {
        var text = "\"\\/👨‍👩‍👧"
        for value in [UInt32](0...0x3FF) + [UInt32](0x2000...0x20FF) + [0xFEFF, 0xE0041, 0x1D173, 0x10FFFF] {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        var bytes: [UInt8] = []
        TerminalText.appendJSON(text, to: &bytes)
        let read = try JSONSerialization.jsonObject(with: Data("[".utf8 + bytes + "]".utf8)) as? [String]
        #expect(read.map { Array($0[0].unicodeScalars) } == Array(text.unicodeScalars))
        #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.contains(where: TerminalText.isHidden))
        var plain: [UInt8] = []
        TerminalText.appendJSON("plain \"quoted\"", to: &plain)
        #expect(String(decoding: plain, as: UTF8.self) == "\"plain \\\"quoted\\\"\"")
    }
}
