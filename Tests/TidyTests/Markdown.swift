// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A Markdown page: links, headings and tables outside of code.
struct Markdown {
    struct Link {
        let target: String
        let line: Int
    }

    private(set) var links: [Link] = []
    /// Code spans that name a file of the repository.
    private(set) var mentions: [Link] = []
    /// The anchors of the headings, by GitHub's rules.
    private(set) var anchors: Set<String> = []
    private(set) var tables: [[[String]]] = []

    init(_ file: TextFile) {
        var inFence = false
        var table: [[String]] = []
        var repeats: [String: Int] = [:]
        for (i, line) in file.lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == ">" }
            if trimmed.hasPrefix("```") { inFence.toggle() }
            if inFence { continue }
            if trimmed.hasPrefix("|") {
                table.append(Markdown.cells(String(trimmed)))
            } else if !table.isEmpty {
                tables.append(table)
                table = []
            }
            if trimmed.hasPrefix("#") {
                let anchor = Markdown.anchor(of: String(trimmed.drop { $0 == "#" }))
                let seen = repeats[anchor, default: 0]
                repeats[anchor] = seen + 1
                anchors.insert(seen == 0 ? anchor : "\(anchor)-\(seen)")
            }
            readSpans(String(line), line: i + 1)
        }
        if !table.isEmpty { tables.append(table) }
    }

    /// Splits a line at its code spans, and reads links outside and file names inside of the spans.
    private mutating func readSpans(_ line: String, line number: Int) {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        for part in parts.enumerated() where part.offset % 2 == 1 && parts.count > part.offset + 1 {
            if let path = Markdown.path(String(part.element)) { mentions.append(Link(target: path, line: number)) }
        }
        // The text of a link may be a code span, so links are read from the line without the contents of its spans.
        let outside = parts.enumerated().map { $0.offset % 2 == 0 ? $0.element : "" }.joined(separator: "`")
        var rest = Substring(outside)
        while let open = rest.range(of: "](") {
            rest = rest[open.upperBound...]
            guard let close = rest.firstIndex(of: ")") else { return }
            let target = rest[..<close].split(separator: " ").first.map(String.init) ?? ""
            links.append(Link(target: target, line: number))
        }
    }

    private static let tops = ["Sources/", "Tests/", "Tools/", "Benchmarks/", "Docs/", ".ci/"]

    /// Returns the path of a code span that is a path from the root without placeholders, or nil.
    private static func path(_ span: String) -> String? {
        guard tops.contains(where: { span.hasPrefix($0) }) else { return nil }
        let plain = span.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._+-".contains($0)) }
        guard plain, !span.contains("..."), !span.contains("NNNN"), !span.contains("NAME") else { return nil }
        return span.hasSuffix("/") ? String(span.dropLast()) : span
    }

    /// Returns the anchor of a heading: lower case, without punctuation, with hyphens for spaces.
    static func anchor(of heading: String) -> String {
        let text = heading.trimmingCharacters(in: .whitespaces).lowercased()
        return String(text.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
    }

    static func cells(_ row: String) -> [String] {
        var inner = Substring(row.trimmingCharacters(in: .whitespaces)).dropFirst()
        if inner.hasSuffix("|") { inner = inner.dropLast() }
        return inner.split(separator: "|", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// Returns the names in backticks of a table cell.
    static func names(in cell: String) -> Set<String> {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return Set(parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
}

/// All pages of the repository, by path.
struct Pages {
    let pages: [String: Markdown]
    private let paths: Set<String>

    init(_ files: [TextFile], paths: Set<String>) {
        pages = Dictionary(uniqueKeysWithValues: files.filter { $0.kind == "md" }.map { ($0.path, Markdown($0)) })
        self.paths = paths
    }

    /// Returns the path from the root that a relative link of `page` points to; nil for an external link.
    static func resolve(_ target: String, from page: String) -> (path: String, anchor: String?)? {
        if target.contains("://") || target.hasPrefix("mailto:") { return nil }
        let halves = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var parts = page.split(separator: "/").dropLast().map(String.init)
        let anchor = halves.count > 1 ? String(halves[1]) : nil
        if halves[0].isEmpty { return (page, anchor) }
        for part in halves[0].split(separator: "/") where part != "." {
            if part == ".." {
                if parts.isEmpty { return ("..", anchor) }
                parts.removeLast()
            } else {
                parts.append(part.removingPercentEncoding ?? String(part))
            }
        }
        return (parts.joined(separator: "/"), anchor)
    }

    /// Finds links and file names in code spans that lead to no file, and anchors without a heading.
    func check() -> [Violation] {
        var found: [Violation] = []
        for (path, page) in pages {
            for link in page.links {
                guard let (target, anchor) = Pages.resolve(link.target, from: path) else { continue }
                if !paths.contains(target) {
                    found.append(
                        Violation(path: path, line: link.line, message: "link to \(link.target), which does not exist"))
                } else if let anchor, let other = pages[target], !other.anchors.contains(anchor) {
                    found.append(Violation(path: path, line: link.line, message: "\(target) has no heading #\(anchor)"))
                }
            }
            for mention in page.mentions where !paths.contains(mention.target) {
                found.append(
                    Violation(path: path, line: mention.line, message: "names \(mention.target), which does not exist"))
            }
        }
        return found.sorted()
    }

    /// Finds missing pages that comments in code and scripts name.
    func checkMentions(in files: [TextFile]) -> [Violation] {
        files.flatMap { file in
            file.bytes.offsets(of: "Docs/").compactMap { offset -> Violation? in
                let bytes = file.bytes[offset...].prefix { Scanner.isWordByte($0) || "./+-".utf8.contains($0) }
                let name = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: ["."])
                guard name.hasSuffix(".md"), !name.contains("NNNN"), !paths.contains(name) else { return nil }
                return Violation(
                    path: file.path, line: file.line(at: offset), message: "names \(name), which does not exist")
            }
        }
    }

    /// Finds pages under `Docs` that no chain of links from `start` reaches.
    func unreachable(from start: String) -> [Violation] {
        var reached: Set<String> = []
        var open = [start]
        while let path = open.popLast() {
            guard reached.insert(path).inserted, let page = pages[path] else { continue }
            for link in page.links {
                if let target = Pages.resolve(link.target, from: path)?.path, pages[target] != nil {
                    open.append(target)
                }
            }
        }
        return pages.keys.filter { $0.hasPrefix("Docs/") && !reached.contains($0) }.sorted().map {
            Violation(path: $0, line: 1, message: "no chain of links from \(start) reaches this page")
        }
    }
}
