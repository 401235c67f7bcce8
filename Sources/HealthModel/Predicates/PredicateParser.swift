// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Parses a predicate format: comparisons, combined by AND, OR, NOT and parentheses.
struct PredicateParser {
    private var scanner: PredicateScanner
    private var token = PredicateScanner.Token.end
    private var depth = 0
    /// Limits the recursion: deeper formats could overflow the stack.
    private static let maximumDepth = 100

    /// Returns the meaning of a format; a refused predicate for a format that HealthKit does not document.
    static func parse(_ format: String, _ arguments: [Any]) -> SamplePredicate {
        var parser = PredicateParser(scanner: PredicateScanner(format, arguments))
        do throws(HKError) {
            try parser.advance()
            let found = try parser.alternatives()
            guard case .end = parser.token else { throw PredicateScanner.refusal("the format goes on after its end") }
            guard parser.scanner.usesAllArguments else {
                throw PredicateScanner.refusal("the format has fewer specifiers than arguments")
            }
            return found
        } catch {
            return .refused(error)
        }
    }

    private init(scanner: PredicateScanner) { self.scanner = scanner }

    private mutating func advance() throws(HKError) { token = try scanner.next() }

    /// Consumes the token if it is this keyword or symbol.
    private mutating func take(_ texts: String...) throws(HKError) -> Bool {
        switch token {
        case .word(let word) where texts.contains(word.uppercased()): break
        case .symbol(let symbol) where texts.contains(symbol): break
        default: return false
        }
        try advance()
        return true
    }

    private mutating func alternatives() throws(HKError) -> SamplePredicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw PredicateScanner.refusal("the format is more than \(Self.maximumDepth) levels deep")
        }
        var parts = [try conjunction()]
        while try take("OR", "||") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(HKError) -> SamplePredicate {
        var parts = [try negation()]
        while try take("AND", "&&") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(HKError) -> SamplePredicate {
        var isNegative = false
        while try take("NOT", "!") { isNegative.toggle() }
        let part = try single()
        return isNegative ? .not(part) : part
    }

    private mutating func single() throws(HKError) -> SamplePredicate {
        if try take("(") {
            let found = try alternatives()
            guard try take(")") else { throw PredicateScanner.refusal("a parenthesis has no counterpart") }
            return found
        }
        if try take("TRUEPREDICATE") { return .always(true) }
        if try take("FALSEPREDICATE") { return .always(false) }
        let left = try operand()
        let relation = try relation()
        let right = try operand()
        switch (left, right) {
        case (.path(let path), .value(let value)): return try PredicateKeyPath.condition(path, relation, value)
        case (.value(let value), .path(let path)):
            return try PredicateKeyPath.condition(path, try relation.mirrored(), value)
        default: throw PredicateScanner.refusal("a comparison needs one key path and one value")
        }
    }

    private enum Operand {
        case path(String)
        case value(Any?)
    }

    private mutating func operand() throws(HKError) -> Operand {
        switch token {
        case .path(let path):
            try advance()
            return .path(path)
        case .value(let value):
            try advance()
            return .value(value)
        case .word(let word):
            try advance()
            switch word.uppercased() {
            case "YES", "TRUE": return .value(true)
            case "NO", "FALSE": return .value(false)
            case "NIL", "NULL": return .value(nil)
            case "ANY", "ALL", "SOME", "NONE", "SELF", "SUBQUERY":
                throw PredicateScanner.refusal("\(word) is not part of HealthKit's predicates")
            default: return .path(word)
            }
        case .symbol("{"): return .value(try list())
        case .symbol(let symbol): throw PredicateScanner.refusal("\(symbol) stands where a value is expected")
        case .end: throw PredicateScanner.refusal("the format ends where a value is expected")
        }
    }

    private mutating func list() throws(HKError) -> [Any] {
        var values: [Any] = []
        try advance()
        while true {
            if try take("}") { return values }
            if !values.isEmpty {
                guard try take(",") else { throw PredicateScanner.refusal("a list has no end") }
            }
            guard case .value(let value?) = try operand() else {
                throw PredicateScanner.refusal("a list holds something that is not a value")
            }
            values.append(value)
        }
    }

    private mutating func relation() throws(HKError) -> PredicateRelation {
        if try take("=", "==") { return .comparison(.equalTo) }
        if try take("!=", "<>") { return .comparison(.notEqualTo) }
        if try take("<=", "=<") { return .comparison(.lessThanOrEqualTo) }
        if try take(">=", "=>") { return .comparison(.greaterThanOrEqualTo) }
        if try take("<") { return .comparison(.lessThan) }
        if try take(">") { return .comparison(.greaterThan) }
        if try take("IN") { return .among }
        if try take("BETWEEN") { return .between }
        if try take("BEGINSWITH") { return .comparison(.beginsWith) }
        if try take("ENDSWITH") { return .comparison(.endsWith) }
        if try take("CONTAINS") { return .comparison(.contains) }
        throw PredicateScanner.refusal("a comparison has no operator of HealthKit's predicates")
    }
}

/// The relation between a property and a value.
enum PredicateRelation {
    case comparison(HealthComparison)
    /// One of the values of a list.
    case among
    /// From the first to the second value of a list, both included.
    case between

    /// Returns the relation with its sides exchanged.
    func mirrored() throws(HKError) -> Self {
        switch self {
        case .comparison(.lessThan): .comparison(.greaterThan)
        case .comparison(.lessThanOrEqualTo): .comparison(.greaterThanOrEqualTo)
        case .comparison(.greaterThan): .comparison(.lessThan)
        case .comparison(.greaterThanOrEqualTo): .comparison(.lessThanOrEqualTo)
        case .comparison(.equalTo), .comparison(.notEqualTo): self
        default: throw PredicateScanner.refusal("the value stands before the operator")
        }
    }
}
