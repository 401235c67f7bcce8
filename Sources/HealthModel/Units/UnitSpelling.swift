// SPDX-License-Identifier: Apache-2.0

/// Unit strings of other programs, translated to HealthKit's grammar if they have only one meaning.
///
///     mL/kg/min    -> mL/(kg*min)      µg/dL -> mcg/dL      kg/m²  -> kg/m^2
///     J/m/(kg*s)   -> J/(m*kg*s)       bpm   -> count/min   degrees: °C -> degC
///
/// An ambiguous string is rejected: in `ng/mL*h` and `kg/m*s/K`, the factor after `*` divides in HealthKit's grammar
/// and multiplies when read from left to right. `Docs/Guide/HealthData.md` has the tables, which a test compares with
/// these.
enum UnitSpelling {
    /// Translations of whole strings.
    static let units = ["bpm": "count/min", "mph": "mi/hr"]

    /// Translations of symbols.
    static let symbols = [
        "h": "hr", "hrs": "hr", "sec": "s", "mins": "min", "lbs": "lb", "°C": "degC", "℃": "degC", "°F": "degF",
        "℉": "degF", "beats": "count", "breaths": "count", "steps": "count",
    ]

    /// Characters of other programs for the signs of HealthKit's grammar.
    static let signs: [Character: Character] = ["⋅": "·", "∙": "·", "×": "·", "∕": "/", "⁄": "/"]

    private static let powers: [Character: Character] = [
        "⁻": "-", "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9",
    ]

    /// The translation of a string to HealthKit's grammar.
    struct Translation: Equatable {
        /// The unit; for an ambiguous string, the reading with the whole product after the slash as denominator.
        let text: String
        /// The reading in which only the first factor after the slash divides; nil for an unambiguous string.
        var other: String?
    }

    /// Translates a string to HealthKit's grammar. Returns nil if the string is not a unit, or has several slashes and
    /// is ambiguous.
    ///
    /// - Requires: at most `UnitParser.maximumLength` bytes.
    static func healthKit(_ string: String) -> Translation? {
        let text = plain(string)
        if let unit = units[text] { return Translation(text: unit) }
        guard let parts = divided(text) else { return nil }
        let numerator = translated(parts[0])
        if parts.count == 1 { return Translation(text: numerator) }
        if parts.count == 2 {
            let denominator = translated(parts[1])
            let unit = numerator + "/" + denominator
            guard !isGroup(parts[1]), let end = firstSeparator(denominator), UnitForm.cached(text) == nil else {
                return Translation(text: unit)
            }
            // HealthKit's grammar divides by all factors. The string is not in that grammar, and its author may have
            // meant to multiply by the factors after the first one.
            let rest = String(denominator[denominator.index(after: end)...])
            let above = numerator == "1" ? rest : numerator + "*" + rest
            return Translation(text: numerator + "/(" + denominator + ")", other: above + "/" + denominator[..<end])
        }
        var factors: [String] = []
        for part in parts.dropFirst() {
            // The factors after a product without parentheses may divide or multiply.
            if !isGroup(part), firstSeparator(part) != nil { return nil }
            factors.append(translated(isGroup(part) ? String(part.dropFirst().dropLast()) : part))
        }
        return Translation(text: numerator + "/(" + factors.joined(separator: "*") + ")")
    }

    private static func isGroup(_ part: String) -> Bool { part.hasPrefix("(") && part.hasSuffix(")") }

    /// Returns the first separator outside molar masses, whose numbers may have a decimal point.
    private static func firstSeparator(_ product: String) -> String.Index? {
        var isMass = false
        for at in product.indices {
            switch product[at] {
            case "<": isMass = true
            case ">": isMass = false
            default: if !isMass, isSeparator(product[at]) { return at }
            }
        }
        return nil
    }

    /// Returns the string without blanks next to separators, with HealthKit's signs.
    private static func plain(_ string: String) -> String {
        var text = ""
        var blanks = ""
        for character in string {
            if character == " " || character == "\u{A0}" {
                blanks.append(" ")
                continue
            }
            let sign = signs[character] ?? character
            let isBetween = text.last.map { !isBoundary($0) } ?? false
            if isBetween, !isBoundary(sign) { text += blanks }
            blanks = ""
            text.append(sign)
        }
        return text
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character == "." || character == "*" || character == "·"
    }

    private static func isBoundary(_ character: Character) -> Bool { isSeparator(character) || character == "/" }

    /// Returns the parts between slashes outside parentheses and molar masses; nil if brackets do not match.
    private static func divided(_ text: String) -> [String]? {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "(" || character == "<" { depth += 1 }
            if character == ")" || character == ">" { depth -= 1 }
            if depth < 0 { return nil }
            if character == "/", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return depth == 0 ? parts : nil
    }

    /// Returns a product with HealthKit's symbols.
    private static func translated(_ product: String) -> String {
        var text = ""
        var symbol = ""
        func flush() {
            text += self.symbol(symbol)
            symbol = ""
        }
        var depth = 0
        for character in product {
            if character == "<" { depth += 1 }
            if depth > 0 || isSeparator(character) || "()^".contains(character) {
                flush()
                text.append(character)
            } else {
                symbol.append(character)
            }
            if character == ">" { depth -= 1 }
        }
        flush()
        return text
    }

    private static func symbol(_ written: String) -> String {
        // A power in superscript digits after the symbol.
        let raised = written.reversed().prefix { powers[$0] != nil }
        if !raised.isEmpty, raised.count < written.count {
            let digits = String(raised.reversed().compactMap { powers[$0] })
            return symbol(String(written.dropLast(raised.count))) + "^" + digits
        }
        if UnitSymbol.all[written] != nil { return written }
        if let known = symbols[written] { return known }
        return micro(written) ?? written
    }

    /// Returns HealthKit's symbol for a micro unit of other programs (`µg`, `μg`, `ug`); nil if there is none.
    static func micro(_ written: String) -> String? {
        guard let first = written.first, ["\u{B5}", "\u{3BC}", "u"].contains(first) else { return nil }
        let right = "mc" + written.dropFirst()
        return UnitSymbol.all[right] == nil ? nil : right
    }
}
