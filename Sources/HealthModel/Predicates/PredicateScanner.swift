// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Splits a predicate format into tokens, and takes the arguments of its specifiers.
struct PredicateScanner {
    enum Token {
        /// A word: a key path or a keyword.
        case word(String)
        /// A key path of `%K`, perhaps after the beginning of a path: `metadata.%K`.
        case path(String)
        /// A literal, or the argument of a specifier; nil for a null value.
        case value(Any?)
        case symbol(String)
        case end
    }

    private let text: [Character]
    private var place = 0
    private let arguments: [Any]
    private var used = 0

    init(_ format: String, _ arguments: [Any]) {
        text = Array(format)
        self.arguments = arguments
    }

    /// Whether each argument belongs to a specifier.
    var usesAllArguments: Bool { used == arguments.count }

    /// Returns the next token.
    ///
    /// - Throws: `errorInvalidArgument` for a character, a number or a specifier that cannot be read.
    mutating func next() throws(HKError) -> Token {
        while place < text.count, text[place].isWhitespace { place += 1 }
        guard place < text.count else { return .end }
        let character = text[place]
        if character.isLetter || character == "_" || character == "#" { return try path() }
        if character.isNumber || (character == "-" || character == ".") { return try number() }
        if character == "\"" || character == "'" { return try quoted(character) }
        if character == "%" { return try specifier() }
        return try symbol()
    }

    private mutating func path() throws(HKError) -> Token {
        var path = ""
        while place < text.count {
            let character = text[place]
            if character.isLetter || character.isNumber || "_.-#".contains(character) {
                path.append(character)
                place += 1
            } else if character == "%", path.hasSuffix("."), place + 1 < text.count, text[place + 1] == "K" {
                place += 2
                return .path(path + (try key()))
            } else {
                break
            }
        }
        return .word(path)
    }

    private mutating func number() throws(HKError) -> Token {
        let start = place
        place += 1
        while place < text.count, text[place].isNumber || ".eE".contains(text[place]) || isSignOfExponent { place += 1 }
        let word = String(text[start..<place])
        if let whole = Int(word) { return .value(whole) }
        guard let real = Double(word) else { throw Self.refusal("\(word) is not a number", at: start) }
        return .value(real)
    }

    private var isSignOfExponent: Bool { "+-".contains(text[place]) && "eE".contains(text[place - 1]) }

    private mutating func quoted(_ quote: Character) throws(HKError) -> Token {
        let start = place
        place += 1
        var found = ""
        while place < text.count, text[place] != quote {
            if text[place] == "\\", place + 1 < text.count { place += 1 }
            found.append(text[place])
            place += 1
        }
        guard place < text.count else { throw Self.refusal("a quotation mark has no counterpart", at: start) }
        place += 1
        return .value(found)
    }

    private mutating func specifier() throws(HKError) -> Token {
        let start = place
        place += 1
        while place < text.count, "hlqzt".contains(text[place]) { place += 1 }
        let kind = place < text.count ? text[place] : " "
        place += 1
        switch kind {
        case "K":
            let key = try key()
            // `%K.%K` and `%K.name`: the second part is a property of the first.
            guard place < text.count, text[place] == "." else { return .path(key) }
            switch try path() {
            case .path(let rest), .word(let rest): return .path(key + rest)
            default: return .path(key)
            }
        case "@", "d", "D", "i", "u", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G":
            let value = try argument()
            return .value(value is NSNull ? nil : value)
        default:
            throw Self.refusal("the specifier \(String(text[start..<min(place, text.count)])) is not known", at: start)
        }
    }

    private mutating func key() throws(HKError) -> String {
        guard let key = try argument() as? String else { throw Self.refusal("%K needs a string", at: place) }
        return key
    }

    private mutating func argument() throws(HKError) -> Any {
        guard used < arguments.count else {
            throw Self.refusal("the format has more specifiers than arguments", at: place)
        }
        defer { used += 1 }
        return arguments[used]
    }

    private mutating func symbol() throws(HKError) -> Token {
        let start = place
        let pair = String(text[start..<min(start + 2, text.count)])
        if ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"].contains(pair) {
            place += 2
            return .symbol(pair)
        }
        guard "=<>!(){},[]".contains(text[start]) else {
            throw Self.refusal("the character \(text[start]) has no meaning", at: start)
        }
        place += 1
        return .symbol(String(text[start]))
    }

    static func refusal(_ reason: String, at place: Int? = nil) -> HKError {
        HKError(
            .errorInvalidArgument, reason: reason,
            place: "NSPredicate(format:)" + (place.map { ", character \($0)" } ?? ""),
            advice: "use a format that Docs/Guide/PredicateFormats.md lists, or a function of HKQuery")
    }
}
