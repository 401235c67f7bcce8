// SPDX-License-Identifier: Apache-2.0

/// A parser of unit strings.
///
///     unit        = "" | "()" | ( product | "1" ) "/" denominator | product
///     denominator = product | "(" product ")"
///     product     = factor *( ( "." | "*" | "·" ) factor )
///     factor      = symbol [ "^" [ "-" ] 1*digit ]
///     symbol      = [ prefix ] base | [ prefix ] "mol<" number ">"
///
/// At most one `/` is allowed; everything after it is the denominator. Symbols are case-sensitive except the litre.
struct UnitParser {
    /// The maximum length in bytes; longer strings are rejected before any allocation.
    static let maximumLength = 4096

    private let string: String
    private let bytes: [UInt8]
    private var at = 0
    private var factors: [UnitFactor] = []

    /// Returns the factors of a unit string in their order, with negated powers in the denominator.
    static func factors(of string: String) throws(HKUnitError) -> [UnitFactor] {
        guard string.utf8.count <= maximumLength else {
            let reason = "it has \(string.utf8.count) bytes; the limit is \(maximumLength)"
            throw .unparsable(string: String(string.prefix(40)) + "…", offset: maximumLength, reason: reason)
        }
        var parser = UnitParser(string)
        try parser.readUnit()
        return parser.factors
    }

    private init(_ string: String) {
        self.string = string
        bytes = Array(string.utf8)
    }

    private mutating func readUnit() throws(HKUnitError) {
        if bytes.isEmpty || bytes == Array("()".utf8) { return }
        if bytes.starts(with: "1/".utf8) { at = 1 } else { try readProduct(sign: 1) }
        guard at < bytes.count else { return }
        guard take("/") else { throw failure(at, "'\(character(at))' cannot follow a complete product") }
        if take("(") {
            try readProduct(sign: -1)
            guard take(")") else { throw failure(at, "the closing parenthesis of the denominator is missing") }
        } else {
            try readProduct(sign: -1)
        }
        guard at == bytes.count else {
            let divides = character(at) == "/"
            throw failure(
                at,
                divides
                    ? "there is a second '/'; write one '/' and multiply the denominator's factors: mL/kg*min"
                    : "'\(character(at))' cannot follow the denominator")
        }
    }

    private mutating func readProduct(sign: Int) throws(HKUnitError) {
        try readFactor(sign: sign)
        while takeSeparator() { try readFactor(sign: sign) }
    }

    private mutating func readFactor(sign: Int) throws(HKUnitError) {
        let start = at
        while at < bytes.count, !isEndOfSymbol { at += 1 }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard !text.isEmpty else {
            let isEnd = start == bytes.count
            throw failure(start, isEnd ? "a unit is missing" : "a unit is missing before '\(character(start))'")
        }
        guard let symbol = UnitSymbol.all[text] else { throw failure(start, UnitHint.unknown(text)) }
        var factor = UnitFactor(base: symbol.base, prefix: symbol.prefix)
        if symbol.base == .mole { factor.molarMass = try readMolarMass(of: text) }
        factor.power = sign * (try readPower())
        factors.append(factor)
    }

    /// Whether the current byte ends a symbol: a separator, power, parenthesis or molar mass.
    private var isEndOfSymbol: Bool {
        switch bytes[at] {
        case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "^"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default:
            isMiddleDot
        }
    }

    /// Whether the current byte begins U+00B7 in UTF-8.
    private var isMiddleDot: Bool { bytes[at] == 0xC2 && at + 1 < bytes.count && bytes[at + 1] == 0xB7 }

    private mutating func takeSeparator() -> Bool {
        guard at < bytes.count else { return false }
        if isMiddleDot {
            at += 2
            return true
        }
        return take(".") || take("*")
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func readMolarMass(of symbol: String) throws(HKUnitError) -> Double {
        guard take("<") else { throw failure(at, "the molar mass is missing; write \(symbol)<gram per mole>") }
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") { at += 1 }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard take(">") else { throw failure(start, "the molar mass has no closing '>'") }
        // `Double` also parses signs, hexadecimal, "inf" and "nan", which a molar mass may not have.
        let isDecimal = text.utf8.first.map(Letters.isDigit) ?? false
        let plain = text.utf8.allSatisfy { Letters.isDigit($0) || ".eE+-".utf8.contains($0) }
        guard isDecimal, plain, let mass = Double(text), mass.isFinite, mass > 0 else {
            throw failure(start, "'\(text)' is not a molar mass; write a positive number of grams per mole")
        }
        return mass
    }

    private mutating func readPower() throws(HKUnitError) -> Int {
        guard take("^") else { return 1 }
        let negative = take("-")
        let start = at
        var power = 0
        while at < bytes.count, Letters.isDigit(bytes[at]) {
            power = power * 10 + Int(bytes[at] - 0x30)
            guard power <= UnitFactor.maximumPower else { throw failure(start, "the power is too large") }
            at += 1
        }
        guard at > start else { throw failure(at, "the power is not an integer; write s^2 or s^-1") }
        return negative ? -power : power
    }

    /// Returns the character at a byte, for a message.
    private func character(_ offset: Int) -> String {
        guard offset < bytes.count else { return "" }
        return String(decoding: bytes[offset...].prefix(4), as: UTF8.self).first.map(String.init) ?? ""
    }

    private func failure(_ offset: Int, _ reason: String) -> HKUnitError {
        .unparsable(string: string, offset: offset, reason: reason)
    }
}

/// Corrections of unknown symbols for messages.
enum UnitHint {
    /// The possible meanings of a symbol, by its lower-case form.
    static let ambiguous = [
        "db": "dBASPL for sound or dBHL for hearing", "dba": "dBASPL", "c": "degC", "f": "degF",
        "fl oz": "fl_oz_us or fl_oz_imp", "floz": "fl_oz_us or fl_oz_imp", "cup": "cup_us or cup_imp",
        "cups": "cup_us or cup_imp", "pt": "pt_us or pt_imp", "pint": "pt_us or pt_imp", "cals": "kcal, Cal or cal",
        "calories": "kcal, Cal or cal", "miles": "mi", "percent": "%",
    ]

    static func unknown(_ text: String) -> String {
        let said = "'\(text)' is not a unit"
        if let right = UnitSpelling.micro(text) { return "\(said); micro is written mc: \(right)" }
        if let right = UnitSpelling.symbols[text] { return "\(said); write \(right)" }
        if let meanings = ambiguous[text.lowercased()] { return "\(said); write \(meanings)" }
        if text.contains(where: \.isWhitespace) { return "\(said); a unit string has no spaces" }
        let folded = text.lowercased()
        let near = UnitSymbol.all.keys.filter { $0.lowercased() == folded }.sorted()
        if !near.isEmpty { return "\(said); symbols are case-sensitive: \(near.joined(separator: ", "))" }
        return said
    }
}
