// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HealthModel
import Testing

@Suite("S-9 a quantity is a number with a unit")
struct HKQuantityTests {
    private func quantity(_ value: Double, _ unit: String) -> HKQuantity {
        HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
    }

    @Test("blood glucose converts between its two units")
    func glucose() throws {
        let level = quantity(100, "mg/dL")
        let molar = HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose).unitDivided(by: .liter())
        #expect(abs(level.doubleValue(for: molar) - 5.55075) < 1e-5)
        #expect(level.doubleValue(for: HKUnit(from: "mg/dL")) == 100)
        #expect(quantity(5.5, "mmol<180.1558800000541>/L").is(compatibleWith: HKUnit(from: "mg/dL")))
    }

    @Test("an incompatible unit throws, or gives NaN where HealthKit's signature cannot throw")
    func incompatible() {
        let mass = quantity(1, "kg")
        #expect(!mass.is(compatibleWith: .meter()))
        #expect(throws: HKUnitError.incompatible(from: "kg", to: "m")) { try mass.value(in: .meter()) }
        #expect(mass.doubleValue(for: .meter()).isNaN)
        #expect(throws: HKUnitError.incompatible(from: "kg", to: "m")) { try mass.compared(to: quantity(1, "m")) }
        #expect(mass.compare(quantity(1, "m")) == .orderedAscending)
        #expect(quantity(1, "m").compare(mass) == .orderedDescending)
        #expect(mass != quantity(1, "m"))
    }

    @Test("quantities compare and hash by amount, whatever their unit")
    func comparing() throws {
        #expect(quantity(1, "kg").compare(quantity(999, "g")) == .orderedDescending)
        #expect(quantity(1, "lb").compare(quantity(1, "kg")) == .orderedAscending)
        #expect(try quantity(32, "degF").compared(to: quantity(0, "degC")) == .orderedSame)
        #expect(quantity(1, "kg") == quantity(1000, "g"))
        #expect(quantity(1, "lb") == quantity(0.45359237, "kg"))
        #expect(quantity(60, "count/min") == quantity(1, "count/s"))
        #expect(quantity(0.97, "%") == quantity(0.97, "count"))
        #expect(quantity(0, "m") == quantity(-0.0, "km"))
        let same = [quantity(1, "kg"), quantity(1000, "g"), quantity(1e6, "mg"), quantity(0.001, "Mg")]
        #expect(Set(same).count == 1)
        #expect(Set([quantity(0, "m"), quantity(-0.0, "m")]).count == 1)
        let nothing = quantity(.nan, "m")
        #expect(nothing == quantity(.nan, "m") && Set([nothing, quantity(.nan, "km")]).count == 1)
        #expect(nothing.compare(quantity(-.infinity, "m")) == .orderedAscending)
        #expect(quantity(1, "kg") != quantity(1.0000000000000002, "kg"))
    }

    @Test("a quantity prints its number and its unit")
    func printing() {
        #expect(quantity(72, "count/min").description == "72 count/min")
        #expect(quantity(4.5, "kcal/(kg*hr)").description == "4.5 kcal/hr·kg")
        #expect(quantity(5.1, "mmol<180.1558800000541>/L").description == "5.1 mmol<180.1558800000541>/L")
        #expect(quantity(-0.0, "m").description == "-0 m")
        #expect(quantity(1e300, "m").description == "1e+300 m")
        #expect(quantity(3, "").description == "3 ()")
    }

    @Test("a quantity keeps its number and unit unchanged")
    func keeping() {
        let value = 0.1 + 0.2
        let energy = quantity(value, "Cal")
        #expect(energy.value.bitPattern == value.bitPattern && energy.unit.unitString == "Cal")
        #expect(energy.doubleValue(for: .largeCalorie()).bitPattern == value.bitPattern)
        #expect(energy.doubleValue(for: .kilocalorie()).bitPattern == value.bitPattern)
    }
}
