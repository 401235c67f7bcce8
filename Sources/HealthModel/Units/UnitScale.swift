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
        var (above, below) = (WideReal(factor.base.mantissa), WideReal.one)
        switch factor.base {
        case .mole: above = WideReal(high: factor.molarMass, low: 0, scaledBy: 0)
        case .degree:
            pis &+= factor.power
            below = WideReal(180)
        case .degreeFahrenheit: below = WideReal(9)
        default: break
        }
        if factor.power < 0 { swap(&above, &below) }
        numerator = numerator * above.raised(to: factor.power.magnitude)
        denominator = denominator * below.raised(to: factor.power.magnitude)
        tens &+= (factor.base.exponent + factor.prefix.exponent) &* factor.power
    }
}
