// SPDX-License-Identifier: Apache-2.0
// Kernels: arithmetic over a span. Sums, summaries, searches and checksums are bit-identical on every processor.

/// A sum in double-double precision: the unevaluated sum of two doubles, |lo| <= ulp(hi) / 2.
///
/// `lo` is 0 if `hi` is not finite.
@usableFromInline
package struct DoubleDouble: Equatable, Sendable {
    @usableFromInline package var hi: Double
    @usableFromInline package var lo: Double

    /// Creates a sum from its two parts, which need not be normalised.
    @inlinable
    package init(hi: Double, lo: Double) {
        self.hi = hi
        self.lo = lo
    }

    @usableFromInline package static let zero = DoubleDouble(hi: 0, lo: 0)

    /// The sum, rounded to one double.
    @inlinable package var value: Double { hi.isFinite ? hi + lo : hi }

    /// Adds one number: TwoSum, then normalisation.
    @inlinable
    package mutating func add(_ x: Double) {
        let (sum, error) = DoubleDouble.twoSum(hi, x)
        normalize(sum, lo + error)
    }

    /// Adds another sum (accurate addition by Knuth and Dekker; relative error below 3 * 2^-106).
    @inlinable
    package mutating func add(_ other: DoubleDouble) {
        let (sum, error) = DoubleDouble.twoSum(hi, other.hi)
        // The error term of an infinite sum is NaN and would turn the sum into NaN.
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

    /// Returns the exact product of two doubles, for 2^-960 <= |a * b| < 2^1024; outside of that range `lo` is 0.
    ///
    /// Uses Dekker's product: a fused multiply-add is a library call if the processor is not known to support it.
    @inlinable
    package static func product(_ a: Double, _ b: Double) -> DoubleDouble {
        let high = a * b
        let magnitude = high.magnitude
        guard magnitude >= 0x1p-960, magnitude < .infinity else { return DoubleDouble(hi: high, lo: 0) }
        // At most one factor is near the upper limit; scaling prevents an overflow of its splitting.
        let scaleA = a.magnitude > 0x1p990 ? 0x1p-64 : 1.0
        let scaleB = b.magnitude > 0x1p990 ? 0x1p-64 : 1.0
        let (x, y) = (split(a * scaleA), split(b * scaleB))
        let scaled = high * scaleA * scaleB
        let error = ((x.high * y.high - scaled) + x.high * y.low + x.low * y.high) + x.low * y.low
        return DoubleDouble(hi: high, lo: error / (scaleA * scaleB) + 0.0)
    }

    /// Splits a number into its upper 26 bits and the rest.
    @inlinable
    static func split(_ x: Double) -> (high: Double, low: Double) {
        let t = x * 134_217_729
        let high = t - (t - x)
        return (high, x - high)
    }

    /// Returns this sum divided by a double, with a relative error of about 2^-104.
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

    /// Sets the sum of `sum` and a smaller `rest`; a value that is not finite has no rest. A zero is +0.0, because no
    /// preceding addition had two negative zeros.
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
