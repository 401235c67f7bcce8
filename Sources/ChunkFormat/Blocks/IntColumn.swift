// SPDX-License-Identifier: Apache-2.0

/// A side column of a block: one `Int64` a sample, in the cheapest of four shapes.
///
/// An array in `values` may be longer than the number of samples; elements after the samples are undefined.
@usableFromInline
package enum IntColumn: Sendable {
    /// The block has no such column.
    case absent
    /// Every sample has this value.
    case constant(Int64)
    /// The first sample has `first`; each further sample has 1 more (modulo 2^64).
    case sequence(first: Int64)
    /// One value a sample.
    case values([Int64])

    /// Returns the value of sample `index`; nil if the column is absent or too short.
    @inlinable
    package func value(at index: Int) -> Int64? {
        switch self {
        case .absent: nil
        case .constant(let value): value
        case .sequence(let first): first &+ Int64(index)
        case .values(let array): array.indices.contains(index) ? array[index] : nil
        }
    }

    package var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// Returns the cheapest shape of the first `count` values: equal values become a constant, values that increase by
    /// 1 become a sequence. O(count); stops at the first value that fits neither.
    package func simplified(count: Int) -> IntColumn {
        guard case .values(let array) = self, count > 0, array.count >= count else { return self }
        return IntColumn.shape(of: array, 0..<count) ?? self
    }

    /// Returns a constant or sequence if the values of a range form one; else nil.
    static func shape(of array: [Int64], _ range: Range<Int>) -> IntColumn? {
        guard let first = range.first, range.upperBound <= array.count else { return nil }
        let start = array[first]
        guard range.count > 1 else { return .constant(start) }
        let step = array[first + 1] &- start
        guard step == 0 || step == 1 else { return nil }
        var expected = start
        for index in range {
            if array[index] != expected { return nil }
            expected &+= step
        }
        return step == 0 ? .constant(start) : .sequence(first: start)
    }

    /// Returns the least and greatest of the first `count` values; nil if the column is absent. For a sequence that
    /// overflows the result is the full range of Int64.
    package func bounds(count: Int) -> (least: Int64, greatest: Int64)? {
        switch self {
        case .absent: return nil
        case .constant(let value): return (value, value)
        case .sequence(let first):
            let (last, overflow) = first.addingReportingOverflow(Int64(max(count, 1) - 1))
            return overflow ? (Int64.min, Int64.max) : (first, last)
        case .values(let array):
            guard var least = array.first, count > 0 else { return nil }
            var greatest = least
            for value in array.prefix(count) {
                least = min(least, value)
                greatest = max(greatest, value)
            }
            return (least, greatest)
        }
    }
}
