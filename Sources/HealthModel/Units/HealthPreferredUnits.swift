// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The unit that a person expects to read a quantity in, by where they live; what they chose instead, a store keeps.
///
/// Apple's own table is not public. Ours follows the units of exports from the United States and from Europe, and
/// common use elsewhere; `Docs/HealthObjects.md` lists it.
public enum HealthPreferredUnits {
    /// The unit for a type in a locale; nil for a type that the tables do not have.
    ///
    /// Lengths, masses and volumes follow the locale's measurement system, and temperature, glucose and energy its
    /// region. The unit always fits the type.
    public static func unit(for type: HKQuantityType, locale: Locale) -> HKUnit? {
        guard let health = type.healthType, let canonical = health.canonicalUnit else { return nil }
        let place = Place(locale)
        guard let text = place.unit(for: HKQuantityTypeIdentifier(rawValue: health.identifier), canonical) else {
            return canonical
        }
        return UnitForm.cached(text).map { HKUnit($0) } ?? canonical
    }
}

/// What of a locale matters for units.
private struct Place {
    private enum System { case metric, us, uk }

    private let system: System
    private let region: String

    init(_ locale: Locale) {
        region = locale.region?.identifier ?? ""
        switch locale.measurementSystem {
        case .us: system = .us
        case .uk: system = .uk
        default: system = .metric
        }
    }

    private func choose(_ metric: String, _ us: String, _ uk: String? = nil) -> String {
        switch system {
        case .metric: metric
        case .us: us
        case .uk: uk ?? metric
        }
    }

    /// Where temperature is told in Fahrenheit.
    private static let fahrenheit: Set<String> = ["US", "BS", "BZ", "KY", "PR", "PW"]
    /// Where glucose is told in moles.
    private static let molar: Set<String> = [
        "AU", "CA", "CH", "CN", "CZ", "DK", "EE", "FI", "GB", "HK", "HR", "HU", "IE", "IS", "KZ", "LT", "LV", "MY",
        "NL", "NO", "NZ", "RU", "SE", "SG", "SI", "SK", "UA", "ZA",
    ]
    /// Where the energy of food is told in joules.
    private static let joules: Set<String> = ["AU", "NZ"]

    /// nil where the canonical unit is the one that people use.
    func unit(for type: HKQuantityTypeIdentifier, _ canonical: HKUnit) -> String? {
        if let text = bodyUnit(type) { return text }
        switch canonical.unitString {
        case "degC": return Self.fahrenheit.contains(region) ? "degF" : "degC"
        case "kcal": return Self.joules.contains(region) ? "kJ" : choose("kcal", "Cal")
        case "count/s": return "count/min"
        case "g": return Self.inMicrograms.contains(type) ? "mcg" : Self.inGrams.contains(type) ? "g" : "mg"
        case "m" where type.rawValue.hasPrefix("HKQuantityTypeIdentifierDistance"): return choose("km", "mi", "mi")
        case "m/s": return choose("km/hr", "mi/hr", "mi/hr")
        default: return nil
        }
    }

    private func bodyUnit(_ type: HKQuantityTypeIdentifier) -> String? {
        switch type {
        case .bodyMass, .leanBodyMass: choose("kg", "lb", "st")
        case .height: choose("cm", "ft", "ft")
        case .waistCircumference, .walkingStepLength: choose("cm", "in")
        case .distanceSwimming: choose("m", "yd")
        case .underwaterDepth: choose("m", "ft")
        case .stairAscentSpeed, .stairDescentSpeed: choose("m/s", "ft/s")
        case .dietaryWater: choose("mL", "fl_oz_us")
        case .bloodGlucose: Self.molar.contains(region) ? "mmol<\(HKUnitMolarMassBloodGlucose)>/L" : "mg/dL"
        default: nil
        }
    }

    private static let inGrams: Set<HKQuantityTypeIdentifier> = [
        .dietaryCarbohydrates, .dietaryFatMonounsaturated, .dietaryFatPolyunsaturated, .dietaryFatSaturated,
        .dietaryFatTotal, .dietaryFiber, .dietaryProtein, .dietarySugar,
    ]
    private static let inMicrograms: Set<HKQuantityTypeIdentifier> = [
        .dietaryBiotin, .dietaryChromium, .dietaryFolate, .dietaryIodine, .dietaryMolybdenum, .dietarySelenium,
        .dietaryVitaminA, .dietaryVitaminB12, .dietaryVitaminD, .dietaryVitaminK,
    ]
}
