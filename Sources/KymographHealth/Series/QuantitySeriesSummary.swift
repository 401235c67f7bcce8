// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The summary of a series' quantities in its object, in the unit of the series.
struct QuantitySeriesSummary: Sendable, Equatable {
    var count: Int
    var sum: Double
    var minimum: Double
    var maximum: Double
    /// The average by the aggregation style of the type; see `average(_:_:)`.
    var average: Double
    /// The value of the quantity that starts last.
    var mostRecent: Double
    var mostRecentStart: Int64
    var mostRecentEnd: Int64
}

extension QuantitySeriesSummary {
    /// Creates the summary of at least one quantity; nil for none.
    ///
    /// - Complexity: O(n).
    init?(_ rows: QuantitySeriesRows, _ style: HKQuantityAggregationStyle) {
        guard let last = rows.values.indices.last else { return nil }
        var total = ExactSum()
        var (least, greatest) = (rows.values[0], rows.values[0])
        for value in rows.values {
            total.add(value)
            least = min(least, value)
            greatest = max(greatest, value)
        }
        count = rows.count
        sum = total.value
        minimum = least
        maximum = greatest
        mostRecent = rows.values[last]
        mostRecentStart = rows.starts[last]
        mostRecentEnd = rows.end(of: last)
        average = Self.average(rows, style, sum: sum)
    }

    /// Returns the mean. For temporally weighted types, each quantity is weighted by its duration; for sound levels,
    /// the result is the level of the mean energy. If all quantities are points, they have equal weights.
    private static func average(
        _ rows: QuantitySeriesRows, _ style: HKQuantityAggregationStyle, sum: Double
    ) -> Double {
        let count = Double(rows.count)
        switch style {
        case .cumulative, .discreteArithmetic: return sum / count
        case .discreteTemporallyWeighted:
            return weighted(rows) { $0 } ?? sum / count
        case .discreteEquivalentContinuousLevel:
            var energy = ExactSum()
            if let mean = weighted(rows, { pow(10, $0 / 10) }) { return 10 * log10(mean) }
            for value in rows.values { energy.add(pow(10, value / 10)) }
            return 10 * log10(energy.value / count)
        }
    }

    /// Returns the mean weighted by duration; nil if all quantities are points.
    private static func weighted(_ rows: QuantitySeriesRows, _ number: (Double) -> Double) -> Double? {
        if rows.ends.isEmpty { return nil }
        var (total, weight) = (ExactSum(), ExactSum())
        for row in 0..<rows.count {
            let length = Double(rows.ends[row] &- rows.starts[row])
            if length <= 0 { continue }
            total.add(number(rows.values[row]) * length)
            weight.add(length)
        }
        return weight.value > 0 ? total.value / weight.value : nil
    }
}

/// A compensated sum, which also adds up the rounding errors (Neumaier).
struct ExactSum {
    private var high = 0.0
    private var low = 0.0

    mutating func add(_ value: Double) {
        let sum = high + value
        low += high.magnitude >= value.magnitude ? (high - sum) + value : (value - sum) + high
        high = sum
    }

    var value: Double { high.isFinite ? high + low : high }
}
