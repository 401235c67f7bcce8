// SPDX-License-Identifier: Apache-2.0

/// Aggregates of consecutive samples in run order: the summary of a block, a page or a run.
///
/// Times are nanoseconds since 1970 UTC. Summaries form a monoid: an empty one has `count == 0` and is the neutral
/// element of `append`.
@usableFromInline
package struct Summary: Equatable, Sendable {
    /// Number of samples.
    @usableFromInline package var count: Int64 = 0
    /// Sum of the values.
    @usableFromInline package var sum = DoubleDouble(hi: 0, lo: 0)
    /// Sum of the squares of the values.
    @usableFromInline package var sumOfSquares = DoubleDouble(hi: 0, lo: 0)
    /// Least value; +infinity if empty.
    @usableFromInline package var min = Double.infinity
    /// Greatest value; -infinity if empty.
    @usableFromInline package var max = -Double.infinity
    @usableFromInline package var firstStart: Int64 = 0
    @usableFromInline package var firstEnd: Int64 = 0
    @usableFromInline package var firstValue: Double = 0
    @usableFromInline package var lastStart: Int64 = 0
    @usableFromInline package var lastEnd: Int64 = 0
    @usableFromInline package var lastValue: Double = 0
    /// Greatest end; `Int64.min` if empty.
    @usableFromInline package var maxEnd = Int64.min
    /// Greatest end of all samples but the last; `Int64.min` if there are fewer than two.
    @usableFromInline package var maxEndExceptLast = Int64.min
    /// Sum of `value[i] * (start[i + 1] - start[i])` in value times seconds, between the first and the last start.
    @usableFromInline package var integral = DoubleDouble(hi: 0, lo: 0)
    /// Sum of `end - start` in nanoseconds.
    @usableFromInline package var durationSum: Int128 = 0
    /// Least and greatest commit number; `Int64.max` and `Int64.min` if empty.
    @usableFromInline package var minBorn = Int64.max
    @usableFromInline package var maxBorn = Int64.min

    /// Creates the summary of no samples.
    @inlinable
    package init() {}

    /// Whether both summaries describe the same samples. Overflowed sums always agree: they are infinite or, in files
    /// of earlier versions, NaN.
    package func agrees(with other: Summary) -> Bool {
        var (mine, theirs) = (self, other)
        for sum in [\Summary.sum, \Summary.sumOfSquares, \Summary.integral]
        where !mine[keyPath: sum].hi.isFinite && !theirs[keyPath: sum].hi.isFinite {
            mine[keyPath: sum] = .zero
            theirs[keyPath: sum] = .zero
        }
        return mine == theirs
    }

    /// Appends the summary of samples that follow in run order (start at or after the last start of these).
    ///
    /// Count, extremes, times and durations are exact; sums as described in `Docs/Internals/Accuracy.md`. O(1).
    package mutating func append(_ later: Summary) {
        if later.count == 0 { return }
        if count == 0 {
            self = later
            return
        }
        count &+= later.count
        sum.add(later.sum)
        sumOfSquares.add(later.sumOfSquares)
        min = later.min < min ? later.min : min
        max = later.max > max ? later.max : max
        // Add the gap to the later integral first: the next summary then waits for one addition less.
        var area = Summary.area(lastValue, from: lastStart, to: later.firstStart)
        area.add(later.integral)
        integral.add(area)
        maxEndExceptLast = Swift.max(maxEnd, later.maxEndExceptLast)
        maxEnd = Swift.max(maxEnd, later.maxEnd)
        durationSum &+= later.durationSum
        minBorn = Swift.min(minBorn, later.minBorn)
        maxBorn = Swift.max(maxBorn, later.maxBorn)
        lastStart = later.lastStart
        lastEnd = later.lastEnd
        lastValue = later.lastValue
    }

    /// Returns `value * (to - from)` in value times seconds: the area under a step between two starts.
    package static func area(_ value: Double, from: Int64, to: Int64) -> DoubleDouble {
        let step = UInt64(bitPattern: to &- from)
        return DoubleDouble.product(value, Double(step)).divided(by: 1e9)
    }
}
