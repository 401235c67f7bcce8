// SPDX-License-Identifier: Apache-2.0

/// A sum that keeps what rounding takes from it.
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

/// A sample with its value in the unit of the answer.
struct MeasuredRow: Equatable, Sendable {
    var start: Int64
    var end: Int64
    var value: Double
    /// The place of its series among those that are asked.
    var part: Int
}

/// What is known of the samples of one interval.
struct StatisticsCell: Sendable {
    /// Samples that start in the interval.
    private(set) var count = 0
    /// Of a cumulative type the shares of the interval, else the values of the samples that start in it.
    private(set) var sum = CompensatedSum()
    private(set) var min = Double.infinity
    private(set) var max = -Double.infinity
    /// Whether anything reaches into the interval.
    var isReached = false
    /// Covered nanoseconds.
    var covered: UInt64 = 0
    /// The sample that ends last, of several the one that starts last.
    private(set) var recent = (start: Int64.min, end: Int64.min, value: 0.0)

    /// Whether the interval has any sample, or a part of one.
    var isThere: Bool { count > 0 || isReached }

    /// Adds what an interval has of an amount.
    mutating func add(share: Double) {
        sum.add(share)
        isReached = true
    }

    /// Takes a sample of which it is known that it may be the most recent one.
    mutating func offer(_ start: Int64, _ end: Int64, _ value: Double) {
        if (end, start) >= (recent.end, recent.start) { recent = (start, end, value) }
    }

    /// Adds a sample that starts in the interval.
    ///
    /// - Parameter isSummed: whether its value is a part of the sum, as those of discrete types are.
    mutating func add(_ row: MeasuredRow, isSummed: Bool) {
        if isSummed { sum.add(row.value) }
        count += 1
        min = Swift.min(min, row.value)
        max = Swift.max(max, row.value)
        offer(row.start, row.end, row.value)
    }

    /// Adds what summaries say of samples that start in the interval.
    mutating func add(_ a: Aggregate, _ conversion: UnitConversion?, isSummed: Bool) {
        guard a.count > 0, let last = a.last else { return }
        func converted(_ value: Double) -> Double { conversion?.convert(value) ?? value }
        if isSummed, let total = a.sum {
            let number = Double(a.count)
            // Every sample of a temperature brings the offset along.
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

    /// The mean of the values.
    var mean: Double { count > 0 ? within(sum.value / Double(count)) : .nan }

    /// A mean, which lies between the least and the greatest value; rounding may have put it beside them.
    func within(_ mean: Double) -> Double { mean.isNaN ? mean : Swift.min(Swift.max(mean, min), max) }
}

/// The intervals that an answer has, as edges.
struct StatisticsGrid: Sendable {
    /// Ascending, two at least.
    let edges: [Int64]

    /// One interval that has all of time.
    static let single = StatisticsGrid(edges: [Int64.min, Int64.max])

    var count: Int { edges.count - 1 }

    /// The interval with an instant; the first or last one for those outside.
    ///
    /// - Parameter hint: where to look first.
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

    /// The parts that edges cut a range into, which lies within them, and the interval of the first.
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
