// SPDX-License-Identifier: Apache-2.0

/// What a number is measured in: a product of powers of units, such as `count/min`, `mg/dL` or `kcal/hr·kg`.
///
/// Two units are equal when they mean the same: `kg/m.s^2`, `kg/(m*s^2)` and `kg.m^-1.s^-2` are one unit, `ml` and
/// `mL` too. `kcal` and `Cal` convert one to one and are still two units, since each keeps the name it has. Units are
/// immutable and may be shared between threads.
public final class HKUnit: Sendable, Hashable, CustomStringConvertible {
    let form: UnitForm

    init(_ form: UnitForm) { self.form = form }

    /// The unit that a string means, checked: this is the way for strings from files, people and other programs.
    ///
    /// It reads HealthKit's grammar, and spellings of other programs that can mean one thing only: `mL/kg/min`, `bpm`,
    /// `µg/dL`, `kg/m²`. A string that was asked for before costs one or two dictionary look-ups.
    /// - Throws: ``HKUnitError/unparsable(string:offset:reason:)``.
    public init(parsing string: String) throws(HKUnitError) { form = try UnitForm.read(string) }

    /// The unit that a string means in HealthKit's grammar, for strings that are part of the program.
    ///
    /// HealthKit raises an exception when the string is no unit, and the signature leaves no room for an error. Here
    /// it stops the program with the message of the error, in release builds too. Use ``init(parsing:)`` for every
    /// string that the program did not write itself.
    public init(from string: String) {
        do {
            form = try UnitForm.parsed(string)
        } catch {
            preconditionFailure("HKUnit(from:): \(error); use HKUnit(parsing:) for strings that may be wrong")
        }
    }

    /// The unit of stored numbers: what its text means, `count` where there is none. A text that is no unit as far as
    /// is known, as of a newer system, is kept as it is: numbers in it convert to nothing else.
    package static func stored(_ text: String?) -> HKUnit {
        guard let text else { return .count() }
        return (try? HKUnit(parsing: text)) ?? HKUnit(UnitForm(unreadable: text))
    }

    /// The unit in its canonical form, which ``init(parsing:)`` reads back to an equal unit; `()` for the null unit.
    ///
    /// Factors stand in a fixed order, `·` between them, one `/` before the denominator, `1/` where the numerator is
    /// empty, no parentheses: `mL/min·kg`, `m^2`, `1/s`.
    public var unitString: String { form.text }

    /// The canonical unit string.
    public var description: String { form.text }

    /// Whether this is the unit of a pure number: the empty product, written `()` and read from `()` or nothing.
    public func isNull() -> Bool { form.isReadable && form.factors.isEmpty }

    /// Whether numbers in this unit convert to the other: both are the same product of dimensions.
    ///
    /// Offsets play no part: `degC` and `K` are compatible.
    public func isCompatible(with unit: HKUnit) -> Bool {
        form === unit.form || form.isCompatible(with: unit.form)
    }

    /// Whether both mean the same, however they were written.
    public static func == (a: HKUnit, b: HKUnit) -> Bool { a.form === b.form || a.form.text == b.form.text }

    /// Hashes the canonical string.
    public func hash(into hasher: inout Hasher) { hasher.combine(form.text) }
}

// Unit math. Powers stick at ±(2^31 - 1).
extension HKUnit {
    /// The product of both units; equal units become a power, opposite powers cancel: `(degC·m)/degC` is `m`.
    public func unitMultiplied(by unit: HKUnit) -> HKUnit {
        unreadable(with: unit, "·") ?? HKUnit(UnitForm(form.factors + unit.form.factors))
    }

    /// The quotient of both units.
    public func unitDivided(by unit: HKUnit) -> HKUnit {
        unreadable(with: unit, "/") ?? HKUnit(UnitForm(form.factors + Self.powers(unit.form.factors, -1)))
    }

    /// The unit to a whole power, which may be negative; the power zero is the null unit.
    public func unitRaised(toPower power: Int) -> HKUnit {
        if power == 1 { return self }
        if !form.isReadable { return HKUnit(UnitForm(unreadable: "(\(form.text))^\(power)")) }
        return HKUnit(UnitForm(Self.powers(form.factors, power)))
    }

    /// One over the unit.
    public func reciprocal() -> HKUnit { unitRaised(toPower: -1) }

    /// The product or quotient of units of which one is a text that is no unit; nil of others.
    private func unreadable(with unit: HKUnit, _ sign: String) -> HKUnit? {
        if form.isReadable, unit.form.isReadable { return nil }
        return HKUnit(UnitForm(unreadable: "(\(form.text))\(sign)(\(unit.form.text))"))
    }

    private static func powers(_ factors: [UnitFactor], _ power: Int) -> [UnitFactor] {
        factors.map { factor in
            var raised = factor
            let (product, overflow) = factor.power.multipliedReportingOverflow(by: power)
            raised.power = overflow ? ((factor.power < 0) == (power < 0) ? .max : -.max) : product
            raised.power = UnitFactor.bounded(raised.power)
            return raised
        }
    }
}
