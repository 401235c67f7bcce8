// SPDX-License-Identifier: Apache-2.0

extension Range where Bound: FixedWidthInteger {
    /// Returns the first number of the range for which `isInSecondPart` is true, or the upper bound: a binary search.
    ///
    /// - Requires: `isInSecondPart` is false up to some number and true from there on.
    /// - Complexity: O(log n) calls.
    @inlinable @inline(__always)
    package func partitioningIndex<E: Error>(where isInSecondPart: (Bound) throws(E) -> Bool) throws(E) -> Bound {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            // The distance may not fit into a signed number, but its half does.
            let middle = low &+ Bound(truncatingIfNeeded: Bound.Magnitude(truncatingIfNeeded: high &- low) / 2)
            if try isInSecondPart(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
