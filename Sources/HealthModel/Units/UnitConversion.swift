// SPDX-License-Identifier: Apache-2.0

/// A conversion of numbers from one unit to another, created once for any number of values.
///
/// The result is the exact product of the value and the exact ratio of the table's factors, rounded once to the nearest
/// `Double`. Between equal units the bits do not change. A round trip is off by at most 1 ulp, except for temperatures,
/// whose offset cancels digits. A result below the normal range of `Double` may be rounded twice.
public struct UnitConversion: Sendable {
    enum Rule: Sendable, Equatable {
        case same
        /// The ratio or its reciprocal is a `Double`, so one multiplication or division is correctly rounded.
        case times(Double)
        case over(Double)
        /// value × numerator / denominator × 2^exponent.
        case ratio(numerator: WideReal, denominator: WideReal, exponent: Int)
        case affine(AffineRule)
    }

    let rule: Rule

    /// Creates the conversion of numbers in `unit` to numbers in `other`.
    ///
    /// - Throws: ``HKUnitError/incompatible(from:to:)`` for units of different dimensions.
    public init(from unit: HKUnit, to other: HKUnit) throws(HKUnitError) {
        guard unit.isCompatible(with: other) else {
            throw .incompatible(from: unit.unitString, to: other.unitString)
        }
        rule = Self.rule(from: unit.form, to: other.form)
    }

    init(rule: Rule) { self.rule = rule }

    /// Whether the conversion leaves numbers unchanged.
    public var isIdentity: Bool { rule == .same }

    /// Returns the number in the other unit. Infinities and NaN are returned unchanged.
    public func convert(_ value: Double) -> Double {
        switch rule {
        case .same: value
        case .times(let factor): value * factor
        case .over(let divisor): value / divisor
        case .ratio(let numerator, let denominator, let exponent):
            Self.multiply(value, numerator, over: denominator, exponent: exponent)
        case .affine(let rule): rule.convert(value)
        }
    }

    /// Converts all numbers in place. O(count), without allocation if the array is not shared.
    public func convert(_ values: inout [Double]) {
        guard rule != .same else { return }
        for index in values.indices { values[index] = convert(values[index]) }
    }

    /// Returns value × numerator / denominator × 2^exponent, computed in twice the precision and rounded at the end.
    ///
    /// - Invariant: the parts lie between 1 and 2, so nothing overflows before the result does.
    static func multiply(
        _ value: Double, _ numerator: WideReal, over denominator: WideReal, exponent: Int
    ) -> Double {
        guard value.isFinite, value != 0 else { return value }
        let part = value.significand
        let product = part * numerator.high
        let error = (-product).addingProduct(part, numerator.high) + part * numerator.low
        let high = product + error
        let low = error - (high - product)
        let quotient = high / denominator.high
        let taken = quotient * denominator.high
        let lost = (-taken).addingProduct(quotient, denominator.high)
        let rest = ((high - taken) - lost + low) - quotient * denominator.low
        let rounded = quotient + rest / denominator.high
        let shift = Int(value.exponent) &+ exponent
        return Double(sign: value.sign, exponent: min(max(shift, -4000), 4000), significand: rounded)
    }

    static func rule(from form: UnitForm, to other: UnitForm) -> Rule {
        if form === other || form.text == other.text { return .same }
        if let first = form.single.flatMap(AffineUnit.init), let second = other.single.flatMap(AffineUnit.init),
            let rule = AffineRule(from: first, to: second)
        {
            return .affine(rule)
        }
        return rule(from: form.scale, to: other.scale)
    }

    /// Returns the rule to the base unit of the dimension, which makes quantities in different units comparable.
    static func ruleToBase(from form: UnitForm) -> Rule {
        if let unit = form.single.flatMap(AffineUnit.init), let rule = AffineRule(from: unit, to: .kelvin) {
            return .affine(rule)
        }
        return rule(from: form.scale, to: UnitScale([]))
    }

    private static func rule(from scale: UnitScale, to other: UnitScale) -> Rule {
        let tens = scale.tens &- other.tens
        let pis = scale.pis &- other.pis
        var above = scale.numerator * other.denominator
        var below = scale.denominator * other.numerator
        let fives = WideReal(5).raised(to: tens.magnitude)
        let circles = WideReal.pi.raised(to: pis.magnitude)
        if tens > 0 { above = above * fives } else if tens < 0 { below = below * fives }
        if pis > 0 { above = above * circles } else if pis < 0 { below = below * circles }
        divide(&above, &below)
        let exponent = above.exponent &- below.exponent &+ tens
        above.exponent = 0
        below.exponent = 0
        let ratio = Rule.ratio(numerator: above, denominator: below, exponent: exponent)
        guard exponent >= -1000, exponent <= 1000 else { return ratio }
        if below.isOne, above.low == 0 {
            return above.isOne && exponent == 0
                ? .same : .times(Double(sign: .plus, exponent: exponent, significand: above.high))
        }
        if above.isOne, below.low == 0 {
            return .over(Double(sign: .plus, exponent: -exponent, significand: below.high))
        }
        return ratio
    }

    /// Divides if one integer is a multiple of the other, so that a simple ratio (12, 1/60) gets a simple rule.
    private static func divide(_ above: inout WideReal, _ below: inout WideReal) {
        guard !above.isOne, !below.isOne, let first = above.exactWhole, let second = below.exactWhole else { return }
        if first % second == 0 {
            above = WideReal(first / second)
            below = .one
        } else if second % first == 0 {
            above = .one
            below = WideReal(second / first)
        }
    }
}
