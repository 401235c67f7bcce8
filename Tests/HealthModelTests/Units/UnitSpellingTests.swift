// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-9 unit spellings of other programs")
struct UnitSpellingTests {
    @Test(
        "an unambiguous spelling is accepted",
        arguments: [
            ("ml/kg/min", "mL/min·kg"), ("mL/min/kg", "mL/min·kg"), ("J/m/kg/s", "J/m·s·kg"),
            ("kcal/hr/kg", "kcal/hr·kg"), ("J/m/(kg*s)", "J/m·s·kg"), ("1/s/kg", "1/s·kg"), ("m·s/K/kg", "m·s/K·kg"),
            ("ug", "mcg"), ("μg/L", "mcg/L"), ("µg/dL", "mcg/dL"), ("bpm", "count/min"), ("beats/min", "count/min"),
            ("breaths/min", "count/min"), ("mph", "mi/hr"), ("km/h", "km/hr"), ("kcal/kg/h", "kcal/hr·kg"),
            ("m/sec", "m/s"), ("°C", "degC"), ("℉", "degF"), ("lbs", "lb"), ("kg/m²", "kg/m^2"), ("m/s⁻²", "m·s^2"),
            ("m⋅s", "m·s"), ("mL / min · kg", "mL/min·kg"), (" kg ", "kg"), ("count / min", "count/min"),
            ("mmol<180.1558800000541>/L/h", "mmol<180.1558800000541>/hr·L"),
            ("ug/mmol<18.015>", "mcg/mmol<18.015>"), ("L/mmol<18.015>/h", "L/hr·mmol<18.015>"),
            ("ng/(mL*h)", "ng/hr·mL"), ("ng / mL * hr", "ng/hr·mL"),
        ])
    func reads(_ text: String, _ canonical: String) throws {
        let unit = try HKUnit(parsing: text)
        let known = try HKUnit(parsing: canonical)
        #expect(unit == known && unit.unitString == known.unitString)
        // HealthKit's own grammar refuses the spelling.
        #expect(throws: HKUnitError.self) { try UnitForm.parsed(text) }
        // The second call reads the cache.
        #expect(try HKUnit(parsing: text) == known)
        #expect(HKUnit.stored(text) == known)
    }

    @Test(
        "an ambiguous spelling is refused, and the error suggests a correct one",
        arguments: [
            ("a/b", "not a unit"), ("ml/kg*min/s", "mL/kg*min"), ("kg/m*s/K", "mL/kg*min"), ("dB", "dBASPL"),
            ("dBA", "dBASPL"), ("C", "degC"), ("F", "degF"), ("cup", "cup_us or cup_imp"), ("pt", "pt_us"),
            ("fl oz", "fl_oz_us"), ("calories", "kcal"), ("Kg", "kg"), ("kg m", "spaces"), ("m/", "missing"),
            ("/min", "before"), ("ml//min", "before"), ("m//", "before"), ("(m/s)/kg", "before"), ("²", "not a unit"),
            ("m/(s/kg)/K", "missing"),
            ("ng/mL*h", "ng/(mL*hr) or ng*hr/mL"), ("µg/mL·h", "mcg/(mL·hr) or mcg*hr/mL"),
            ("kg ∕ m * s²", "kg/(m*s^2) or kg*s^2/m"), ("1/m.sec", "1/(m.s) or s/m"), ("ng/foo*h", "not a unit"),
            (")m(", "before"), ("u", "not a unit"), ("µ", "not a unit"), ("m^²", "power"),
        ])
    func refuses(_ text: String, _ hint: String) {
        #expect {
            try HKUnit(parsing: text)
        } throws: { error in
            let message = (error as? HKUnitError)?.description ?? ""
            #expect(message.contains(hint), "\(text): \(message)")
            return message.contains("'\(text)'")
        }
    }

    @Test("HKUnit(from:) has HealthKit's grammar only and stops the program", arguments: ["mL/kg/min", "ug", "bpm"])
    func from(_ text: String) async {
        #expect(throws: HKUnitError.self) { try UnitForm.parsed(text) }
        await #expect(processExitsWith: .failure) {
            _ = try HKUnit(parsing: "mL/kg/min")
            _ = HKUnit(from: "mL/kg/min")
        }
    }

    @Test("every translation is a valid unit, and no symbol of HealthKit is translated")
    func tables() throws {
        for (text, unit) in UnitSpelling.units {
            #expect(throws: Never.self) { try UnitForm.parsed(unit) }
            #expect(throws: HKUnitError.self) { try UnitForm.parsed(text) }
        }
        for (symbol, right) in UnitSpelling.symbols {
            #expect(UnitSymbol.all[right] != nil && UnitSymbol.all[symbol] == nil, "\(symbol)")
        }
        for symbol in UnitSymbol.all.keys { #expect(UnitSpelling.micro(symbol) == nil, "\(symbol)") }
        let file = Tables.root.appendingPathComponent("Docs/Guide/HealthData.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for text in Array(UnitSpelling.units.keys) + Array(UnitSpelling.symbols.keys) {
            #expect(page.contains("`\(text)`"), "\(text)")
        }
    }

    @Test("the translation of any string is a unit or nil")
    func any() {
        for text in ["", "/", "(", ")(", "<>", "a<b/c>d", "/(/)/", String(repeating: "/", count: 4096), "m^", "⁻"] {
            if let right = UnitSpelling.healthKit(text), let form = UnitForm.cached(right.text) {
                #expect(UnitForm.cached(form.text)?.text == form.text)
            }
        }
    }
}
