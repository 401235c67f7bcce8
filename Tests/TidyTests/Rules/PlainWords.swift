// SPDX-License-Identifier: Apache-2.0

/// The worst patterns of hard English: pronouns and relative clauses in place of nouns, and metaphors of speech.
enum PlainWords {
    /// A pattern, and the advice for it. A dot keeps this list from finding itself.
    static let patterns: [(words: String, advice: String)] = [
        ("to·ld", "report, return, notify"), ("tel·ls", "reports, returns, shows"),
        ("who·ever", "the caller, the reader"),
        ("tho·se that", "name the things"), ("tho·se who", "name the callers"), ("o·ne that", "name the thing"),
        ("o·ne who", "name the caller"), ("the o·nes", "name the things"), ("wh·at was", "name the thing"),
        ("wh·at were", "name the things"), ("be i·t", "whether"), ("no·body", "no caller, no process"),
        ("some·body", "a caller, a process"), ("any·body", "a caller, a process"), ("is no·ne any more", "is not"),
        ("of i·t.", "repeat the noun"), ("of i·t;", "repeat the noun"), ("of i·t:", "repeat the noun"),
    ].map { ($0.0.filter { $0 != "·" }, $0.1) }

    /// Lines that may hold a pattern, by a part of the line, with the reason. Parts in code spans do not count.
    static let exceptions: [(part: String, reason: String)] = [
        ("## What was decided", "the heading of a decision"),
        ("**What was tried.**", "the heading of a paragraph"),
        ("held by nobody", "the name of a row in benchmark reports"),
    ]

    /// Finds the patterns in comments and pages.
    static func check(_ file: TextFile) -> [Violation] {
        guard ["swift", "c", "h", "md"].contains(file.kind) else { return [] }
        var isCode = false
        return file.lines.enumerated().flatMap { number, line -> [Violation] in
            if file.kind == "md", line.hasPrefix("```") { isCode.toggle() }
            if isCode || exceptions.contains(where: { line.contains($0.part) }) { return [] }
            let text = file.kind == "md" ? outsideCode(line) : comment(line)
            return found(in: text).map { words, advice in
                Violation(path: file.path, line: number + 1, message: "'\(words)' is hard to read; say: \(advice)")
            }
        }
    }

    /// Finds the patterns in string literals, which are messages of libraries and tools.
    static func check(_ file: TextFile, messages tokens: [Token]) -> [Violation] {
        tokens.filter { $0.kind == .string }.flatMap { token -> [Violation] in
            let text = String(decoding: file.bytes[token.range], as: UTF8.self)
            if exceptions.contains(where: { text.contains($0.part) }) { return [] }
            return found(in: text[...]).map { words, advice in
                Violation(path: file.path, line: token.line, message: "'\(words)' is hard to read; say: \(advice)")
            }
        }
    }

    /// The comment of a line of code; empty without one.
    private static func comment(_ line: Substring) -> Substring {
        guard let start = line.firstRange(of: "//")?.lowerBound else { return "" }
        return outsideCode(line[start...])
    }

    /// A line of a page without its code spans.
    private static func outsideCode(_ line: Substring) -> Substring {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
            .map(\.element).joined(separator: " ")[...]
    }

    private static func found(in text: Substring) -> [(words: String, advice: String)] {
        if text.isEmpty { return [] }
        let bytes = Array(text.lowercased().utf8)
        return patterns.filter { !bytes.offsets(of: $0.words).isEmpty }
    }
}
