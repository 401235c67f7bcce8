// SPDX-License-Identifier: Apache-2.0

import CKernels

/// What is known of the samples that start in one bucket, whatever run they are from. Empty: `count == 0`.
@frozen
@usableFromInline
package struct BucketRow: Equatable, Sendable {
    @usableFromInline package var count: Int64 = 0
    @usableFromInline package var sum = DoubleDouble(hi: 0, lo: 0)
    /// Least value; meaningless, as all that follows, while the bucket is empty.
    @usableFromInline package var min: Double = 0
    @usableFromInline package var max: Double = 0
    @usableFromInline package var firstStart: Int64 = 0
    @usableFromInline package var firstEnd: Int64 = 0
    @usableFromInline package var firstValue: Double = 0
    @usableFromInline package var lastStart: Int64 = 0
    @usableFromInline package var lastEnd: Int64 = 0
    @usableFromInline package var lastValue: Double = 0

    /// An empty bucket.
    @inlinable
    package init() {}

    /// A bucket with the samples of a summary.
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

    /// Adds samples whose times lie anywhere: of equal first samples the one that was there stays, of equal last
    /// ones the added one counts.
    package mutating func merge(_ part: BucketRow) {
        unsafe withUnsafeMutableBytes(of: &self) { row in
            unsafe withUnsafeBytes(of: part) { part in
                // Both have the layout of `ck_bucket`, which a test asserts.
                guard let row = row.baseAddress, let part = part.baseAddress else { return }
                unsafe ck_bucket_merge(
                    row.assumingMemoryBound(to: ck_bucket.self), part.assumingMemoryBound(to: ck_bucket.self))
            }
        }
    }

    /// Whether this struct has the layout that the loops expect.
    package static var hasExpectedLayout: Bool {
        MemoryLayout<BucketRow>.size == MemoryLayout<ck_bucket>.size
            && MemoryLayout<BucketRow>.stride == MemoryLayout<ck_bucket>.stride
            && MemoryLayout<BucketRow>.offset(of: \.max) == MemoryLayout<ck_bucket>.offset(of: \.max)
            && MemoryLayout<BucketRow>.offset(of: \.firstValue) == MemoryLayout<ck_bucket>.offset(of: \.first_value)
            && MemoryLayout<BucketRow>.offset(of: \.lastValue) == MemoryLayout<ck_bucket>.offset(of: \.last_value)
    }
}

/// The columns of an index page in memory that statistics of buckets need, `stride` words each, in this order.
package enum EntryColumn: Int, CaseIterable, Sendable {
    case count, sumHigh, sumLow, min, max, firstStart, firstEnd, firstValue, lastStart, lastEnd, lastValue, maxEnd

    /// Words from one column to the next: the most entries of a page.
    package static let stride = 64

    /// How many columns there are: a number for the compiler, where `allCases.count` is a call.
    package static var total: Int { maxEnd.rawValue + 1 }
}

extension Kernel {
    /// Adds entries of a page, which has at least the columns of `EntryColumn`, to a bucket. O(entries).
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

    /// Adds samples, whose starts ascend, to the buckets that they start in.
    ///
    /// - Parameters:
    ///   - range: all of these start in `edges[cursor] ..< edges[last]`.
    ///   - edges: ascending, one more than `rows`.
    ///   - cursor: a bucket not after that of the first sample; afterwards that of the last one.
    /// - Complexity: O(samples + log(buckets) for each jump).
    package static func add(
        starts: [Int64], ends: [Int64]?, values: [Double], range: Range<Int>, edges: [Int64], cursor: inout Int,
        to rows: inout [BucketRow]
    ) {
        guard let low = range.first, let high = range.last else { return }
        precondition(
            high < starts.count && high < values.count && high < ends?.count ?? .max && low >= 0
                && edges.count == rows.count + 1 && cursor >= 0 && cursor < rows.count
                && starts[low] >= edges[cursor] && starts[high] < edges[rows.count], "samples outside of the buckets")
        let buckets = rows.count
        unsafe rows.withUnsafeMutableBytes { rows in
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
