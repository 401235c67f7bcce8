// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A unit of measurement: a product of powers of base units, such as `count/min`, `mg/dL` or `kcal/hr·kg`.
///
/// Two units are equal if they mean the same: `kg/m.s^2`, `kg/(m*s^2)` and `kg.m^-1.s^-2` are one unit, as are `ml` and
/// `mL`. `kcal` and `Cal` convert one to one, but are two units, since each keeps its name. Units are immutable and may
/// be shared between threads.
public final class HKUnit: NSObject, NSSecureCoding, NSCopying, Sendable {
    let form: UnitForm

    init(_ form: UnitForm) {
        self.form = form
        super.init()
    }

    /// Parses a unit string from a file, a person or another program.
    ///
    /// Accepts HealthKit's grammar and unambiguous spellings of other programs: `mL/kg/min`, `bpm`, `µg/dL`, `kg/m²`. A
    /// string that was parsed before costs one or two dictionary lookups.
    /// - Throws: ``HKUnitError/unparsable(string:offset:reason:)``.
    public init(parsing string: String) throws(HKUnitError) {
        form = try UnitForm.read(string)
        super.init()
    }

    /// Creates the unit of a string literal in HealthKit's grammar.
    ///
    /// HealthKit raises an exception for an invalid string, and the signature has no place for an error. Here an
    /// invalid string ends the program with the error's message, in release builds too. Use ``init(parsing:)`` for
    /// every string that is not part of the program.
    public init(from string: String) {
        do {
            form = try UnitForm.parsed(string)
        } catch {
            preconditionFailure("HKUnit(from:): \(error); use HKUnit(parsing:) for strings that may be wrong")
        }
        super.init()
    }

    /// Returns the unit of stored numbers; `count` if there is no text. A text that is not a known unit, for instance
    /// from a newer system, is kept unchanged, and its numbers convert to no other unit.
    package static func stored(_ text: String?) -> HKUnit {
        guard let text else { return .count() }
        return (try? HKUnit(parsing: text)) ?? HKUnit(UnitForm(unreadable: text))
    }

    /// The canonical form, which ``init(parsing:)`` parses to an equal unit; `()` for the null unit.
    ///
    /// Factors are in a fixed order with `·` between them, one `/` before the denominator, `1/` for an empty numerator
    /// and no parentheses: `mL/min·kg`, `m^2`, `1/s`.
    public var unitString: String { form.text }

    /// The canonical unit string.
    public override var description: String { form.text }

    /// Returns whether this is the null unit, the unit of pure numbers: written `()`, parsed from `()` or no text.
    public func isNull() -> Bool { form.isReadable && form.factors.isEmpty }

    /// Returns whether numbers in this unit convert to the other: both are the same product of dimensions.
    ///
    /// Offsets do not matter: `degC` and `K` are compatible.
    public func isCompatible(with unit: HKUnit) -> Bool {
        form === unit.form || form.isCompatible(with: unit.form)
    }

    /// Returns whether both units have the same canonical form.
    public static func == (a: HKUnit, b: HKUnit) -> Bool { a.form === b.form || a.form.text == b.form.text }

    /// Returns whether the other object is a unit with the same canonical form.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKUnit else { return false }
        return self == other
    }

    /// The hash of the canonical string.
    public override var hash: Int { form.text.hashValue }

    /// Returns the unit itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the canonical string.
    public func encode(with coder: NSCoder) { coder.encode([unitString], record: "unit") }

    /// Decodes a unit that `encode(with:)` encoded; nil if the archive has no unit.
    public convenience init?(coder: NSCoder) {
        guard let text = coder.decode([String].self, record: "unit")?.first else { return nil }
        self.init(HKUnit.stored(text).form)
    }

    // Unit arithmetic. Powers saturate at ±(2^31 - 1).

    /// Returns the product; equal units become a power, opposite powers cancel: `(degC·m)/degC` is `m`.
    public func unitMultiplied(by unit: HKUnit) -> HKUnit {
        unreadable(with: unit, "·") ?? HKUnit(UnitForm(form.factors + unit.form.factors))
    }

    /// Returns the quotient.
    public func unitDivided(by unit: HKUnit) -> HKUnit {
        unreadable(with: unit, "/") ?? HKUnit(UnitForm(form.factors + Self.powers(unit.form.factors, -1)))
    }

    /// Returns the unit to an integer power, which may be negative; power zero is the null unit.
    public func unitRaised(toPower power: Int) -> HKUnit {
        if power == 1 { return self }
        if !form.isReadable { return HKUnit(UnitForm(unreadable: "(\(form.text))^\(power)")) }
        return HKUnit(UnitForm(Self.powers(form.factors, power)))
    }

    /// Returns the reciprocal of the unit.
    public func reciprocal() -> HKUnit { unitRaised(toPower: -1) }

    /// Returns the product or quotient if one of the units is an unparsable text; nil otherwise.
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
