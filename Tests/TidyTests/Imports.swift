// SPDX-License-Identifier: Apache-2.0

/// One `import` of a Swift file.
struct Import: Equatable {
    let module: String
    /// The name of a single imported declaration, as in `import struct Foundation.Date`.
    var symbol: String?
    let line: Int
}

enum Imports {
    private static let modifiers: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]

    /// Returns every imported module, with any modifier before the word: access, `@testable`, `@preconcurrency`.
    static func of(_ tokens: [Token]) -> [Import] {
        var found: [Import] = []
        for (i, token) in tokens.enumerated() where token.kind == .word && token.text == "import" {
            var before = i - 1
            while before >= 0, tokens[before].line == token.line, isModifier(tokens, before) { before -= 1 }
            let startsLine = before < 0 || tokens[before].line != token.line || tokens[before].text == ";"
            var next = i + 1
            if next + 1 < tokens.count, kinds.contains(tokens[next].text), tokens[next + 1].kind == .word { next += 1 }
            guard startsLine, next < tokens.count, tokens[next].kind == .word else { continue }
            let scoped = next > i + 1 && next + 2 < tokens.count && tokens[next + 1].text == "."
            let symbol = scoped ? tokens[next + 2].text : nil
            found.append(Import(module: tokens[next].text, symbol: symbol, line: token.line))
        }
        return found
    }

    /// Whether the token is an access modifier or an attribute such as `@testable` or `@_spi(Name)`, read backward.
    private static func isModifier(_ tokens: [Token], _ i: Int) -> Bool {
        if modifiers.contains(tokens[i].text) || ["@", "(", ")"].contains(tokens[i].text) { return true }
        return tokens[i].kind == .word && i > 0 && ["@", "("].contains(tokens[i - 1].text)
    }

    /// Finds imports of a Swift file that the table does not allow for `room`.
    static func check(_ file: TextFile, _ tokens: [Token], in room: Room) -> [Violation] {
        let allowed = room.imports.union(House.expanded(room.system)).union(House.standard)
        return of(tokens).compactMap { found in
            allowed.contains(found.module) || allowed.contains(found.module + "." + (found.symbol ?? "*"))
                ? nil
                : Violation(
                    path: file.path, line: found.line,
                    message:
                        "\(room.name) may not import \(found.module); see the table in Docs/Internals/Architecture.md")
        }
    }

    /// Finds includes that a C room may not have: headers of other rooms, and system headers that it is not granted.
    static func checkIncludes(_ file: TextFile, _ scanner: Scanner, in room: Room, siblings: Set<String>) -> [Violation]
    {
        let grant = House.headers[room.name] ?? []
        return scanner.directives.compactMap { directive in
            let text = directive.text.dropFirst().drop { $0 == " " }
            guard text.hasPrefix("include") else { return nil }
            guard let open = text.firstIndex(where: { $0 == "\"" || $0 == "<" }) else { return nil }
            let header = String(text[text.index(after: open)...].prefix { $0 != "\"" && $0 != ">" })
            let base = header.split(separator: "/").last.map(String.init) ?? header
            if siblings.contains(base) || House.pureHeaders.contains(header) || grant.contains(header) { return nil }
            if room.imports.contains(where: { base == $0 + ".h" }) { return nil }
            let foreign = House.rooms.contains { base == $0.name + ".h" }
            if grant.contains("*"), !foreign { return nil }
            return Violation(
                path: file.path, line: directive.line,
                message:
                    "\(room.name) may not include \(header), only headers of its imports and a few system headers")
        }
    }
}
