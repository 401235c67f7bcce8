// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HealthModel

@Suite("S-9 unit strings are parsed and printed")
struct UnitGrammarTests {
    @Test(
        "strings are parsed to their canonical form",
        arguments: [
            // Forms that HealthKit is known to print.
            ("J/(m*kg*s)", "J/m·s·kg"), ("J/(s*kg*m)", "J/m·s·kg"), ("J/(m*s*kg)", "J/m·s·kg"),
            ("kg/m.s^2", "kg/m·s^2"), ("kg/(m.s^2)", "kg/m·s^2"), ("kg.m^-1.s^-2", "kg/m·s^2"),
            ("m.s", "m·s"), ("s*m", "m·s"), ("m·s", "m·s"), ("kcal/(kg*hr)", "kcal/hr·kg"),
            ("ml/(kg*min)", "mL/min·kg"), ("mL/min·kg", "mL/min·kg"), ("kcal/hr·kg", "kcal/hr·kg"),
            ("count/min", "count/min"), ("mg/dL", "mg/dL"), ("", "()"), ("()", "()"), ("1/s", "1/s"),
            ("s^-1", "1/s"), ("mmol<180.1558800000541>/L", "mmol<180.1558800000541>/L"),
            // Forms of the grammar.
            ("l", "L"), ("ml", "mL"), ("dl", "dL"), ("mL", "mL"), ("ML", "ML"), ("Ml", "ML"), ("mcg", "mcg"),
            ("Cal", "Cal"), ("kcal", "kcal"), ("%", "%"), ("%/min", "%/min"), ("IU", "IU"), ("m/(s)", "m/s"),
            ("m^2", "m^2"), ("m.m", "m^2"), ("m^1", "m"), ("m^0", "()"), ("m/m", "()"), ("km/m", "km/m"),
            ("m/s^-2", "m·s^2"), ("1/m^-1", "m"), ("m^-2/s^-3", "s^3/m^2"), ("degC^2", "degC^2"), ("m^007", "m^7"),
            ("fl_oz_us", "fl_oz_us"), ("dBASPL", "dBASPL"), ("appleEffortScore", "appleEffortScore"),
            ("mol<12>", "mol<12>"), ("mol<12.0>", "mol<12>"), ("mol<1.2e1>", "mol<12>"), ("mol<1e-9>", "mol<1e-09>"),
            ("mol<180.15588000005408>", "mol<180.1558800000541>"), ("kmol<2>^2/g", "kmol<2>^2/g"),
            ("mol<2>.mol<2>", "mol<2>^2"), ("mol<2>.mol<3>", "mol<2>·mol<3>"), ("1/mol<2>^2*s", "1/s·mol<2>^2"),
        ])
    func accepts(_ text: String, _ canonical: String) throws {
        let unit = try HKUnit(parsing: text)
        #expect(unit.unitString == canonical)
        #expect(unit.description == canonical)
        #expect(HKUnit(from: text) == unit)
        #expect(try HKUnit(parsing: canonical) == unit)
        #expect(unit.isNull() == (canonical == "()"))
    }

    @Test(
        "invalid strings are refused with the offset of the error",
        arguments: [
            ("ug", 0), ("μg", 0), ("µg", 0), ("Kg", 0), ("KG", 0), ("kWh", 0), ("mL/kg/min", 5), ("J/m/kg/s", 3),
            ("foo", 0), ("m foo", 0), (" m", 0), ("m ", 0), ("m/", 2), ("/s", 0), ("/", 0), ("1", 0), ("1/", 2),
            ("1.s", 0), ("m/1", 2), ("2m", 0), (".", 0), ("m.", 2), ("m..s", 2), ("m*/s", 2), ("m·", 3),
            ("m^", 2), ("m^-", 3), ("m^+2", 2), ("m^x", 2), ("m^2.5", 4), ("m^9999999999", 2),
            ("m^99999999999999999999999", 2), ("m^2147483648", 2), ("m2", 0), ("m^2^2", 3),
            ("(m)", 0), ("(m/s)", 0), ("m(s)", 1), ("m/(s", 4), ("m/s)", 3), ("m/((s))", 3), ("m/()", 3),
            ("m/(s)^2", 5),
            ("m/(s).g", 5), ("m/(s/g)", 4), ("(", 0), (")", 0), ("mol", 3), ("mol<", 4), ("mol<>", 4),
            ("mol<0>", 4), ("mol<-1>", 4), ("mol<nan>", 4), ("mol<inf>", 4), ("mol<0x10>", 4), ("mol<1e999>", 4),
            ("mol<1", 4), ("mol<1,5>", 4), ("mol<.5>", 4), ("mol<+5>", 4), ("m<5>", 1), ("mol<2>>", 6), ("kIU", 0),
            ("kmin", 0), ("mcount", 0), ("klb", 0), ("kdegC", 0), ("mKg", 0), ("kkg", 0), ("k", 0), ("mc", 0),
            ("COUNT", 0), ("Count/min", 0), ("count/Min", 6), ("m\u{0}", 0), ("°C", 0), ("m²", 0), ("m⋅s", 0),
        ])
    func refuses(_ text: String, _ offset: Int) {
        #expect {
            try UnitForm.parsed(text)
        } throws: { error in
            guard case .unparsable(text, offset, let reason)? = error as? HKUnitError else {
                Issue.record("\(text): \(error)")
                return false
            }
            return !reason.isEmpty
        }
    }

    @Test(
        "the message suggests the correct spelling",
        arguments: [
            ("ug", "mcg"), ("μg/L", "mcg"), ("Kg", "kg"), ("MMHG", "mmHg"), ("mL/kg/min", "mL/kg*min"),
            ("count / min", "spaces"), ("lbs", "write lb"), ("mol", "mol<gram per mole>"), ("s^x", "s^-1"),
        ])
    func hints(_ text: String, _ hint: String) {
        #expect(throws: HKUnitError.self) { try UnitForm.parsed(text) }
        do { _ = try UnitForm.parsed(text) } catch { #expect(error.description.contains(hint), "\(error)") }
    }

    @Test("a string that is too long is refused before it is parsed")
    func tooLong() throws {
        let longest = Array(repeating: "m", count: 2048).joined(separator: ".")
        #expect(try HKUnit(parsing: longest).unitString == "m^2048")
        #expect(throws: HKUnitError.self) { try HKUnit(parsing: longest + ".m") }
        #expect(throws: HKUnitError.self) { try HKUnit(parsing: String(repeating: "(", count: 10_000_000)) }
    }

    @Test("the same string gives equal units, from any thread")
    func cache() async throws {
        let units = try await withThrowingTaskGroup(of: HKUnit.self) { group in
            for number in 0..<400 {
                group.addTask { try HKUnit(parsing: number % 2 == 0 ? "kcal/(kg*hr)" : "mol<\(number + 1)>/L") }
            }
            return try await group.reduce(into: Set<HKUnit>()) { $0.insert($1) }
        }
        #expect(units.count == 201)
    }

    @Test("HKUnit(from:) stops the program for an invalid string")
    func precondition() async {
        await #expect(processExitsWith: .failure) { _ = HKUnit(from: "furlong") }
    }
}
