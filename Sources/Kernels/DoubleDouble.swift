// SPDX-License-Identifier: Apache-2.0
// Kernels: arithmetic over a span; sums, summaries, searches and checksums, equal to the last bit on every processor.

/// A sum and what its rounding lost: the unevaluated sum of two doubles, |lo| <= ulp(hi) / 2.
///
/// Where `hi` is not finite, `lo` is 0.
@usableFromInline
package struct DoubleDouble: Equatable, Sendable {
    @usableFromInline package var hi: Double
    @usableFromInline package var lo: Double

    /// A sum of its two parts; they need not be normalised.
    @inlinable
    package init(hi: Double, lo: Double) {
        self.hi = hi
        self.lo = lo
    }

    @usableFromInline package static let zero = DoubleDouble(hi: 0, lo: 0)

    /// The sum rounded to one double.
    @inlinable package var value: Double { hi.isFinite ? hi + lo : hi }

    /// Adds one number: TwoSum, then normalised.
    @inlinable
    package mutating func add(_ x: Double) {
        let (sum, error) = DoubleDouble.twoSum(hi, x)
        normalize(sum, lo + error)
    }

    /// Adds another sum (Knuth's and Dekker's accurate addition; relative error below 3 * 2^-106).
    @inlinable
    package mutating func add(_ other: DoubleDouble) {
        let (sum, error) = DoubleDouble.twoSum(hi, other.hi)
        // The error of an infinite sum is no number, and would make the sum none.
        guard sum.isFinite else {
            self = DoubleDouble(hi: sum, lo: 0)
            return
        }
        let (low, lowError) = DoubleDouble.twoSum(lo, other.lo)
        let middle = error + low
        let high = sum + middle
        let rest = middle - (high - sum)
        normalize(high, lowError + rest)
    }

    /// The exact product of two doubles, for 2^-960 <= |a * b| < 2^1024; outside of it `lo` is 0.
    ///
    /// Dekker's product, because a fused multiply-add is a library call where the processor is not known to have one.
    @inlinable
    package static func product(_ a: Double, _ b: Double) -> DoubleDouble {
        let high = a * b
        let magnitude = high.magnitude
        guard magnitude >= 0x1p-960, magnitude < .infinity else { return DoubleDouble(hi: high, lo: 0) }
        // At most one factor is near the upper end; scaled, its splitting does not overflow.
        let scaleA = a.magnitude > 0x1p990 ? 0x1p-64 : 1.0
        let scaleB = b.magnitude > 0x1p990 ? 0x1p-64 : 1.0
        let (x, y) = (split(a * scaleA), split(b * scaleB))
        let scaled = high * scaleA * scaleB
        let error = ((x.high * y.high - scaled) + x.high * y.low + x.low * y.high) + x.low * y.low
        return DoubleDouble(hi: high, lo: error / (scaleA * scaleB) + 0.0)
    }

    /// The upper 26 bits of a number and the rest.
    @inlinable
    static func split(_ x: Double) -> (high: Double, low: Double) {
        let t = x * 134_217_729
        let high = t - (t - x)
        return (high, x - high)
    }

    /// This sum divided by a double, correct to some 2^-104.
    @inlinable
    package func divided(by divisor: Double) -> DoubleDouble {
        let first = hi / divisor
        guard first.isFinite, hi.isFinite else { return DoubleDouble(hi: first, lo: 0) }
        let product = DoubleDouble.product(first, divisor)
        let remainder = ((hi - product.hi) - product.lo) + lo
        var result = DoubleDouble.zero
        result.normalize(first, remainder / divisor)
        return result
    }

    @inlinable
    static func twoSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
        let sum = a + b
        let part = sum - a
        return (sum, (a - (sum - part)) + (b - part))
    }

    /// Sets the sum of `sum` and a smaller `rest`; what is not finite carries no rest. A zero is +0.0 because none of
    /// the additions before had two negative zeros.
    @inlinable
    mutating func normalize(_ sum: Double, _ rest: Double) {
        let high = sum + rest
        guard sum.isFinite, high.isFinite else {
            let value = sum.isFinite ? high : sum
            hi = value.isNaN ? .nan : value
            lo = 0
            return
        }
        lo = rest - (high - sum)
        hi = high
    }
}
