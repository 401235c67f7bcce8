// SPDX-License-Identifier: Apache-2.0

/// A temperature scale: kelvin = (`slope` × value + `offset`) / `divisor`, all integers.
struct AffineUnit: Sendable {
    let slope: Int128
    let offset: Int128
    let divisor: Int128

    static let kelvin = AffineUnit(slope: 1, offset: 0, divisor: 1)

    private init(slope: Int128, offset: Int128, divisor: Int128) {
        self.slope = slope
        self.offset = offset
        self.divisor = divisor
    }

    /// Creates the scale of a single temperature factor; nil for all other factors.
    ///
    /// 0 degC is 273.15 K; 0 degF is 459.67/1.8 K.
    init?(_ factor: UnitFactor) {
        switch factor.base {
        case .kelvin:
            let tens = Self.ten(to: factor.prefix.exponent.magnitude)
            let isPart = factor.prefix.exponent < 0
            self.init(slope: isPart ? 1 : tens, offset: 0, divisor: isPart ? tens : 1)
        case .degreeCelsius: self.init(slope: 100, offset: 27_315, divisor: 100)
        case .degreeFahrenheit: self.init(slope: 100, offset: 45_967, divisor: 180)
        default: return nil
        }
    }

    private static func ten(to power: UInt) -> Int128 { (0..<power).reduce(1) { product, _ in product * 10 } }
}

/// The conversion (`slope` × value + `offset`) / `divisor`, rounded once.
struct AffineRule: Sendable, Equatable {
    // Products of small numbers and powers of ten, each exact as a `Double`.
    private let slope: Double
    private let offset: Double
    private let divisor: Double

    /// Creates the conversion; nil if both scales have the same zero, so that a ratio suffices.
    init?(from unit: AffineUnit, to other: AffineUnit) {
        let offset = unit.offset * other.divisor - other.offset * unit.divisor
        guard offset != 0 else { return nil }
        self.offset = Self.double(offset)
        slope = Self.double(unit.slope * other.divisor)
        divisor = Self.double(other.slope * unit.divisor)
    }

    /// Converts two exact halves; `Double(whole)` takes microseconds.
    private static func double(_ whole: Int128) -> Double {
        Double(Int64(truncatingIfNeeded: whole >> 40)) * 0x1p40
            + Double(Int64(truncatingIfNeeded: whole & 0xFF_FFFF_FFFF))
    }

    func convert(_ value: Double) -> Double {
        // At this magnitude the offset is below the last bit, and the products below would overflow.
        guard value.magnitude < 1e250 else { return value / divisor * slope }
        let product = value * slope
        let error = (-product).addingProduct(value, slope)
        // An error-free sum (Knuth's two-sum).
        let sum = product + offset
        let turned = sum - product
        let low = (product - (sum - turned)) + (offset - turned) + error
        let high = sum + low
        let rest = low - (high - sum)
        let quotient = high / divisor
        let taken = quotient * divisor
        let missing = (-taken).addingProduct(quotient, divisor)
        return quotient + ((high - taken) - missing + rest) / divisor
    }
}
