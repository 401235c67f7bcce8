// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A word that people use for a unit, such as `miles`.
///
/// HealthKit's grammar is read first, so that `mi` and `km/hr` keep their meaning: a word is looked up if the text is
/// not a unit, or not a unit of the type. `Docs/Guide/Names.md` lists the words.
package struct UnitName: Sendable {
    /// The word in lower case, without blanks.
    package let word: String
    /// HealthKit's unit.
    package let unit: String

    private init(_ word: String, _ unit: String) { (self.word, self.unit) = (word, unit) }

    /// Returns HealthKit's unit of a word; nil if there is none. Case and blanks are ignored.
    package static func meaning(of text: String) -> String? {
        let word = text.lowercased().filter { !$0.isWhitespace }
        return all.first { $0.word == word }?.unit
    }

    /// Returns the usual unit of a type as people write it: `bpm` for a heart rate; nil for types without a unit.
    package static func usual(of type: HealthType) -> String? {
        guard type.isKnown else { return type.canonicalUnit?.unitString }
        let quantity = HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier))
        return (HealthPreferredUnits.unit(for: quantity, locale: .current) ?? type.canonicalUnit).map {
            written($0.unitString, of: type)
        }
    }

    /// Returns the words that suit a type, for suggestions and completion: the usual unit first.
    package static func words(of type: HealthType) -> [String] {
        guard type.kind == .quantity, type.canonicalUnit != nil else { return [] }
        let common = usual(of: type).map { [$0] } ?? []
        let fitting = (shown + all.map(\.word)).filter { word in
            guard let unit = try? HKUnit(parsing: meaning(of: word) ?? word) else { return false }
            return type.isCompatible(with: unit) && (word != beats || isPulse(type))
        }
        return fitting.reduce(into: common) { found, word in
            if !found.contains(where: { $0.lowercased() == word.lowercased() }) { found.append(word) }
        }
    }

    /// Returns a unit of HealthKit as people write it.
    private static func written(_ unit: String, of type: HealthType) -> String {
        switch unit {
        case "count/min", "count/s": isPulse(type) ? beats : "count/min"
        case "degC": "C"
        case "degF": "F"
        case _ where unit.hasPrefix("mmol<") && unit.hasSuffix(">/L"): "mmol/L"
        default: unit
        }
    }

    private static let beats = "bpm"

    private static func isPulse(_ type: HealthType) -> Bool { type.shortName.lowercased().contains("heartrate") }

    /// Units with capital letters, and units of HealthKit that people also write, for suggestions.
    private static let shown = [
        "bpm", "count/min", "count", "km", "m", "cm", "mi", "ft", "in", "yd", "kg", "g", "mg", "mcg", "lb", "st", "oz",
        "kcal", "kJ", "L", "mL", "s", "ms", "min", "hr", "%", "mmHg", "mmol/L", "mg/dL", "C", "F", "km/hr", "m/s",
        "W", "IU",
    ]

    /// All words, by kind of unit.
    package static let all: [UnitName] = [
        UnitName("bpm", "count/min"), UnitName("miles", "mi"), UnitName("mile", "mi"), UnitName("kilometers", "km"),
        UnitName("kilometres", "km"),
        UnitName("kilometer", "km"), UnitName("kilometre", "km"), UnitName("meters", "m"), UnitName("metres", "m"),
        UnitName("meter", "m"), UnitName("metre", "m"), UnitName("centimeters", "cm"), UnitName("centimetres", "cm"),
        UnitName("feet", "ft"), UnitName("foot", "ft"), UnitName("inches", "in"), UnitName("inch", "in"),
        UnitName("yards", "yd"), UnitName("yard", "yd"),
        UnitName("kilograms", "kg"), UnitName("kilos", "kg"), UnitName("kgs", "kg"), UnitName("grams", "g"),
        UnitName("milligrams", "mg"), UnitName("pounds", "lb"), UnitName("pound", "lb"), UnitName("lbs", "lb"),
        UnitName("stone", "st"), UnitName("stones", "st"), UnitName("ounces", "oz"),
        UnitName("ml", "mL"), UnitName("milliliters", "mL"), UnitName("millilitres", "mL"), UnitName("l", "L"),
        UnitName("liters", "L"), UnitName("litres", "L"), UnitName("liter", "L"), UnitName("litre", "L"),
        UnitName("dl", "dL"), UnitName("cl", "cL"),
        UnitName("c", "degC"), UnitName("°c", "degC"), UnitName("celsius", "degC"),
        UnitName("f", "degF"), UnitName("°f", "degF"), UnitName("fahrenheit", "degF"),
        UnitName("percent", "%"), UnitName("percentage", "%"),
        UnitName("mmol/l", "mmol<\(HKUnitMolarMassBloodGlucose)>/L"), UnitName("mg/dl", "mg/dL"),
        UnitName("hours", "hr"), UnitName("hour", "hr"), UnitName("minutes", "min"), UnitName("minute", "min"),
        UnitName("seconds", "s"), UnitName("second", "s"), UnitName("milliseconds", "ms"), UnitName("days", "d"),
        UnitName("kilocalories", "kcal"), UnitName("kilojoules", "kJ"), UnitName("kj", "kJ"),
        UnitName("watts", "W"), UnitName("w", "W"), UnitName("iu", "IU"), UnitName("mmhg", "mmHg"),
        UnitName("km/h", "km/hr"), UnitName("kmh", "km/hr"), UnitName("kph", "km/hr"), UnitName("mph", "mi/hr"),
        UnitName("steps", "count"), UnitName("times", "count"),
    ]
}
