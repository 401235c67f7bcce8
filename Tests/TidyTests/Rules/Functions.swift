// SPDX-License-Identifier: Apache-2.0

/// A function, initialiser, accessor or C function, and its number of lines from its first word to its closing brace.
struct Function: Equatable {
    let name: String
    let line: Int
    let length: Int
}

enum Functions {
    static func of(_ tokens: [Token], swift: Bool) -> [Function] {
        swift ? swiftFunctions(tokens) : cFunctions(tokens)
    }

    private static let makers: Set<String> = ["func", "init", "deinit", "subscript", "var"]
    /// First words of declarations and statements. Such a word before a brace means that there is no body, as with a
    /// protocol's requirement.
    private static let starts: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "enum", "class", "actor", "protocol",
        "extension", "typealias", "associatedtype", "static", "public", "package", "internal", "private", "fileprivate",
        "mutating", "nonmutating", "override", "final", "import", "return", "if", "for", "while", "guard", "switch",
    ]

    private static func swiftFunctions(_ tokens: [Token]) -> [Function] {
        var found: [Function] = []
        for i in tokens.indices where tokens[i].kind == .word && makers.contains(tokens[i].text) {
            if i > 0, tokens[i - 1].text == "." { continue }
            guard let open = bodyStart(tokens, after: i), let end = closing(tokens, of: open) else { continue }
            let word = tokens[i].text
            let named = (word == "func" || word == "var") && i + 1 < tokens.count
            found.append(
                Function(
                    name: named ? tokens[i + 1].text : word, line: tokens[i].line,
                    length: tokens[end].line - tokens[i].line + 1))
        }
        return found
    }

    /// Returns the index of the brace that opens the body of the declaration at `i`, or nil without a body.
    static func bodyStart(_ tokens: [Token], after i: Int) -> Int? {
        let isVariable = tokens[i].text == "var"
        var at = i + 1
        // The name may be one of the words, as in `subscript` or a function called `case`.
        if tokens[i].text == "func" || isVariable { at += 1 }
        while at < tokens.count {
            let text = tokens[at].text
            switch text {
            case "{": return at
            case "(", "[":
                guard let end = closing(tokens, of: at) else { return nil }
                at = end
            case "}", ")", "]", ";": return nil
            case "=" where isVariable: return nil
            default:
                if tokens[at].kind == .word, starts.contains(text) { return nil }
                // A stored property ends at the end of its line.
                if isVariable, tokens[at].line > tokens[i].line { return nil }
            }
            at += 1
        }
        return nil
    }

    private static func cFunctions(_ tokens: [Token]) -> [Function] {
        var found: [Function] = []
        var start = 0
        var at = 0
        while at < tokens.count {
            defer { at += 1 }
            switch tokens[at].text {
            case ";", "}": start = at + 1
            // `extern "C" {` opens no scope.
            case "{" where at > 0 && tokens[at - 1].kind == .string: start = at + 1
            case "{":
                guard let end = closing(tokens, of: at) else { return found }
                let parenthesis = tokens[start..<at].firstIndex { $0.text == "(" }
                if at > 0, tokens[at - 1].text == ")", let parenthesis, parenthesis > start {
                    let length = tokens[end].line - tokens[start].line + 1
                    found.append(Function(name: tokens[parenthesis - 1].text, line: tokens[start].line, length: length))
                }
                at = end
                start = end + 1
            default: break
            }
        }
        return found
    }

    /// Returns the index of the bracket that closes the one at `open`.
    static func closing(_ tokens: [Token], of open: Int) -> Int? {
        var depth = 0
        for i in open..<tokens.count where tokens[i].kind == .mark {
            switch tokens[i].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return i }
            default: break
            }
        }
        return nil
    }
}
