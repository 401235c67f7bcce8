// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A number with a unit. The number is stored unchanged, bit for bit, and converted on request.
///
/// Two quantities are equal if they are the same amount: 1 `kg` and 1000 `g`. Amounts are compared in the base unit of
/// the dimension, rounded to a `Double`.
public final class HKQuantity: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The unit given at creation.
    public let unit: HKUnit
    /// The number in ``unit``.
    public let value: Double

    /// Creates a quantity. Every number is accepted, including NaN and infinities; a store rejects those.
    public init(unit: HKUnit, doubleValue value: Double) {
        self.unit = unit
        self.value = value
        super.init()
    }

    /// Returns whether the quantity converts to this unit.
    public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.isCompatible(with: unit) }

    /// Returns the number in another unit, correctly rounded; in the quantity's own unit, the identical bits.
    ///
    /// - Throws: ``HKUnitError/incompatible(from:to:)`` for a unit of another dimension.
    public func value(in unit: HKUnit) throws(HKUnitError) -> Double {
        if unit == self.unit { return value }
        return try UnitConversion(from: self.unit, to: unit).convert(value)
    }

    /// Returns the number in another unit, correctly rounded; in the quantity's own unit, the identical bits.
    ///
    /// For a unit of another dimension HealthKit raises an exception. Here the result is NaN, which no store accepts
    /// and for which no comparison holds; ``value(in:)`` throws instead.
    public func doubleValue(for unit: HKUnit) -> Double {
        do { return try value(in: unit) } catch { return .nan }
    }

    /// Returns the order of the two quantities.
    ///
    /// - Throws: ``HKUnitError/incompatible(from:to:)`` for quantities of different dimensions.
    public func compared(to quantity: HKQuantity) throws(HKUnitError) -> ComparisonResult {
        guard self.is(compatibleWith: quantity.unit) else {
            throw .incompatible(from: unit.unitString, to: quantity.unit.unitString)
        }
        return Self.order(baseValue, quantity.baseValue)
    }

    /// Returns the order of the two quantities; NaN comes before all numbers.
    ///
    /// For quantities of different dimensions HealthKit raises an exception. Here they are ordered by their unit
    /// strings, so that sorting terminates; ``compared(to:)`` throws instead.
    public func compare(_ quantity: HKQuantity) -> ComparisonResult {
        if let order = try? compared(to: quantity) { return order }
        return unit.unitString < quantity.unit.unitString ? .orderedAscending : .orderedDescending
    }

    /// The number and the unit: `72 count/min`.
    public override var description: String { "\(NumberText.shortest(value)) \(unit.unitString)" }

    /// Returns whether both are the same amount. NaN equals NaN, so that a quantity equals itself.
    public static func == (a: HKQuantity, b: HKQuantity) -> Bool {
        a === b || (a.is(compatibleWith: b.unit) && order(a.baseValue, b.baseValue) == .orderedSame)
    }

    /// Returns whether the other object is a quantity of the same amount.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKQuantity else { return false }
        return self == other
    }

    /// The hash of the amount in the base unit.
    public override var hash: Int {
        let amount = baseValue
        return (amount.isNaN ? 0 : amount).hashValue
    }

    /// Returns the quantity itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the number and the unit.
    public func encode(with coder: NSCoder) { coder.encode(QuantityRecord(self), record: "quantity") }

    /// Decodes a quantity that `encode(with:)` encoded; nil if the archive has no quantity.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.decode(QuantityRecord.self, record: "quantity") else { return nil }
        self.init(unit: .stored(record.unit), doubleValue: record.value)
    }

    private var baseValue: Double { UnitConversion(rule: UnitConversion.ruleToBase(from: unit.form)).convert(value) }

    private static func order(_ a: Double, _ b: Double) -> ComparisonResult {
        if a == b || (a.isNaN && b.isNaN) { return .orderedSame }
        return a < b || a.isNaN ? .orderedAscending : .orderedDescending
    }
}
