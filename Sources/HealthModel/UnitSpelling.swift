// SPDX-License-Identifier: Apache-2.0

/// Unit strings of other programs, translated to HealthKit's grammar where they can mean one thing only.
///
///     mL/kg/min    -> mL/(kg*min)      µg/dL -> mcg/dL      kg/m²  -> kg/m^2
///     J/m/(kg*s)   -> J/(m*kg*s)       bpm   -> count/min   degrees: °C -> degC
///
/// A string that could mean two things stays refused: `kg/m*s/K` divides by `s` in HealthKit's grammar and multiplies
/// by it from left to right. `Docs/HealthModel.md` has the tables, and a test compares them with these.
enum UnitSpelling {
    /// Whole strings.
    static let units = ["bpm": "count/min", "mph": "mi/hr"]

    /// Symbols.
    static let symbols = [
        "h": "hr", "hrs": "hr", "sec": "s", "mins": "min", "lbs": "lb", "°C": "degC", "℃": "degC", "°F": "degF",
        "℉": "degF", "beats": "count", "breaths": "count", "steps": "count",
    ]

    /// Signs that other programs write for one of HealthKit's.
    static let signs: [Character: Character] = ["⋅": "·", "∙": "·", "×": "·", "∕": "/", "⁄": "/"]

    private static let powers: [Character: Character] = [
        "⁻": "-", "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9",
    ]

    /// The string in HealthKit's grammar; nil for one that is none, or that could mean two things.
    ///
    /// - Requires: at most `UnitParser.maximumLength` bytes.
    static func healthKit(_ string: String) -> String? {
        let text = plain(string)
        if let unit = units[text] { return unit }
        guard let parts = divided(text) else { return nil }
        let numerator = translated(parts[0])
        if parts.count == 1 { return numerator }
        if parts.count == 2 { return numerator + "/" + translated(parts[1]) }
        var factors: [String] = []
        for part in parts.dropFirst() {
            let isGroup = part.hasPrefix("(") && part.hasSuffix(")")
            // What follows a product without parentheses divides it, or multiplies it.
            if !isGroup, part.contains(where: isSeparator) { return nil }
            factors.append(translated(isGroup ? String(part.dropFirst().dropLast()) : part))
        }
        return numerator + "/(" + factors.joined(separator: "*") + ")"
    }

    /// Without blanks beside separators, and with HealthKit's signs.
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

    /// The parts between slashes that stand outside of parentheses and molar masses; nil where these do not match.
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

    /// A product with HealthKit's symbols.
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
        // A power behind the symbol, in raised digits.
        let raised = written.reversed().prefix { powers[$0] != nil }
        if !raised.isEmpty, raised.count < written.count {
            let digits = String(raised.reversed().compactMap { powers[$0] })
            return symbol(String(written.dropLast(raised.count))) + "^" + digits
        }
        if UnitSymbol.all[written] != nil { return written }
        if let known = symbols[written] { return known }
        return micro(written) ?? written
    }

    /// A symbol with the prefix micro as other programs write it: `µg`, `μg`, `ug`.
    static func micro(_ written: String) -> String? {
        guard let first = written.first, ["\u{B5}", "\u{3BC}", "u"].contains(first) else { return nil }
        let right = "mc" + written.dropFirst()
        return UnitSymbol.all[right] == nil ? nil : right
    }
}
