// SPDX-License-Identifier: Apache-2.0

/// The parameters of a Swift function or initialiser.
struct ParameterList {
    /// The function's name; `init` for an initialiser.
    let function: String
    let line: Int
    /// The names of the parameters in the function's body.
    let names: [String]
    /// Whether the last parameter is a closure.
    let endsInClosure: Bool
    /// The tokens of the body; empty without a body.
    let body: ArraySlice<Token>

    /// Whether each parameter is stored in, or passed on as, the property or argument of its name.
    var keepsAll: Bool {
        let words = body.map(\.text)
        return names.allSatisfy { name in
            words.indices.dropLast(3).contains { i in
                words[i...].starts(with: [".", name, "=", name]) && words[i - 1] == "self"
                    || words[i...].starts(with: [name, ":", name]) && [",", ")"].contains(words[i + 3])
            }
        }
    }
}

/// The limit of parameters. A call with many arguments is hard to read, and equal types are easy to confuse.
enum Parameters {
    static let limit = 6

    /// Files of initialisers whose labels are HealthKit's.
    static let given: Set<String> = [
        "Sources/HealthModel/Workouts/HKWorkout+Init.swift", "Sources/HealthModel/Vision/HKVisionPrescription.swift",
    ]

    /// Finds functions with more than six parameters, besides a trailing closure.
    ///
    /// An initialiser that keeps each parameter under its name may have more: the parameters are the type's fields.
    static func check(_ file: TextFile, _ tokens: [Token]) -> [Violation] {
        if given.contains(file.path) { return [] }
        return lists(tokens).compactMap { list in
            let count = list.names.count - (list.endsInClosure ? 1 : 0)
            if count <= limit || list.function == "init" && list.keepsAll { return nil }
            // The parameters are those of the C header.
            if file.path.hasPrefix("Sources/KymographC/"), list.function.hasPrefix("kymo_") { return nil }
            return Violation(
                path: file.path, line: list.line,
                message: "\(list.function) has \(count) parameters; the limit is \(limit), so give some of them a type")
        }
    }

    static func lists(_ tokens: [Token]) -> [ParameterList] {
        tokens.indices.compactMap { i in
            let word = tokens[i]
            guard word.kind == .word, ["func", "init"].contains(word.text), i > 0 ? tokens[i - 1].text != "." : true,
                let open = tokens[i...].firstIndex(where: { $0.text == "(" }),
                let close = Functions.closing(tokens, of: open)
            else { return nil }
            let parts = parts(tokens[(open + 1)..<close])
            let start = Functions.bodyStart(tokens, after: i)
            let end = start.flatMap { Functions.closing(tokens, of: $0) }
            return ParameterList(
                function: word.text == "func" ? tokens[i + 1].text : word.text, line: word.line,
                names: parts.compactMap(name), endsInClosure: parts.last.map(isClosure) ?? false,
                body: start.flatMap { start in end.map { tokens[start...$0] } } ?? [])
        }
    }

    /// Splits the tokens between two parentheses at the commas that are in no further bracket.
    private static func parts(_ tokens: ArraySlice<Token>) -> [ArraySlice<Token>] {
        var found: [ArraySlice<Token>] = []
        var (start, depth) = (tokens.startIndex, 0)
        for i in tokens.indices where tokens[i].kind == .mark {
            switch tokens[i].text {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}": depth -= 1
            // The `>` of `->` closes no bracket.
            case ">" where tokens[i - 1].text != "-": depth -= 1
            case "," where depth == 0:
                found.append(tokens[start..<i])
                start = i + 1
            default: break
            }
        }
        return start < tokens.endIndex ? found + [tokens[start...]] : found
    }

    private static func name(_ part: ArraySlice<Token>) -> String? {
        part.firstIndex { $0.text == ":" }.flatMap { $0 > part.startIndex ? part[$0 - 1].text : nil }
    }

    private static func isClosure(_ part: ArraySlice<Token>) -> Bool {
        zip(part, part.dropFirst()).contains { $0.text == "-" && $1.text == ">" }
    }
}
