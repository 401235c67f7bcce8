// SPDX-License-Identifier: Apache-2.0

/// A positive real number of some 106 bits: (`high` + `low`) × 2^`exponent`, with 1 <= `high` < 2.
///
/// Unit factors are products of whole numbers, and a conversion is value × product / product. With this many bits the
/// whole numbers are exact nearly always, and one rounding is left: the last one.
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

    /// `high` + `low`, which do not overlap, times 2^`scaledBy`; one where `high` is not a positive finite number.
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

    /// A whole number below 2^63, exactly; zero counts as one.
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

    /// The number to the power of a magnitude: O(log power).
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

    /// The number as a `Double`, where it is one exactly.
    var exactDouble: Double? {
        guard low == 0, exponent >= -1022, exponent <= 1023 else { return nil }
        return Double(sign: .plus, exponent: exponent, significand: high)
    }

    /// The number as a whole number below 2^53, where it is one exactly.
    var exactWhole: UInt64? {
        guard let value = exactDouble, value < 0x1p53, value.rounded() == value else { return nil }
        return UInt64(value)
    }
}
