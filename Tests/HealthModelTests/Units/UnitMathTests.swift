// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-9 arithmetic of units")
struct UnitMathTests {
    @Test(
        "each factory has its unit string",
        arguments: [
            (HKUnit.gram(), "g"), (.ounce(), "oz"), (.pound(), "lb"), (.stone(), "st"), (.meter(), "m"),
            (.inch(), "in"), (.foot(), "ft"), (.yard(), "yd"), (.mile(), "mi"), (.liter(), "L"),
            (.fluidOunceUS(), "fl_oz_us"), (.fluidOunceImperial(), "fl_oz_imp"), (.pintUS(), "pt_us"),
            (.pintImperial(), "pt_imp"), (.cupUS(), "cup_us"), (.cupImperial(), "cup_imp"), (.pascal(), "Pa"),
            (.millimeterOfMercury(), "mmHg"), (.inchesOfMercury(), "inHg"), (.centimeterOfWater(), "cmAq"),
            (.atmosphere(), "atm"), (.decibelAWeightedSoundPressureLevel(), "dBASPL"),
            (.decibelHearingLevel(), "dBHL"), (.second(), "s"), (.minute(), "min"), (.hour(), "hr"), (.day(), "d"),
            (.hertz(), "Hz"), (.joule(), "J"), (.kilocalorie(), "kcal"), (.smallCalorie(), "cal"),
            (.largeCalorie(), "Cal"), (.calorie(), "cal"), (.watt(), "W"), (.degreeCelsius(), "degC"),
            (.degreeFahrenheit(), "degF"), (.kelvin(), "K"), (.siemen(), "S"), (.volt(), "V"), (.lux(), "lx"),
            (.radianAngle(), "rad"), (.degreeAngle(), "deg"), (.diopter(), "D"), (.prismDiopter(), "pD"),
            (.count(), "count"), (.percent(), "%"), (.internationalUnit(), "IU"),
            (.appleEffortScore(), "appleEffortScore"), (.moleUnit(withMolarMass: 12), "mol<12>"),
        ])
    func factories(_ unit: HKUnit, _ text: String) throws {
        #expect(unit.unitString == text)
        #expect(try HKUnit(parsing: text) == unit)
    }

    @Test(
        "each factory with a prefix has the string of each prefix",
        arguments: [
            (HKMetricPrefix.none, ""), (.pico, "p"), (.nano, "n"), (.micro, "mc"), (.milli, "m"), (.centi, "c"),
            (.deci, "d"), (.deca, "da"), (.hecto, "h"), (.kilo, "k"), (.mega, "M"), (.giga, "G"), (.tera, "T"),
            (.femto, "f"),
        ])
    func prefixes(_ prefix: HKMetricPrefix, _ letters: String) throws {
        let units: [(HKUnit, String)] = [
            (.gramUnit(with: prefix), "g"), (.meterUnit(with: prefix), "m"), (.literUnit(with: prefix), "L"),
            (.pascalUnit(with: prefix), "Pa"), (.secondUnit(with: prefix), "s"), (.jouleUnit(with: prefix), "J"),
            (.siemenUnit(with: prefix), "S"), (.hertzUnit(with: prefix), "Hz"), (.voltUnit(with: prefix), "V"),
            (.wattUnit(with: prefix), "W"), (.radianAngleUnit(with: prefix), "rad"), (.luxUnit(with: prefix), "lx"),
            (.moleUnit(with: prefix, molarMass: 2.5), "mol<2.5>"), (HKUnit(from: letters + "K"), "K"),
        ]
        for (unit, base) in units {
            #expect(unit.unitString == letters + base)
            #expect(try HKUnit(parsing: letters + base) == unit)
        }
    }

    @Test("prefixes have HealthKit's raw values")
    func prefixRawValues() {
        let order: [HKMetricPrefix] = [
            .none, .pico, .nano, .micro, .milli, .centi, .deci, .deca, .hecto, .kilo, .mega, .giga, .tera, .femto,
        ]
        #expect(order.map(\.rawValue) == Array(0...13))
    }

    @Test("products, quotients, powers and reciprocals are computed")
    func math() {
        let metre = HKUnit.meter()
        let second = HKUnit.second()
        let squared = second.unitRaised(toPower: 2)
        #expect(metre.unitDivided(by: squared).unitString == "m/s^2")
        #expect(metre.unitMultiplied(by: second).unitString == "m·s")
        #expect(squared.reciprocal().unitString == "1/s^2")
        #expect(metre.unitMultiplied(by: metre) == metre.unitRaised(toPower: 2))
        #expect(metre.unitRaised(toPower: 1) == metre)
        #expect(metre.unitRaised(toPower: 0).isNull())
        #expect(metre.unitDivided(by: metre).isNull())
        #expect(metre.unitRaised(toPower: -2).unitString == "1/m^2")
        let celsius = HKUnit.degreeCelsius()
        #expect(celsius.unitMultiplied(by: metre).unitString == "m·degC")
        #expect(celsius.unitMultiplied(by: metre).unitDivided(by: celsius) == metre)
        let glucose = HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose)
        #expect(glucose.unitDivided(by: .liter()).unitString == "mmol<180.1558800000541>/L")
        #expect(glucose.unitDivided(by: .liter()) == HKUnit(from: "mmol<180.1558800000541>/L"))
    }

    @Test("extreme powers and molar masses never trap")
    func extremes() throws {
        let most = HKUnit.meter().unitRaised(toPower: .max)
        #expect(most.unitString == "m^2147483647")
        #expect(most.unitMultiplied(by: most) == most)
        #expect(most.unitRaised(toPower: .min).unitString == "1/m^2147483647")
        #expect(HKUnit.meter().unitRaised(toPower: .min).unitRaised(toPower: .min) == most)
        #expect(try HKUnit(parsing: most.unitString) == most)
        #expect(try HKQuantity(unit: most, doubleValue: 2).value(in: HKUnit(from: "km^2147483647")) == 0)
        #expect(
            try HKQuantity(unit: HKUnit(from: "hr^999"), doubleValue: 2).value(in: HKUnit(from: "s^999")) == .infinity)
        for mass: Double in [0, -1, .nan, .infinity, -.infinity] {
            #expect(HKUnit.moleUnit(withMolarMass: mass).isNull())
        }
        for mass in [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2, 9.999999999999999e22] {
            let unit = HKUnit.moleUnit(withMolarMass: mass)
            #expect(try HKUnit(parsing: unit.unitString) == unit)
        }
    }

    @Test("a stored text that is not a unit keeps its text and converts only to itself")
    func unreadable() throws {
        let (one, other) = (HKUnit.stored("blorb"), HKUnit.stored("what?"))
        #expect(one.unitString == "blorb" && one == HKUnit.stored("blorb") && one != other && !one.isNull())
        #expect(one.isCompatible(with: .stored("blorb")) && !one.isCompatible(with: other))
        for unit in [HKUnit.count(), .percent(), HKUnit(from: ""), HKUnit(from: "kg")] {
            #expect(!one.isCompatible(with: unit) && !unit.isCompatible(with: one))
            #expect(HKQuantity(unit: one, doubleValue: 5).doubleValue(for: unit).isNaN)
            #expect(!one.unitMultiplied(by: unit).isCompatible(with: unit))
            #expect(!unit.unitDivided(by: one).isCompatible(with: unit))
        }
        let quantity = HKQuantity(unit: one, doubleValue: 5)
        #expect(quantity.doubleValue(for: one) == 5 && quantity.description == "5 blorb")
        #expect(quantity == HKQuantity(unit: .stored("blorb"), doubleValue: 5))
        #expect(quantity != HKQuantity(unit: .count(), doubleValue: 5))
        #expect(one.reciprocal() != one && one.unitRaised(toPower: 1) == one)
        #expect(HKUnit.stored(nil) == .count() && HKUnit.stored("km") == HKUnit(from: "km"))
    }

    @Test("units are compatible exactly within their dimension")
    func dimensions() {
        func together(_ a: String, _ b: String) -> Bool { HKUnit(from: a).isCompatible(with: HKUnit(from: b)) }
        for (a, b) in [
            ("g", "lb"), ("g", "mol<5>"), ("mol<5>", "mmol<6>"), ("count", "%"), ("count/s", "%/d"), ("degC", "K"),
            ("degF", "degC"), ("mg/dL", "kg/pt_us"), ("mmHg", "atm"), ("Cal", "J"), ("deg", "rad"), ("", "m/ft"),
            ("degC/degF", "()"), ("J/m", "kcal/in"),
        ] {
            #expect(together(a, b) && together(b, a), "\(a) \(b)")
        }
        for (a, b) in [
            ("g", "m"), ("count", ""), ("count/s", "Hz"), ("count/s", "1/s"), ("W", "J/s"), ("L", "m^3"),
            ("dBASPL", "Pa"), ("dBASPL", "dBHL"), ("Pa", "kg/m.s^2"), ("D", "1/m"), ("D", "pD"), ("IU", "count"),
            ("appleEffortScore", "count"), ("m", "m^2"), ("m", "1/m"), ("degC", "degC^2"), ("V", "W"), ("S", "s"),
        ] {
            #expect(!together(a, b) && !together(b, a), "\(a) \(b)")
        }
    }
}
