// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Conversions to and from the units of Foundation's formatters.
extension HKUnit {
    private static let energies: [(EnergyFormatter.Unit, HKUnit)] = [
        (.joule, .joule()), (.kilojoule, .jouleUnit(with: .kilo)), (.calorie, .smallCalorie()),
        (.kilocalorie, .kilocalorie()),
    ]
    private static let lengths: [(LengthFormatter.Unit, HKUnit)] = [
        (.millimeter, .meterUnit(with: .milli)), (.centimeter, .meterUnit(with: .centi)), (.meter, .meter()),
        (.kilometer, .meterUnit(with: .kilo)), (.inch, .inch()), (.foot, .foot()), (.yard, .yard()), (.mile, .mile()),
    ]
    private static let masses: [(MassFormatter.Unit, HKUnit)] = [
        (.gram, .gram()), (.kilogram, .gramUnit(with: .kilo)), (.ounce, .ounce()), (.pound, .pound()),
        (.stone, .stone()),
    ]

    /// Creates the unit of an energy formatter.
    public convenience init(from energyFormatterUnit: EnergyFormatter.Unit) {
        self.init((Self.energies.first { $0.0 == energyFormatterUnit }?.1 ?? .joule()).form)
    }

    /// Creates the unit of a length formatter.
    public convenience init(from lengthFormatterUnit: LengthFormatter.Unit) {
        self.init((Self.lengths.first { $0.0 == lengthFormatterUnit }?.1 ?? .meter()).form)
    }

    /// Creates the unit of a mass formatter.
    public convenience init(from massFormatterUnit: MassFormatter.Unit) {
        self.init((Self.masses.first { $0.0 == massFormatterUnit }?.1 ?? .gram()).form)
    }

    /// Returns the energy formatter's unit; joule for a unit that the formatter does not have, where HealthKit raises
    /// an exception.
    public static func energyFormatterUnit(from unit: HKUnit) -> EnergyFormatter.Unit {
        energies.first { $0.1 == unit }?.0 ?? (unit == .largeCalorie() ? .kilocalorie : .joule)
    }

    /// Returns the length formatter's unit; metre for a unit that the formatter does not have, where HealthKit raises
    /// an exception.
    public static func lengthFormatterUnit(from unit: HKUnit) -> LengthFormatter.Unit {
        lengths.first { $0.1 == unit }?.0 ?? .meter
    }

    /// Returns the mass formatter's unit; gram for a unit that the formatter does not have, where HealthKit raises an
    /// exception.
    public static func massFormatterUnit(from unit: HKUnit) -> MassFormatter.Unit {
        masses.first { $0.1 == unit }?.0 ?? .gram
    }
}
