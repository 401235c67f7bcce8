// SPDX-License-Identifier: Apache-2.0

/// Finds the public names of a file: `Type.member` without labels, in the order of the file. An extension's members
/// have the name of the extended type.
struct PublicNames {
    private struct Scope {
        let type: String?
        /// Whether members are public without the word: the cases of an enumeration, the requirements of a protocol.
        let implies: Implied
    }

    private enum Implied { case nothing, cases, requirements }

    private static let types: Set<String> = ["class", "struct", "enum", "protocol", "extension", "actor"]
    private static let members: Set<String> = [
        "func", "var", "let", "init", "subscript", "typealias", "associatedtype",
    ]
    private static let access: Set<String> = ["public", "open"]
    private static let modifiers: Set<String> = [
        "static", "final", "convenience", "override", "mutating", "required", "nonisolated", "indirect", "weak",
        "private", "fileprivate", "package", "internal", "dynamic", "lazy", "unowned", "set", "(", ")", "public",
        "open",
        "unsafe",
    ]

    private let tokens: [Token]
    private var open: [Scope] = []
    private var pending: Scope?
    private var found: [String] = []

    static func of(_ tokens: [Token]) -> [String] {
        var names = PublicNames(tokens: tokens)
        names.read()
        return names.found
    }

    private init(tokens: [Token]) { self.tokens = tokens }

    private mutating func read() {
        for (at, token) in tokens.enumerated() where token.kind != .string {
            switch token.text {
            case "{":
                open.append(pending ?? Scope(type: nil, implies: .nothing))
                pending = nil
            case "}": _ = open.popLast()
            case let word where Self.types.contains(word): type(at)
            case let word where Self.members.contains(word): member(at)
            case "case" where open.last?.implies == .cases: cases(at)
            default: break
            }
        }
    }

    /// Whether a declaration at a keyword has a public access level.
    private func isPublic(_ keyword: Int) -> Bool {
        var at = keyword - 1
        while at >= 0, Self.modifiers.contains(tokens[at].text) || tokens[at].text == "class" {
            if Self.access.contains(tokens[at].text) { return true }
            at -= 1
        }
        return false
    }

    private mutating func type(_ at: Int) {
        // `class func`, `any protocol`, `.struct` and the like declare no type.
        guard at + 1 < tokens.count, tokens[at + 1].kind == .word, !Self.members.contains(tokens[at + 1].text),
            !Self.modifiers.contains(tokens[at + 1].text), at == 0 || ![".", ":"].contains(tokens[at - 1].text)
        else { return }
        var name = tokens[at + 1].text
        var next = at + 2
        while next + 1 < tokens.count, tokens[next].text == ".", tokens[next + 1].kind == .word {
            name += "." + tokens[next + 1].text
            next += 2
        }
        let isVisible = isPublic(at)
        if isVisible, tokens[at].text != "extension" { add(name) }
        let implied: Implied =
            switch tokens[at].text {
            case "enum" where isVisible: .cases
            case "protocol" where isVisible: .requirements
            default: .nothing
            }
        pending = Scope(type: name, implies: implied)
    }

    private mutating func member(_ at: Int) {
        guard isPublic(at) || open.last?.implies == .requirements else { return }
        guard at == 0 || tokens[at - 1].text != "." else { return }
        switch tokens[at].text {
        case "init", "subscript": add(tokens[at].text)
        default: if at + 1 < tokens.count, tokens[at + 1].kind == .word { add(tokens[at + 1].text) }
        }
    }

    private mutating func cases(_ keyword: Int) {
        var at = keyword + 1
        while at < tokens.count, tokens[at].kind == .word {
            add(tokens[at].text)
            at += 1
            if at < tokens.count, tokens[at].text == "(" { at = end(of: at) }
            if at < tokens.count, tokens[at].text == "=" {
                at += 1
                while at < tokens.count, tokens[at].text != ",", tokens[at].line == tokens[keyword].line { at += 1 }
            }
            guard at < tokens.count, tokens[at].text == "," else { return }
            at += 1
        }
    }

    private func end(of parenthesis: Int) -> Int {
        var depth = 0
        for at in parenthesis..<tokens.count {
            if tokens[at].text == "(" { depth += 1 }
            if tokens[at].text == ")" { depth -= 1 }
            if depth == 0 { return at + 1 }
        }
        return tokens.count
    }

    private mutating func add(_ name: String) {
        found.append((open.compactMap(\.type) + [name]).joined(separator: "."))
    }
}
