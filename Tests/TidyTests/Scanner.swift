// SPDX-License-Identifier: Apache-2.0

/// A word, a string literal or one mark of a Swift or C file. Comments and blanks are dropped.
struct Token {
    enum Kind { case word, string, mark }

    let kind: Kind
    /// The word or mark; empty for a string, whose contents are the bytes of `range`.
    let text: String
    let range: Range<Int>
    let line: Int
}

/// Splits Swift and C into tokens, so that rules do not mistake comments and strings for code.
///
/// The code in `\( )` of a string gives tokens before the string's own token.
struct Scanner {
    enum Language { case swift, c }

    private let bytes: [UInt8]
    private let language: Language
    private var at = 0
    private var line = 1
    private(set) var tokens: [Token] = []
    /// The preprocessor lines of a C file, with continuations joined.
    private(set) var directives: [(text: String, line: Int)] = []

    init(_ file: TextFile) {
        bytes = file.bytes
        language = file.kind == "swift" ? .swift : .c
        tokens.reserveCapacity(bytes.count / 5)
        code(untilParenthesis: false)
    }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while at < bytes.count {
            let b = bytes[at]
            switch b {
            case 0x0A: line += 1; at += 1
            case 0x20, 0x09, 0x0D: at += 1
            case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "*"): skipBlockComment()
            case UInt8(ascii: "/") where regexEnd() != nil: regex()
            case UInt8(ascii: "\""): string(hashes: 0)
            case UInt8(ascii: "'") where language == .c: character()
            case UInt8(ascii: "#"): hash()
            case UInt8(ascii: "`"): at += 1
            case let b where Scanner.isWordByte(b): word()
            default:
                if untilParenthesis {
                    if b == UInt8(ascii: "(") { depth += 1 }
                    if b == UInt8(ascii: ")") {
                        if depth == 0 { at += 1; return }
                        depth -= 1
                    }
                }
                add(.mark, String(UnicodeScalar(b)), at..<at + 1)
                at += 1
            }
        }
    }

    private mutating func add(_ kind: Token.Kind, _ text: String, _ range: Range<Int>) {
        tokens.append(Token(kind: kind, text: text, range: range, line: line))
    }

    private mutating func word() {
        let start = at
        while at < bytes.count, Scanner.isWordByte(bytes[at]) { at += 1 }
        add(.word, String(decoding: bytes[start..<at], as: UTF8.self), start..<at)
    }

    static func isWordByte(_ b: UInt8) -> Bool {
        b >= 0x61 && b <= 0x7A || b >= 0x41 && b <= 0x5A || b >= 0x30 && b <= 0x39 || b == 0x5F || b >= 0x80
    }

    private mutating func skipLine() {
        while at < bytes.count, bytes[at] != 0x0A { at += 1 }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            let pair = (byte(at), byte(at + 1))
            if pair == (0x2F, 0x2A), depth == 0 || language == .swift {
                depth += 1
                at += 2
            } else if pair == (0x2A, 0x2F) {
                depth -= 1
                at += 2
            } else {
                if byte(at) == 0x0A { line += 1 }
                at += 1
            }
        } while depth > 0 && at < bytes.count
    }

    /// Reads `#`: a raw string or a directive in Swift, a preprocessor line in C.
    private mutating func hash() {
        if language == .c {
            let start = at
            let first = line
            while at < bytes.count, bytes[at] != 0x0A || bytes[at - 1] == UInt8(ascii: "\\") {
                if bytes[at] == 0x0A { line += 1 }
                at += 1
            }
            directives.append((String(decoding: bytes[start..<at], as: UTF8.self), first))
            return
        }
        var hashes = 0
        while byte(at + hashes) == UInt8(ascii: "#") { hashes += 1 }
        if byte(at + hashes) == UInt8(ascii: "\"") {
            at += hashes
            string(hashes: hashes)
        } else {
            add(.mark, "#", at..<at + 1)
            at += 1
        }
    }

    private mutating func character() {
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "'"), bytes[at] != 0x0A {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        at += 1
    }

    private func closes(at offset: Int, quotes: Int, hashes: Int) -> Bool {
        for i in 0..<quotes where byte(offset + i) != UInt8(ascii: "\"") { return false }
        for i in 0..<hashes where byte(offset + quotes + i) != UInt8(ascii: "#") { return false }
        return true
    }

    private mutating func string(hashes: Int) {
        let quotes = language == .swift && closes(at: at, quotes: 3, hashes: 0) ? 3 : 1
        let first = line
        at += quotes
        let start = at
        while at < bytes.count, !closes(at: at, quotes: quotes, hashes: hashes) {
            let b = bytes[at]
            if b == 0x0A {
                if quotes == 1 { break }
                line += 1
            }
            guard b == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            at += 1
            var seen = 0
            while seen < hashes, byte(at) == UInt8(ascii: "#") { seen += 1; at += 1 }
            guard seen == hashes else { continue }
            if language == .swift, byte(at) == UInt8(ascii: "(") {
                at += 1
                code(untilParenthesis: true)
            } else if byte(at) != 0x0A {
                at += 1
            }
        }
        tokens.append(Token(kind: .string, text: "", range: start..<min(at, bytes.count), line: first))
        at += quotes + hashes
    }

    /// Returns the end of a regular expression between slashes, or nil if none begins here. It must follow a mark after
    /// which a value is expected, not begin with a blank, and end on the same line.
    private func regexEnd() -> Int? {
        guard language == .swift, byte(at + 1) != 0x20, byte(at + 1) != UInt8(ascii: "=") else { return nil }
        guard let last = tokens.last, last.kind == .mark, "(,=:[{!&|?;>".contains(last.text) else { return nil }
        var end = at + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "/") {
            if bytes[end] == 0x0A { return nil }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return end < bytes.count ? end : nil
    }

    private mutating func regex() {
        guard let end = regexEnd() else { return }
        add(.string, "", at + 1..<end)
        at = end + 1
    }
}
