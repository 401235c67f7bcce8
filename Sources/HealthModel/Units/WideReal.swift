// SPDX-License-Identifier: Apache-2.0

/// A positive real number of about 106 bits: (`high` + `low`) × 2^`exponent`, with 1 <= `high` < 2.
///
/// Unit factors are products of integers, and a conversion is value × product / product. With this precision the
/// products are almost always exact, so only the final rounding remains.
struct WideReal: Sendable, Equatable {
    var high: Double
    var low: Double
    var exponent: Int

    static let one = WideReal(high: 1, low: 0, exponent: 0)
    static let pi = WideReal(high: Double.pi, low: 1.2246467991473532e-16, scaledBy: 0)

    init(high: Double, low: Double, exponent: Int) {
        self.high = high
        self.low = low
        self.exponent = exponent
    }

    /// Creates (`high` + `low`) × 2^`scaledBy`; one if `high` is not positive and finite.
    ///
    /// - Requires: `high` and `low` do not overlap.
    init(high: Double, low: Double, scaledBy: Int) {
        guard high > 0, high.isFinite else {
            self = .one
            return
        }
        let shift = Int(high.exponent)
        self.high = high.significand
        self.low = Double(sign: .plus, exponent: -shift, significand: low)
        exponent = scaledBy &+ shift
    }

    /// Creates an exact integer below 2^63; zero becomes one.
    init(_ whole: UInt64) {
        let bounded = Int64(clamping: max(1, whole))
        let near = Double(bounded)
        let rest = near < 0x1p63 ? Double(bounded &- Int64(near)) : 0
        self.init(high: near, low: rest, scaledBy: 0)
    }

    var isOne: Bool { high == 1 && low == 0 && exponent == 0 }

    static func * (a: WideReal, b: WideReal) -> WideReal {
        let product = a.high * b.high
        let error = (-product).addingProduct(a.high, b.high) + (a.high * b.low + a.low * b.high)
        var high = product + error
        var low = error - (high - product)
        var exponent = a.exponent &+ b.exponent
        if high >= 2 {
            high /= 2
            low /= 2
            exponent &+= 1
        } else if high < 1 {
            high *= 2
            low *= 2
            exponent &-= 1
        }
        return WideReal(high: high, low: low, exponent: exponent)
    }

    /// Returns the number raised to a power. O(log power).
    func raised(to power: UInt) -> WideReal {
        var result = WideReal.one
        var square = self
        var rest = power
        while rest > 0 {
            if rest & 1 == 1 { result = result * square }
            rest >>= 1
            if rest > 0 { square = square * square }
        }
        return result
    }

    /// The number as a `Double`; nil if it is not exactly representable.
    var exactDouble: Double? {
        guard low == 0, exponent >= -1022, exponent <= 1023 else { return nil }
        return Double(sign: .plus, exponent: exponent, significand: high)
    }

    /// The number as an integer below 2^53; nil if it is not exactly one.
    var exactWhole: UInt64? {
        guard let value = exactDouble, value < 0x1p53, value.rounded() == value else { return nil }
        return UInt64(value)
    }
}
