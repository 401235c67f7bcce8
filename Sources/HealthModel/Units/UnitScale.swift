// SPDX-License-Identifier: Apache-2.0

/// The number of base units of its dimension in a unit: `numerator` / `denominator` × 10^`tens` × π^`pis`.
///
/// Tens and π are kept as exponents, so that equal exponents of two units cancel before anything is computed.
struct UnitScale: Sendable, Equatable {
    var numerator = WideReal.one
    var denominator = WideReal.one
    var tens = 0
    var pis = 0

    /// Creates the scale of a product of factors.
    init(_ factors: [UnitFactor]) {
        for factor in factors { multiply(by: factor) }
    }

    private mutating func multiply(by factor: UnitFactor) {
        let power = factor.power.magnitude
        switch factor.base {
        case .mole:
            let mass = WideReal(high: factor.molarMass, low: 0, scaledBy: 0)
            put(mass.raised(to: power), over: .one, inverted: factor.power < 0)
        case .degree:
            pis &+= factor.power
            put(.one, over: WideReal(180).raised(to: power), inverted: factor.power < 0)
        case .degreeFahrenheit:
            put(
                WideReal(factor.base.mantissa).raised(to: power), over: WideReal(9).raised(to: power),
                inverted: factor.power < 0)
        default:
            put(WideReal(factor.base.mantissa).raised(to: power), over: .one, inverted: factor.power < 0)
        }
        tens &+= (factor.base.exponent + factor.prefix.exponent) &* factor.power
    }

    private mutating func put(_ above: WideReal, over below: WideReal, inverted: Bool) {
        numerator = numerator * (inverted ? below : above)
        denominator = denominator * (inverted ? above : below)
    }
}
