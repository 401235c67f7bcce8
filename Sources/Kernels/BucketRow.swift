// SPDX-License-Identifier: Apache-2.0

import CKernels

/// Aggregates of the samples that start in one bucket, from any runs. Empty: `count == 0`.
@frozen
@usableFromInline
package struct BucketRow: Equatable, Sendable {
    @usableFromInline package var count: Int64 = 0
    @usableFromInline package var sum = DoubleDouble(hi: 0, lo: 0)
    /// Least value; this and all following fields are undefined while the bucket is empty.
    @usableFromInline package var min: Double = 0
    @usableFromInline package var max: Double = 0
    @usableFromInline package var firstStart: Int64 = 0
    @usableFromInline package var firstEnd: Int64 = 0
    @usableFromInline package var firstValue: Double = 0
    @usableFromInline package var lastStart: Int64 = 0
    @usableFromInline package var lastEnd: Int64 = 0
    @usableFromInline package var lastValue: Double = 0

    /// Creates an empty bucket.
    @inlinable
    package init() {}

    /// Creates a bucket with the samples of a summary.
    package init(_ s: borrowing Summary) {
        count = s.count
        sum = s.sum
        min = s.min
        max = s.max
        firstStart = s.firstStart
        firstEnd = s.firstEnd
        firstValue = s.firstValue
        lastStart = s.lastStart
        lastEnd = s.lastEnd
        lastValue = s.lastValue
    }

    /// Adds samples with arbitrary times. Of two equal first samples the existing one is kept; of two equal last
    /// samples the added one.
    package mutating func merge(_ part: BucketRow) {
        unsafe withUnsafeMutableBytes(of: &self) { row in
            unsafe withUnsafeBytes(of: part) { part in
                // Both have the layout of `ck_bucket`; a test verifies this.
                guard let row = row.baseAddress, let part = part.baseAddress else { return }
                unsafe ck_bucket_merge(
                    row.assumingMemoryBound(to: ck_bucket.self), part.assumingMemoryBound(to: ck_bucket.self))
            }
        }
    }

    /// Whether this struct has the layout that the C loops expect.
    package static var hasExpectedLayout: Bool {
        MemoryLayout<BucketRow>.size == MemoryLayout<ck_bucket>.size
            && MemoryLayout<BucketRow>.stride == MemoryLayout<ck_bucket>.stride
            && MemoryLayout<BucketRow>.offset(of: \.max) == MemoryLayout<ck_bucket>.offset(of: \.max)
            && MemoryLayout<BucketRow>.offset(of: \.firstValue) == MemoryLayout<ck_bucket>.offset(of: \.first_value)
            && MemoryLayout<BucketRow>.offset(of: \.lastValue) == MemoryLayout<ck_bucket>.offset(of: \.last_value)
    }
}

/// The columns of an index page in memory that bucket statistics need, in this order, `stride` words each.
@frozen
@usableFromInline
package enum EntryColumn: Int, CaseIterable, Sendable {
    case count, sumHigh, sumLow, min, max, firstStart, firstEnd, firstValue, lastStart, lastEnd, lastValue, maxEnd

    /// Number of words of a column, which is the maximum number of entries in a page.
    @inlinable package static var stride: Int { 64 }

    /// The number of columns, as a compile-time constant; `allCases.count` is a call.
    @inlinable package static var total: Int { maxEnd.rawValue + 1 }
}

extension Kernel {
    /// Adds entries of a page to a bucket. O(entries).
    ///
    /// - Requires: the page has at least the columns of `EntryColumn`.
    package static func add(entries range: Range<Int>, of page: [Int64], to row: inout BucketRow) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= EntryColumn.stride
                && page.count >= EntryColumn.total * EntryColumn.stride, "entries outside of the page")
        unsafe page.withUnsafeBufferPointer { page in
            unsafe withUnsafeMutableBytes(of: &row) { row in
                guard let page = page.baseAddress, let row = row.baseAddress else { return }
                unsafe ck_bucket_entries(
                    page, range.lowerBound, range.upperBound, row.assumingMemoryBound(to: ck_bucket.self))
            }
        }
    }
}

extension [BucketRow] {
    /// Adds samples to the buckets in which they start.
    ///
    /// - Requires: ascending starts.
    /// - Parameters:
    ///   - range: the samples, all of which start in `edges[cursor] ..< edges[last]`.
    ///   - edges: ascending, one more than buckets.
    ///   - cursor: a bucket at or before that of the first sample; set to the bucket of the last sample.
    /// - Complexity: O(samples + log(buckets) for each jump).
    package mutating func add(
        starts: [Int64], ends: [Int64]?, values: [Double], range: Range<Int>, edges: [Int64], cursor: inout Int
    ) {
        guard let low = range.first, let high = range.last else { return }
        precondition(
            high < starts.count && high < values.count && high < ends?.count ?? .max && low >= 0
                && edges.count == count + 1 && cursor >= 0 && cursor < count
                && starts[low] >= edges[cursor] && starts[high] < edges[count], "samples outside of the buckets")
        let buckets = count
        unsafe withUnsafeMutableBytes { rows in
            guard let rows = rows.baseAddress else { return }
            unsafe edges.withUnsafeBufferPointer { edges in
                unsafe starts.withUnsafeBufferPointer { starts in
                    unsafe values.withUnsafeBufferPointer { values in
                        guard let edges = edges.baseAddress, let starts = starts.baseAddress,
                            let values = values.baseAddress
                        else { return }
                        let rows = unsafe rows.assumingMemoryBound(to: ck_bucket.self)
                        guard let ends else {
                            unsafe ck_bucket_samples(
                                starts + low, nil, values + low, range.count, edges, buckets, &cursor, rows)
                            return
                        }
                        unsafe ends.withUnsafeBufferPointer { ends in
                            guard let ends = ends.baseAddress else { return }
                            unsafe ck_bucket_samples(
                                starts + low, ends + low, values + low, range.count, edges, buckets, &cursor, rows)
                        }
                    }
                }
            }
        }
    }
}
