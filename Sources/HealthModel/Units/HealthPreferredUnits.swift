// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The customary unit of a quantity type in a region. A store holds the units that a person chose instead.
///
/// Apple's table is not public. This table follows the units of exports from the United States and Europe, and common
/// use elsewhere; `Docs/Guide/HealthData.md` lists it.
public enum HealthPreferredUnits {
    /// Returns the unit of a type in a locale; nil for a type that is not in the tables.
    ///
    /// Lengths, masses and volumes follow the measurement system of the locale; temperature, glucose and energy follow
    /// its region. The unit is always compatible with the type.
    public static func unit(for type: HKQuantityType, locale: Locale) -> HKUnit? {
        guard let health = type.healthType, let canonical = health.canonicalUnit else { return nil }
        let place = Place(locale)
        guard let text = place.unit(for: HKQuantityTypeIdentifier(rawValue: health.identifier), canonical) else {
            return canonical
        }
        return UnitForm.cached(text).map { HKUnit($0) } ?? canonical
    }
}

/// The properties of a locale that determine units.
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

    /// Regions that use Fahrenheit.
    private static let fahrenheit: Set<String> = ["US", "BS", "BZ", "KY", "PR", "PW"]
    /// Regions that measure glucose in moles.
    private static let molar: Set<String> = [
        "AU", "CA", "CH", "CN", "CZ", "DK", "EE", "FI", "GB", "HK", "HR", "HU", "IE", "IS", "KZ", "LT", "LV", "MY",
        "NL", "NO", "NZ", "RU", "SE", "SG", "SI", "SK", "UA", "ZA",
    ]
    /// Regions that measure the energy of food in joules.
    private static let joules: Set<String> = ["AU", "NZ"]

    /// Returns the customary unit; nil if it is the canonical unit.
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
