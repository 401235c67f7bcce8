// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// How a curve looks: how far it deviates, where its extremes and its corners are.
extension Kernel {
    /// Sums of `d` and of its square, where `d` is a value's distance from `centre`, times `scale`, a power of two.
    ///
    /// In eight lanes (`Docs/Sums.md`), with the same bits on every processor.
    package static func deviations(
        _ v: [Double], _ r: Range<Int>, from centre: Double, scale: Double
    ) -> (sum: DoubleDouble, squares: DoubleDouble) {
        let found = unsafe span(v, r) { unsafe ck_deviations($0, r.count, centre, scale) }
        return (
            DoubleDouble(hi: found.sum_hi, lo: found.sum_lo), DoubleDouble(hi: found.squares_hi, lo: found.squares_lo)
        )
    }

    /// The first places of the least and of the greatest value of a range that is not empty.
    package static func extremes(_ v: [Double], _ r: Range<Int>) -> (least: Int, greatest: Int) {
        precondition(!r.isEmpty, "no values")
        let found = unsafe span(v, r) { unsafe ck_extremes($0, r.count) }
        return (r.lowerBound + found.least, r.lowerBound + found.greatest)
    }

    /// Of a range of points, the first with the greatest triangle, and twice its area; nil where no area is a number.
    ///
    /// The triangle's corners are the point, the one at (`start`, `value`), not after it, and the one that lies `width`
    /// after and `height` above that one.
    package static func largestTriangle(
        _ t: [Int64], _ v: [Double], _ r: Range<Int>, start: Int64, value: Double, width: Double, height: Double
    ) -> (area: Double, place: Int)? {
        let found = unsafe span(t, r) { t in
            unsafe span(v, r) { v in unsafe ck_largest_triangle(t, v, r.count, start, value, width, height) }
        }
        return found.area >= 0 ? (found.area, r.lowerBound + found.at) : nil
    }

    /// The sum of what the times of a range lie after `start`, which is after none of them.
    package static func sum(ofTimes t: [Int64], _ r: Range<Int>, since start: Int64) -> Int128 {
        let found = unsafe span(t, r) { unsafe ck_sum_of_times($0, r.count, start) }
        return Int128(found.high) << 64 | Int128(found.low)
    }
}
