// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-11 the preferred unit of a locale")
struct PreferredUnitTests {
    private func unit(_ type: HKQuantityTypeIdentifier, _ locale: String) -> String? {
        HealthPreferredUnits.unit(for: HKQuantityType(type), locale: Locale(identifier: locale))?.unitString
    }

    @Test("every type of the tables has a compatible preferred unit in every locale")
    func fits() {
        for locale in ["en_US", "en_GB", "de_DE", "en_AU", "sv_SE", "ja_JP", "en", "", "xx_YY"].map(
            Locale.init(identifier:))
        {
            for health in HealthTypes.all where health.kind == .quantity {
                let type = HKQuantityType(.init(rawValue: health.identifier))
                let unit = HealthPreferredUnits.unit(for: type, locale: locale)
                #expect(unit.map(type.is(compatibleWith:)) == true, "\(type) \(locale)")
            }
        }
        let unknown = HKQuantityType(.init(rawValue: "HKQuantityTypeIdentifierNew"))
        #expect(HealthPreferredUnits.unit(for: unknown, locale: Locale(identifier: "en_US")) == nil)
    }

    @Test(
        "units in the United States, the United Kingdom, Germany and Australia",
        arguments: [
            (HKQuantityTypeIdentifier.bodyMass, "lb", "st", "kg", "kg"), (.height, "ft", "ft", "cm", "cm"),
            (.distanceWalkingRunning, "mi", "mi", "km", "km"), (.distanceSwimming, "yd", "m", "m", "m"),
            (.bodyTemperature, "degF", "degC", "degC", "degC"), (.activeEnergyBurned, "Cal", "kcal", "kcal", "kJ"),
            (.dietaryWater, "fl_oz_us", "mL", "mL", "mL"), (.walkingSpeed, "mi/hr", "mi/hr", "km/hr", "km/hr"),
            (.heartRate, "count/min", "count/min", "count/min", "count/min"),
            (.stepCount, "count", "count", "count", "count"),
            (.dietarySodium, "mg", "mg", "mg", "mg"), (.dietaryProtein, "g", "g", "g", "g"),
            (.dietaryVitaminB12, "mcg", "mcg", "mcg", "mcg"), (.walkingStepLength, "in", "cm", "cm", "cm"),
            (.oxygenSaturation, "%", "%", "%", "%"), (.stairAscentSpeed, "ft/s", "m/s", "m/s", "m/s"),
        ])
    func units(_ type: HKQuantityTypeIdentifier, _ us: String, _ uk: String, _ germany: String, _ australia: String) {
        #expect(unit(type, "en_US") == us)
        #expect(unit(type, "en_GB") == uk)
        #expect(unit(type, "de_DE") == germany)
        #expect(unit(type, "en_AU") == australia)
    }

    @Test("the region decides whether glucose is in moles or in grams")
    func glucose() throws {
        #expect(unit(.bloodGlucose, "en_US") == "mg/dL" && unit(.bloodGlucose, "de_DE") == "mg/dL")
        let molar = try #require(unit(.bloodGlucose, "sv_SE"))
        #expect(molar == "mmol<180.1558800000541>/L" && unit(.bloodGlucose, "en_GB") == molar)
    }

    /// The types of each row of the page's table.
    private static let rows: [String: [HKQuantityTypeIdentifier]] = [
        "body mass, lean body mass": [.bodyMass, .leanBodyMass], "height": [.height],
        "waist, step length": [.waistCircumference, .walkingStepLength],
        "distances": [.distanceWalkingRunning, .distanceCycling, .distanceRowing], "distance swum": [.distanceSwimming],
        "depth": [.underwaterDepth], "speeds": [.walkingSpeed, .runningSpeed, .cyclingSpeed],
        "speed on stairs": [.stairAscentSpeed, .stairDescentSpeed], "water": [.dietaryWater],
        "energy": [.activeEnergyBurned, .basalEnergyBurned, .dietaryEnergyConsumed],
        "temperatures": [.bodyTemperature, .waterTemperature], "glucose": [.bloodGlucose],
        "heart and breathing rates": [.heartRate, .restingHeartRate, .respiratoryRate],
    ]

    @Test("the table of the page agrees with the code")
    func page() throws {
        let file = Tables.root.appendingPathComponent("Docs/Guide/HealthData.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        var seen: Set<String> = []
        for line in page.split(separator: "\n") where line.hasPrefix("|") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, let types = Self.rows[cells[0]] else { continue }
            seen.insert(cells[0])
            for (cell, locale) in zip(cells.dropFirst(), ["de_DE", "en_US", "en_GB"]) {
                let quoted = try #require(cell.split(separator: "`").first).description
                for type in types where !quoted.contains("…") {
                    #expect(unit(type, locale) == quoted, "\(type) \(locale)")
                }
            }
        }
        #expect(seen == Set(Self.rows.keys))
    }
}
