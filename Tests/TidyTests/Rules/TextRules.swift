// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Text rules: line width, blanks, licence line, forbidden words.
enum TextRules {
    static let width = 120

    static func check(_ file: TextFile) -> [Violation] {
        layout(file) + licence(file) + words(file)
    }

    /// Finds lines over 120 characters, tabs, trailing blanks, and a missing or extra line break at the end of the
    /// file.
    ///
    /// In Markdown, table rows and lines with a link may be longer, since they cannot be broken.
    static func layout(_ file: TextFile) -> [Violation] {
        var found: [Violation] = []
        var line = 1
        var start = 0
        func report(_ message: String) { found.append(Violation(path: file.path, line: line, message: message)) }
        let bytes = file.bytes
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            // Counting bytes first is faster; only long lines are counted in characters.
            if end - start > width {
                let text = String(decoding: bytes[start..<end], as: UTF8.self)
                let unbreakable = text.hasPrefix("|") || text.contains("](") || text.contains("://")
                if text.count > width, !(file.kind == "md" && unbreakable) {
                    report("line of \(text.count) columns; the limit is \(width)")
                }
            }
            if end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x0D { report("blank at the end of the line") }
            if bytes[start..<end].contains(0x09) { report("tab; indent with four spaces") }
            start = end + 1
            line += 1
        }
        if let last = bytes.last, last != 0x0A { report("no line break at the end of the file") }
        if bytes.count > 1, bytes.suffix(2) == [0x0A, 0x0A] { report("empty line at the end of the file") }
        return found
    }

    /// Checks for the licence on the first line, or on the second after `#!` or the manifest's tools version.
    static func licence(_ file: TextFile) -> [Violation] {
        guard ["swift", "c", "h", "sh", "py"].contains(file.kind) else { return [] }
        var lines = file.lines.prefix(2)
        if let first = lines.first, first.hasPrefix("#!") || first.hasPrefix("// swift-tools-version") {
            lines = lines.dropFirst()
        }
        let mark = "SPDX-License-Identifier: Apache-2.0"
        if let first = lines.first, first.hasSuffix(mark), first.hasPrefix("//") || first.hasPrefix("#") { return [] }
        return [Violation(path: file.path, line: 1, message: "the first line must say \(mark)")]
    }

    /// The words contain a dot, so that this list does not find itself.
    private static func plain(_ dotted: String) -> String { dotted.replacingOccurrences(of: "·", with: "") }

    private static func capitalised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    static let markers = ["TO·DO", "FIX·ME", "X·XX", "HA·CK"].map(plain)
    static let machinePaths = ["/wo·rk/", "/t·mp/", "/op·t/swift", "/ro·ot/"].map(plain)
    static let processWords = [
        "sub·agent", "ai ag·ent", "language mo·del", "lL·M", "cla·ude", "chat·GPT", "cop·ilot", "before-st·op",
        "this ses·sion", "closing no·te", "design fol·der", "build con·tract", "the integ·rator", "other aut·hors",
        "sha·red/design", "sha·red/bench",
    ].map(plain)

    /// Finds leftover markers, paths of one machine, and words about how the project is made.
    static func words(_ file: TextFile) -> [Violation] {
        var found: [Violation] = []
        func search(_ words: [String], _ message: (String) -> String) {
            for word in words {
                for offset in file.bytes.offsets(of: word) {
                    found.append(Violation(path: file.path, line: file.line(at: offset), message: message(word)))
                }
            }
        }
        search(markers) { "leftover marker \($0); finish it or write it down in Docs/Features.md" }
        search(machinePaths) { "\($0) is a path of one machine; remove it" }
        search(processWords + processWords.map(capitalised)) {
            "'\($0)' is about how the project is made; write about the project"
        }
        return found
    }
}

extension [UInt8] {
    /// Returns the offsets of `word` as a whole word: no letter or digit before it, nor after it if the word ends in
    /// one.
    func offsets(of word: String) -> [Int] {
        guard let last = word.utf8.last else { return [] }
        var offsets: [Int] = []
        // The C library searches a whole file in the time that a debug build's loop needs for a line.
        let text = self + [0]
        unsafe text.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            var at = 0
            while at < count, let hit = unsafe strstr(base + at, word) {
                let offset = unsafe base.distance(to: UnsafePointer(hit))
                at = offset + 1
                let end = offset + word.utf8.count
                let continues = Scanner.isWordByte(last) && end < count && Scanner.isWordByte(self[end])
                if !continues, offset == 0 || !Scanner.isWordByte(self[offset - 1]) { offsets.append(offset) }
            }
        }
        return offsets
    }
}
