// SPDX-License-Identifier: Apache-2.0

/// A public function, initialiser or subscript that takes arguments.
struct PublicFunction: Hashable {
    /// `Type.name(label:_:)`; the name of an initialiser is `init`.
    let name: String
    let path: String
    let line: Int
}

/// Finds the public functions of a file that take arguments.
///
/// Operators and the methods of every class of values (`hash(into:)`, `isEqual(_:)`, `copy(with:)`, `encode(with:)`)
/// are left out, since they accept any value of their type.
enum PublicFunctions {
    private static let plain: Set<String> = ["hash(into:)", "isEqual(_:)", "copy(with:)", "encode(with:)"]
    private static let kinds: Set<String> = ["extension", "class", "struct", "enum", "actor", "protocol"]
    private static let modifiers: Set<String> = [
        "static", "final", "convenience", "override", "mutating", "class", "required", "nonisolated",
    ]

    static func of(_ path: String, _ tokens: [Token]) -> [PublicFunction] {
        var found: [PublicFunction] = []
        var open: [String?] = []
        var pending: String?
        for at in tokens.indices {
            let token = tokens[at]
            switch token.text {
            case "{" where token.kind == .mark:
                open.append(pending)
                pending = nil
            case "}" where token.kind == .mark: _ = open.popLast()
            case _ where token.kind == .word && kinds.contains(token.text):
                if let name = typeName(tokens, after: at) { pending = name }
            case "public", "open":
                let type = open.compactMap(\.self).joined(separator: ".")
                if let name = function(tokens, after: at) {
                    found.append(
                        PublicFunction(name: type.isEmpty ? name : type + "." + name, path: path, line: token.line))
                }
            default: break
            }
        }
        return found
    }

    private static func typeName(_ tokens: [Token], after at: Int) -> String? {
        guard at + 1 < tokens.count, tokens[at + 1].kind == .word, !modifiers.contains(tokens[at + 1].text),
            !["func", "var", "let", "subscript", "init"].contains(tokens[at + 1].text)
        else { return nil }
        // A class requirement, as in `protocol P: class`, has no name after it.
        var name = tokens[at + 1].text
        var next = at + 2
        while next + 1 < tokens.count, tokens[next].text == ".", tokens[next + 1].kind == .word {
            name += "." + tokens[next + 1].text
            next += 2
        }
        return name
    }

    /// Returns the name and labels of the function after an access level, or nil if it is not a function with
    /// arguments.
    private static func function(_ tokens: [Token], after level: Int) -> String? {
        var at = level + 1
        while at < tokens.count, modifiers.contains(tokens[at].text) { at += 1 }
        guard at < tokens.count, ["func", "init", "subscript"].contains(tokens[at].text) else { return nil }
        var name = tokens[at].text
        at += 1
        if name == "func" {
            guard at < tokens.count, tokens[at].kind == .word else { return nil }
            name = tokens[at].text
            at += 1
        }
        while at < tokens.count, tokens[at].text != "(" { at += 1 }
        let labels = labels(tokens, open: at)
        let full = "\(name)(\(labels.map { $0 + ":" }.joined()))"
        return labels.isEmpty || plain.contains(full) ? nil : full
    }

    private static func labels(_ tokens: [Token], open: Int) -> [String] {
        var labels: [String] = []
        var depth = 0
        for at in open..<tokens.count {
            switch tokens[at].text {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}": depth -= 1
            // The `>` of `->` closes no bracket.
            case ">" where at > 0 && tokens[at - 1].text != "-": depth -= 1
            default: break
            }
            if depth == 0 { break }
            let begins = depth == 1 && (at == open || tokens[at].text == ",")
            if begins, at + 1 < tokens.count, tokens[at + 1].kind == .word { labels.append(tokens[at + 1].text) }
        }
        return labels
    }
}
