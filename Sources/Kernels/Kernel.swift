// SPDX-License-Identifier: Apache-2.0

import CKernels

/// ColumnKernels over ranges of arrays. Empty ranges are allowed; a range outside of its array is a programming error.
package enum Kernel {
    /// Sum, least and greatest value; 0, +infinity and -infinity for an empty range. A zero result is +0.0.
    ///
    /// The sum is defined by eight lanes (`Docs/Sums.md`) and has the same bits on every processor.
    package static func sums(_ v: [Double], _ r: Range<Int>) -> (sum: DoubleDouble, min: Double, max: Double) {
        let result = unsafe span(v, r) { unsafe ck_sums($0, r.count) }
        return (DoubleDouble(result.sum), result.min, result.max)
    }

    /// Sum of the squares, in the same lanes, each square exact.
    package static func sumOfSquares(_ v: [Double], _ r: Range<Int>) -> DoubleDouble {
        let sum = unsafe span(v, r) { unsafe ck_sum_of_squares($0, r.count) }
        return DoubleDouble(sum)
    }

    /// The summary of samples in run order; `ends` nil means points (end == start).
    package static func summarize(
        starts: [Int64], ends: [Int64]?, values: [Double], range: Range<Int>, minBorn: Int64, maxBorn: Int64
    ) -> Summary {
        var summary = Summary()
        guard let first = range.first, let last = range.last else { return summary }
        summary.count = Int64(range.count)
        let sums = unsafe span(values, range) { v in
            unsafe span(starts, range) { t in unsafe ck_summary(v, t, range.count) }
        }
        summary.sum = DoubleDouble(sums.sums.sum)
        summary.min = sums.sums.min
        summary.max = sums.sums.max
        summary.sumOfSquares = DoubleDouble(sums.squares)
        summary.integral = DoubleDouble(sums.integral).divided(by: 1e9)
        summary.firstStart = starts[first]
        summary.firstEnd = starts[first]
        summary.firstValue = values[first]
        summary.lastStart = starts[last]
        summary.lastEnd = starts[last]
        summary.lastValue = values[last]
        if let ends {
            summary.firstEnd = ends[first]
            summary.lastEnd = ends[last]
            let extent = unsafe span(starts, range) { s in
                unsafe span(ends, range) { e in unsafe ck_ends(s, e, range.count) }
            }
            summary.maxEnd = extent.max_end
            summary.maxEndExceptLast = extent.max_end_except_last
            summary.durationSum = Int128(extent.duration_high) << 64 | Int128(extent.duration_low)
        } else {
            // Points in run order: the latest start is the latest end.
            summary.maxEnd = starts[last]
            summary.maxEndExceptLast = range.count > 1 ? starts[last - 1] : .min
        }
        summary.minBorn = minBorn
        summary.maxBorn = maxBorn
        return summary
    }

    /// First index `i` of the range with `a[i] >= key`, or its upper bound; `a` is ascending there. O(log n).
    package static func lowerBound(_ a: [Int64], _ r: Range<Int>, _ key: Int64) -> Int {
        let found = unsafe span(a, r) { unsafe ck_lower_bound($0, r.count, key) }
        return r.lowerBound + found
    }

    /// CRC-32C (Castagnoli); `seed` is the checksum of what went before.
    package static func crc32c(_ bytes: [UInt8], _ r: Range<Int>, seed: UInt32 = 0) -> UInt32 {
        unsafe span(bytes, r) { unsafe ck_crc32c($0, r.count, seed) }
    }

    /// Whether no value is NaN or infinite.
    package static func allFinite(_ v: [Double], _ r: Range<Int>) -> Bool {
        unsafe span(v, r) { unsafe ck_all_finite($0, r.count) }
    }

    /// Whether each number is at least its predecessor.
    package static func isAscending(_ a: [Int64], _ r: Range<Int>) -> Bool {
        unsafe span(a, r) { unsafe ck_is_ascending($0, r.count) }
    }

    /// Calls `body` with the address of the range's first element (nil only where the range is empty).
    static func span<T, R>(_ a: [T], _ r: Range<Int>, _ body: (UnsafePointer<T>?) -> R) -> R {
        precondition(r.lowerBound >= 0 && r.upperBound <= a.count, "range outside of the array")
        return unsafe a.withUnsafeBufferPointer { buffer in
            unsafe body(buffer.baseAddress.map { base in unsafe base + r.lowerBound })
        }
    }
}

extension DoubleDouble {
    init(_ c: ck_dd) {
        self.init(hi: c.hi, lo: c.lo)
    }
}

extension Kernel {
    /// The level of the processor that the loops use: 0 portable, 1 AVX2, 2 AVX-512, 3 AVX-512 with VBMI.
    package static var level: Int { Int(ck_level()) }

    /// The highest level of this processor.
    package static var highestLevel: Int { Int(ck_highest_level()) }

    /// Makes every loop of the process use `level`, or the highest one below it; a negative level means the highest.
    /// Results do not change, only speed: for tests and measurements. Returns the level in use.
    @discardableResult
    package static func force(level: Int) -> Int { Int(ck_force_level(Int32(clamping: level))) }
}
