// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A number with its unit. The number is kept as it came, bit for bit, and converted when it is asked for.
///
/// Two quantities are equal when they are the same amount: 1 `kg` and 1000 `g`. Amounts are compared in the
/// dimension's base unit, rounded to a `Double`.
public final class HKQuantity: Sendable, Hashable, CustomStringConvertible {
    /// The unit that the quantity was made with.
    public let unit: HKUnit
    /// The number in ``unit``.
    public let value: Double

    /// A quantity of this many units. Every number is taken, NaN and infinities too; a store refuses those.
    public init(unit: HKUnit, doubleValue value: Double) {
        self.unit = unit
        self.value = value
    }

    /// Whether the quantity has a number in this unit.
    public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

    /// The number in another unit, correctly rounded; in the own unit the identical bits.
    ///
    /// - Throws: ``HKUnitError/incompatible(from:to:)`` where the unit measures something else.
    public func value(in unit: HKUnit) throws(HKUnitError) -> Double {
        if unit == self.unit { return value }
        return try UnitConversion(from: self.unit, to: unit).convert(value)
    }

    /// The number in another unit, correctly rounded; in the own unit the identical bits.
    ///
    /// HealthKit raises an exception where the unit measures something else. Here that is NaN, which no store takes
    /// and no comparison holds for; ``value(in:)`` throws instead.
    public func doubleValue(for unit: HKUnit) -> Double {
        do { return try value(in: unit) } catch { return .nan }
    }

    /// Which of the two is less.
    ///
    /// - Throws: ``HKUnitError/incompatible(from:to:)`` where they measure different things.
    public func compared(to quantity: HKQuantity) throws(HKUnitError) -> ComparisonResult {
        guard self.is(compatibleWith: quantity.unit) else {
            throw .incompatible(from: unit.unitString, to: quantity.unit.unitString)
        }
        return Self.order(baseValue, quantity.baseValue)
    }

    /// Which of the two is less.
    ///
    /// HealthKit raises an exception where they measure different things. Here those are ordered by their unit
    /// strings, so that sorting still ends; ``compared(to:)`` throws instead. NaN comes before all numbers.
    public func compare(_ quantity: HKQuantity) -> ComparisonResult {
        if let order = try? compared(to: quantity) { return order }
        return unit.unitString < quantity.unit.unitString ? .orderedAscending : .orderedDescending
    }

    /// The number and the unit: `72 count/min`.
    public var description: String { "\(NumberText.shortest(value)) \(unit.unitString)" }

    /// Whether both are the same amount of the same thing. NaN equals NaN, so that a quantity equals itself.
    public static func == (a: HKQuantity, b: HKQuantity) -> Bool {
        a === b || (a.is(compatibleWith: b.unit) && order(a.baseValue, b.baseValue) == .orderedSame)
    }

    /// Hashes the amount in the base unit.
    public func hash(into hasher: inout Hasher) {
        let amount = baseValue
        hasher.combine(amount.isNaN ? 0 : amount)
    }

    private var baseValue: Double { UnitConversion(rule: UnitConversion.ruleToBase(from: unit.form)).convert(value) }

    private static func order(_ a: Double, _ b: Double) -> ComparisonResult {
        if a == b || (a.isNaN && b.isNaN) { return .orderedSame }
        return a < b || a.isNaN ? .orderedAscending : .orderedDescending
    }
}
