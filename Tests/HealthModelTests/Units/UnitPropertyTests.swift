// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("S-9 properties of all units")
struct UnitPropertyTests {
    static let metric = ["g", "m", "L", "l", "Pa", "s", "J", "K", "S", "Hz", "V", "W", "rad", "lx"]
    static let prefixes = ["", "p", "n", "mc", "m", "c", "d", "da", "h", "k", "M", "G", "T", "f"]
    static let others = [
        "oz", "lb", "st", "in", "ft", "yd", "mi", "fl_oz_us", "fl_oz_imp", "pt_us", "pt_imp", "cup_us", "cup_imp",
        "mmHg", "cmAq", "atm", "inHg", "min", "hr", "d", "cal", "kcal", "Cal", "degC", "degF", "deg", "D", "pD",
        "count", "%", "IU", "appleEffortScore", "dBASPL", "dBHL",
    ]

    private func factor(_ random: inout SeededGenerator) -> String {
        var text: String
        switch random.below(8) {
        case 0: text = random.pick(Self.prefixes) + "mol<\(random.fraction() * 1000 + 1e-9)>"
        case 1...3: text = random.pick(Self.others)
        default: text = random.pick(Self.prefixes) + random.pick(Self.metric)
        }
        if random.chance(0.3) { text += "^\(random.number(in: -5...5))" }
        return text
    }

    private func product(_ random: inout SeededGenerator) -> String {
        var text = factor(&random)
        for _ in 0..<random.below(4) { text += random.pick([".", "*", "·"]) + factor(&random) }
        return text
    }

    private func unit(_ random: inout SeededGenerator) -> String {
        guard random.chance(0.6) else { return product(&random) }
        let numerator = random.chance(0.1) ? "1" : product(&random)
        return random.chance(0.5) ? "\(numerator)/\(product(&random))" : "\(numerator)/(\(product(&random)))"
    }

    @Test("the canonical string reads back as the same unit", arguments: [UInt64(1), 2, 3])
    func roundTrip(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let text = unit(&random)
            let first = try HKUnit(parsing: text)
            let second = try HKUnit(parsing: first.unitString)
            #expect(first == second, "\(text) \(first) seed \(seed)")
            #expect(first.hashValue == second.hashValue)
            #expect(second.unitString == first.unitString)
            #expect(first.isCompatible(with: second))
            #expect(first.isNull() || !first.unitString.contains("("), "\(first)")
        }
    }

    @Test("unit math is an abelian group", arguments: [UInt64(4)])
    func group(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let a = try HKUnit(parsing: unit(&random))
            let b = try HKUnit(parsing: unit(&random))
            let c = try HKUnit(parsing: unit(&random))
            #expect(a.unitMultiplied(by: b) == b.unitMultiplied(by: a), "seed \(seed)")
            #expect(a.unitMultiplied(by: b).unitMultiplied(by: c) == a.unitMultiplied(by: b.unitMultiplied(by: c)))
            #expect(a.unitMultiplied(by: a.reciprocal()).isNull())
            #expect(a.unitDivided(by: b) == a.unitMultiplied(by: b.reciprocal()))
            #expect(a.unitRaised(toPower: 3) == a.unitMultiplied(by: a).unitMultiplied(by: a))
            #expect(a.reciprocal().reciprocal() == a)
        }
    }

    /// Families of units that convert into each other, from all parts of the grammar.
    static let families = [
        ["g", "kg", "mcg", "oz", "lb", "st", "mol<180.1558800000541>", "mmol<12.0107>"],
        ["m", "km", "cm", "nm", "in", "ft", "yd", "mi"],
        ["L", "mL", "fl_oz_us", "fl_oz_imp", "pt_us", "pt_imp", "cup_us", "cup_imp"],
        ["Pa", "kPa", "mmHg", "cmAq", "atm", "inHg"], ["s", "ms", "min", "hr", "d"],
        ["J", "kJ", "cal", "kcal", "Cal"], ["rad", "mrad", "deg"], ["count/s", "count/min", "%/d", "%/ms"],
        ["mg/dL", "mmol<180.1558800000541>/L", "oz/cup_us", "kg/mL"],
        ["kcal/(kg*hr)", "J/lb.s", "cal/min*st"], ["ml/(kg*min)", "pt_imp/lb*d", "L/g.s"],
        ["m/s^2", "km/hr^2", "ft/min^2"], ["degC/s", "degF/hr", "K/min"], ["rad/s", "deg/min"],
    ]

    @Test("a conversion and its inverse differ by at most one ulp", arguments: [UInt64(5), 6])
    func thereAndBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for family in Self.families {
            let units = try family.map { try HKUnit(parsing: $0) }
            for _ in 0..<2000 {
                let (a, b) = (random.pick(units), random.pick(units))
                let value =
                    (random.fraction() - 0.5) * Double(sign: .plus, exponent: random.below(80) - 40, significand: 1)
                let there = try UnitConversion(from: a, to: b).convert(value)
                let back = try UnitConversion(from: b, to: a).convert(there)
                #expect(abs(back - value) <= value.ulp, "\(value) \(a) -> \(there) \(b) -> \(back), seed \(seed)")
            }
        }
    }

    @Test("conversion preserves the order of numbers", arguments: [UInt64(7)])
    func monotone(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for family in Self.families + [["degC", "degF", "K", "mK"]] {
            let units = try family.map { try HKUnit(parsing: $0) }
            for _ in 0..<300 {
                let conversion = try UnitConversion(from: random.pick(units), to: random.pick(units))
                let value = random.fraction() * 1000 - 500
                #expect(conversion.convert(value) <= conversion.convert(value.nextUp), "\(value) seed \(seed)")
            }
        }
    }

    @Test("temperatures convert back within the last bit of their kelvin value", arguments: [UInt64(8)])
    func temperatures(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let units = [HKUnit.degreeCelsius(), .degreeFahrenheit(), .kelvin()]
        for _ in 0..<3000 {
            let (a, b) = (random.pick(units), random.pick(units))
            let value = random.fraction() * 200 - 50
            let back = try UnitConversion(from: b, to: a).convert(try UnitConversion(from: a, to: b).convert(value))
            #expect(abs(back - value) <= 1.8 * 512.0.ulp, "\(value) \(a) \(b) seed \(seed)")
        }
    }

    @Test("random text never traps", arguments: [UInt64(9), 10])
    func fuzz(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces =
            Self.metric + Self.prefixes + Self.others
            + [
                "mol<", ">", "^", "-", "1", "2", "9999999999", ".", "*", "·", "/", "(", ")", "<", "1e5", " ", "µ", "é",
                "\u{0}",
            ]
        var read = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<random.below(7) { text += random.pick(pieces) }
            if random.chance(0.2) { text = String(decoding: random.bytes(random.below(12)), as: UTF8.self) }
            if random.chance(0.2), !text.isEmpty {
                var bytes = Array(unit(&random).utf8)
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                text = String(decoding: bytes, as: UTF8.self)
            }
            do throws(HKUnitError) {
                let unit = try HKUnit(parsing: text)
                read += 1
                let again = try HKUnit(parsing: unit.unitString)
                #expect(again == unit, "\(text) seed \(seed)")
            } catch {
                guard case .unparsable(text, let offset, _) = error else {
                    Issue.record("\(text): \(error), seed \(seed)")
                    continue
                }
                #expect(offset >= 0 && offset <= text.utf8.count)
            }
        }
        #expect(read > 1000, "too few random texts are units: \(read)")
    }
}
