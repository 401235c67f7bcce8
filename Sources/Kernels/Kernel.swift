// SPDX-License-Identifier: Apache-2.0

import CKernels

/// Kernels over ranges of arrays. Empty ranges are allowed; a range outside of its array is a programming error.
package enum Kernel {
    /// Returns sum, least and greatest value; 0, +infinity and -infinity for an empty range. A zero result is +0.0.
    ///
    /// The sum is computed in eight lanes (`Docs/Internals/Accuracy.md`), bit-identical on every processor.
    package static func sums(_ v: [Double], _ r: Range<Int>) -> (sum: DoubleDouble, min: Double, max: Double) {
        let result = unsafe span(v, r) { unsafe ck_sums($0, r.count) }
        return (DoubleDouble(result.sum), result.min, result.max)
    }

    /// Returns the sum of the squares, in the same lanes, with each square exact.
    package static func sumOfSquares(_ v: [Double], _ r: Range<Int>) -> DoubleDouble {
        let sum = unsafe span(v, r) { unsafe ck_sum_of_squares($0, r.count) }
        return DoubleDouble(sum)
    }

    /// Returns the summary of samples in run order; `ends` nil means points (end == start).
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
            // For points in run order the latest start is the latest end.
            summary.maxEnd = starts[last]
            summary.maxEndExceptLast = range.count > 1 ? starts[last - 1] : .min
        }
        summary.minBorn = minBorn
        summary.maxBorn = maxBorn
        return summary
    }

    /// Returns the first index `i` of the range with `a[i] >= key`, or the range's upper bound. O(log n).
    ///
    /// - Requires: `a` ascends in the range.
    package static func lowerBound(_ a: [Int64], _ r: Range<Int>, _ key: Int64) -> Int {
        let found = unsafe span(a, r) { unsafe ck_lower_bound($0, r.count, key) }
        return r.lowerBound + found
    }

    /// Returns the CRC-32C (Castagnoli) of a range; `seed` is the checksum of the preceding bytes.
    package static func crc32c(_ bytes: [UInt8], _ r: Range<Int>, seed: UInt32 = 0) -> UInt32 {
        unsafe span(bytes, r) { unsafe ck_crc32c($0, r.count, seed) }
    }

    /// Continues a CRC-32 as in zip archives with the first bytes of a range, as far as this processor has fast
    /// instructions; returns their number.
    package static func crc32(_ bytes: [UInt8], _ r: Range<Int>, continuing crc: inout UInt32) -> Int {
        unsafe span(bytes, r) { unsafe ck_crc32_groups($0, r.count, &crc) }
    }

    /// Returns a hash of FNV-1a with 64 bits after the bytes of a range.
    package static func fnv(_ bytes: [UInt8], _ r: Range<Int>, continuing hash: UInt64) -> UInt64 {
        unsafe span(bytes, r) { unsafe ck_fnv($0, r.count, hash) }
    }

    /// Whether no value is NaN or infinite.
    package static func allFinite(_ v: [Double], _ r: Range<Int>) -> Bool {
        unsafe span(v, r) { unsafe ck_all_finite($0, r.count) }
    }

    /// Whether each number is at least its predecessor.
    package static func isAscending(_ a: [Int64], _ r: Range<Int>) -> Bool {
        unsafe span(a, r) { unsafe ck_is_ascending($0, r.count) }
    }

    /// Calls `body` with the address of the range's first element (nil only if the array is empty).
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
    /// The instruction set in use: 0 portable, 1 AVX2, 2 AVX-512, 3 AVX-512 with VBMI.
    package static var level: Int { Int(ck_level()) }

    /// The highest level that this processor supports.
    package static var highestLevel: Int { Int(ck_highest_level()) }

    /// Makes all loops of the process use `level`, or the highest supported one below it; a negative level means the
    /// highest. Changes only speed, never results. For tests and measurements.
    ///
    /// - Returns: the level in use.
    @discardableResult
    package static func force(level: Int) -> Int { Int(ck_force_level(Int32(clamping: level))) }
}
