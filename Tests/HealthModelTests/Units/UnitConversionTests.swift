// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-9 conversions are exact")
struct UnitConversionTests {
    @Test("every test vector converts exactly, to the last bit")
    func vectors() throws {
        var from = ""
        var to = ""
        var checked = 0
        for line in conversionVectors.split(separator: "\n") {
            if let arrow = line.firstRange(of: " > ") {
                from = String(line[..<arrow.lowerBound])
                to = String(line[arrow.upperBound...])
                continue
            }
            let conversion = try UnitConversion(from: HKUnit(parsing: from), to: HKUnit(parsing: to))
            for cell in line.split(separator: " ") {
                let parts = cell.split(separator: ":").compactMap { UInt64($0, radix: 16) }
                try #require(parts.count == 2)
                let result = conversion.convert(Double(bitPattern: parts[0]))
                let right = Double(bitPattern: parts[1])
                #expect(
                    result.bitPattern == parts[1],
                    "\(Double(bitPattern: parts[0])) \(from) is \(right) \(to), not \(result)")
                checked += 1
            }
        }
        #expect(checked > 500, "\(checked)")
    }

    @Test(
        "one of each unit converts to the table's factor of its base unit",
        arguments: [
            ("oz", "g", 28.349523125), ("lb", "g", 453.59237), ("st", "g", 6350.29318), ("mol<42.5>", "g", 42.5),
            ("in", "m", 0.0254), ("ft", "m", 0.3048), ("yd", "m", 0.9144), ("mi", "m", 1609.344),
            ("fl_oz_us", "L", 0.0295735295625), ("fl_oz_imp", "L", 0.0284130625), ("pt_us", "L", 0.473176473),
            ("pt_imp", "L", 0.56826125), ("cup_us", "L", 0.2365882365), ("cup_imp", "L", 0.284130625),
            ("mmHg", "Pa", 133.32236842105263), ("cmAq", "Pa", 98.06649606299213), ("atm", "Pa", 101325),
            ("inHg", "Pa", 3386.38816), ("min", "s", 60), ("hr", "s", 3600), ("d", "s", 86400), ("cal", "J", 4.184),
            ("kcal", "J", 4184), ("Cal", "J", 4184), ("deg", "rad", Double.pi / 180), ("%", "count", 1),
            ("mol<12>", "mol<2>", 6), ("pg", "g", 1e-12), ("ng", "g", 1e-9), ("mcg", "g", 1e-6), ("mg", "g", 1e-3),
            ("cg", "g", 1e-2), ("dg", "g", 1e-1), ("dag", "g", 10), ("hg", "g", 100), ("kg", "g", 1000),
            ("Mg", "g", 1e6), ("Gg", "g", 1e9), ("Tg", "g", 1e12), ("fg", "g", 1e-15), ("ft", "in", 12),
            ("mi", "ft", 5280), ("yd", "ft", 3), ("lb", "oz", 16), ("st", "lb", 14), ("cup_us", "fl_oz_us", 8),
        ])
    func factors(_ unit: String, _ base: String, _ factor: Double) throws {
        let one = HKQuantity(unit: try HKUnit(parsing: unit), doubleValue: 1)
        let exact = try one.value(in: HKUnit(parsing: base))
        // The table's US cup is slightly less than eight US fluid ounces.
        if unit == "cup_us", base == "fl_oz_us" {
            #expect(abs(exact - factor) < 1e-8)
        } else {
            #expect(exact == factor)
        }
    }

    @Test("temperatures have an offset alone, but not as part of a product")
    func temperatures() throws {
        func convert(_ value: Double, _ from: String, _ to: String) throws -> Double {
            try HKQuantity(unit: HKUnit(parsing: from), doubleValue: value).value(in: HKUnit(parsing: to))
        }
        #expect(try convert(32, "degF", "degC") == 0)
        #expect(try convert(212, "degF", "degC") == 100)
        #expect(try convert(-40, "degF", "degC") == -40)
        #expect(try convert(98.6, "degF", "degC") == 37)
        #expect(try convert(37, "degC", "degF") == 98.6)
        #expect(try convert(0, "degC", "K") == 273.15)
        #expect(try convert(0, "degF", "K") == 459.67 / 1.8)
        #expect(try convert(273_150, "mK", "degC") == 0)
        #expect(try convert(0, "K", "degF") == -459.67)
        #expect(try convert(9, "degF/min", "degC/min") == 5)
        #expect(try convert(5, "degC^-1", "degF^-1") == 25.0 / 9)
        #expect(try convert(10, "m.degC/degC", "m") == 10)
        #expect(try convert(1e300, "degF", "degC").isApproximately(1e300 / 1.8))
        #expect(try convert(.infinity, "degF", "degC") == .infinity)
        #expect(try convert(-.infinity, "degC", "K") == -.infinity)
        #expect(try convert(.nan, "degC", "degF").isNaN)
    }

    @Test("a conversion to the same unit keeps all bits")
    func identity() throws {
        let odd: [Double] = [-0.0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, 98.60000000000001]
        for unit in ["degF", "mmol<180.1558800000541>/L", "kcal/hr·kg", "%", ""] {
            let same = try UnitConversion(from: HKUnit(parsing: unit), to: HKUnit(parsing: unit))
            #expect(same.isIdentity)
            for value in odd {
                #expect(same.convert(value).bitPattern == value.bitPattern)
                let quantity = HKQuantity(unit: try HKUnit(parsing: unit), doubleValue: value)
                #expect(try quantity.value(in: HKUnit(parsing: unit)).bitPattern == value.bitPattern)
            }
        }
        let percent = try UnitConversion(from: .percent(), to: .count())
        #expect(percent.isIdentity)
        #expect(try UnitConversion(from: .kilocalorie(), to: .largeCalorie()).isIdentity)
    }

    @Test("extreme numbers keep their sign and overflow only if the result does")
    func extremes() throws {
        let pounds = try UnitConversion(from: HKUnit(from: "lb/ft"), to: HKUnit(from: "mg/in"))
        #expect(pounds.convert(-0.0).bitPattern == (-0.0).bitPattern)
        #expect(pounds.convert(1e308) == .infinity)
        #expect(pounds.convert(-1e308) == -.infinity)
        #expect(pounds.convert(.nan).isNaN)
        let back = try UnitConversion(from: HKUnit(from: "mg/in"), to: HKUnit(from: "lb/ft"))
        #expect(back.convert(1e308).isApproximately(1e308 / 453592.37 * 12))
        #expect(back.convert(.leastNonzeroMagnitude) == 0)
        let far = try UnitConversion(from: HKUnit(from: "fm^30"), to: HKUnit(from: "Tm^30"))
        #expect(far.convert(1e300) == 0)
    }

    @Test("many values are converted in place")
    func bulk() throws {
        let conversion = try UnitConversion(from: HKUnit(from: "count/min"), to: HKUnit(from: "count/s"))
        var values = (0..<1000).map(Double.init)
        conversion.convert(&values)
        #expect(values == (0..<1000).map { conversion.convert(Double($0)) })
        #expect(values[72] == 1.2)
    }

    @Test("incompatible units throw an error that names both")
    func incompatible() {
        #expect(throws: HKUnitError.incompatible(from: "mL/min·kg", to: "kg")) {
            try UnitConversion(from: HKUnit(from: "ml/(kg*min)"), to: HKUnit(from: "kg"))
        }
    }
}

extension Double {
    func isApproximately(_ other: Double) -> Bool { abs(self - other) <= 2 * other.ulp }
}
