// SPDX-License-Identifier: Apache-2.0

/// A compensated sum, which keeps the rounding errors.
struct CompensatedSum: Equatable, Sendable {
    private var high = 0.0
    private var low = 0.0

    mutating func add(_ value: Double) {
        let sum = high + value
        let part = sum - high
        low += (high - (sum - part)) + (value - part)
        high = sum
    }

    var value: Double { high.isFinite ? high + low : high }
}

/// A sample with its value in the unit of the result.
struct MeasuredRow: Equatable, Sendable {
    var start: Int64
    var end: Int64
    var value: Double
    /// The index of its series in `StatisticsParts.parts`.
    var part: Int
}

/// The accumulated values of one interval.
struct StatisticsCell: Sendable {
    /// The number of samples that start in the interval.
    private(set) var count = 0
    /// For a cumulative type the shares in the interval, otherwise the values of the samples that start in it.
    private(set) var sum = CompensatedSum()
    private(set) var min = Double.infinity
    private(set) var max = -Double.infinity
    /// Whether any sample overlaps the interval.
    var isReached = false
    /// The covered time in nanoseconds.
    var covered: UInt64 = 0
    /// The sample that ends last; of several, the one with the latest start, then with the greatest value.
    private(set) var recent = (start: Int64.min, end: Int64.min, value: 0.0)

    /// Whether the interval has any sample, or a part of one.
    var isThere: Bool { count > 0 || isReached }

    /// Adds an interval's share of an amount.
    mutating func add(share: Double) {
        sum.add(share)
        isReached = true
    }

    /// Replaces the most recent sample if this sample ends later.
    mutating func offer(_ start: Int64, _ end: Int64, _ value: Double) {
        if (end, start, value) >= (recent.end, recent.start, recent.value) { recent = (start, end, value) }
    }

    /// Adds a sample that starts in the interval.
    ///
    /// - Parameter isSummed: whether its value is added to the sum, as for discrete types.
    mutating func add(_ row: MeasuredRow, isSummed: Bool) {
        if isSummed { sum.add(row.value) }
        count += 1
        min = Swift.min(min, row.value)
        max = Swift.max(max, row.value)
        offer(row.start, row.end, row.value)
    }

    /// Includes the extremes of a sample that is a series.
    mutating func extend(low: Double, high: Double) {
        min = Swift.min(min, low)
        max = Swift.max(max, high)
    }

    /// Adds the summaries of samples that start in the interval.
    mutating func add(_ a: Aggregate, _ conversion: UnitConversion?, isSummed: Bool) {
        guard a.count > 0, let last = a.last else { return }
        func converted(_ value: Double) -> Double { conversion?.convert(value) ?? value }
        if isSummed, let total = a.sum {
            let number = Double(a.count)
            // Each sample of a temperature contributes the offset once.
            sum.add(conversion?.isLinear ?? true ? converted(total) : converted(total / number) * number)
        }
        for value in [a.min, a.max] {
            guard let value else { continue }
            min = Swift.min(min, converted(value))
            max = Swift.max(max, converted(value))
        }
        count += a.count
        offer(last.start, last.end, converted(last.value))
    }

    var mean: Double { count > 0 ? within(sum.value / Double(count)) : .nan }

    /// Clamps a mean between the least and the greatest value, because rounding may exceed them.
    func within(_ mean: Double) -> Double { mean.isNaN ? mean : Swift.min(Swift.max(mean, min), max) }
}

/// The intervals of a result, as edges.
struct StatisticsGrid: Sendable {
    /// The edges in ascending order, at least two.
    let edges: [Int64]

    /// A single interval with all of time.
    static let single = StatisticsGrid(edges: [Int64.min, Int64.max])

    var count: Int { edges.count - 1 }

    /// Returns the index of the interval that contains an instant; the first or last one for instants outside.
    ///
    /// - Parameter hint: the index to try first.
    func place(of instant: Int64, hint: Int = 0) -> Int {
        if instant >= edges[hint], instant < edges[hint + 1] { return hint }
        if hint + 2 < edges.count, instant >= edges[hint + 1], instant < edges[hint + 2] { return hint + 1 }
        var (low, high) = (0, edges.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= instant { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the edges that divide a range, and the index of the interval with its first part.
    ///
    /// - Requires: a range within the edges.
    func cut(_ range: TimeRange) -> (edges: [Int64], first: Int) {
        let first = place(of: range.start)
        let last = place(of: range.end &- 1, hint: first)
        var found = [Int64]()
        found.reserveCapacity(last - first + 2)
        found.append(range.start)
        if first < last { found += edges[(first + 1)...last] }
        found.append(range.end)
        return (found, first)
    }
}
