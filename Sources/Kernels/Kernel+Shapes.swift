// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// One side of a triangle: from the point (`start`, `value`) to the point `width` after and `height` above it.
@frozen
@usableFromInline
package struct TriangleSide {
    @usableFromInline package let start: Int64
    @usableFromInline package let value: Double
    @usableFromInline package let width: Double
    @usableFromInline package let height: Double

    @inlinable
    package init(start: Int64, value: Double, width: Double, height: Double) {
        self.start = start
        self.value = value
        self.width = width
        self.height = height
    }
}

/// The shape of a curve: its deviation, its extremes and its corners.
extension Kernel {
    /// Returns the sums of `d` and of its square, where `d` is a value's distance from `centre` times `scale`.
    ///
    /// Summed in eight lanes (`Docs/Internals/Accuracy.md`), bit-identical on every processor.
    /// - Parameter scale: a power of two.
    package static func deviations(
        _ v: [Double], _ r: Range<Int>, from centre: Double, scale: Double
    ) -> (sum: DoubleDouble, squares: DoubleDouble) {
        let found = unsafe span(v, r) { unsafe ck_deviations($0, r.count, centre, scale) }
        return (
            DoubleDouble(hi: found.sum_hi, lo: found.sum_lo), DoubleDouble(hi: found.squares_hi, lo: found.squares_lo)
        )
    }

    /// Returns the first positions of the least and of the greatest value.
    ///
    /// - Requires: a range that is not empty.
    package static func extremes(_ v: [Double], _ r: Range<Int>) -> (least: Int, greatest: Int) {
        precondition(!r.isEmpty, "no values")
        let found = unsafe span(v, r) { unsafe ck_extremes($0, r.count) }
        return (r.lowerBound + found.least, r.lowerBound + found.greatest)
    }

    /// Returns the first point with the largest triangle, and twice the triangle's area; nil if no area is a number.
    ///
    /// The corners of the triangle are the point and the two ends of `side`.
    /// - Requires: `side.start` is not after the points of the range.
    package static func largestTriangle(
        _ t: [Int64], _ v: [Double], _ r: Range<Int>, with side: TriangleSide
    ) -> (area: Double, place: Int)? {
        let found = unsafe span(t, r) { t in
            unsafe span(v, r) { v in
                unsafe ck_largest_triangle(t, v, r.count, side.start, side.value, side.width, side.height)
            }
        }
        return found.area >= 0 ? (found.area, r.lowerBound + found.at) : nil
    }

    /// Returns the sum of the distances of the times of a range from `start`.
    ///
    /// - Requires: no time is before `start`.
    package static func sum(ofTimes t: [Int64], _ r: Range<Int>, since start: Int64) -> Int128 {
        let found = unsafe span(t, r) { unsafe ck_sum_of_times($0, r.count, start) }
        return Int128(found.high) << 64 | Int128(found.low)
    }
}
