// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Statistics of consecutive intervals as columns; ``HKStatistics`` are created from it on request.
package final class StatisticsTable: Sendable {
    package let quantityType: HKQuantityType
    package let options: HKStatisticsOptions
    /// The unit of all values except durations, which are in seconds.
    package let unit: HKUnit
    /// The statistics of all sources together.
    package let all: StatisticsColumns
    /// The sources with samples, by bundle identifier; empty unless requested.
    package let sources: [HKSource]
    /// The statistics of each source, in the order of `sources`.
    package let bySource: [StatisticsColumns]

    /// - Parameter bySource: each source with its columns; empty unless requested.
    package init(
        quantityType: HKQuantityType, options: HKStatisticsOptions, unit: HKUnit, all: StatisticsColumns,
        bySource: [(source: HKSource, columns: StatisticsColumns)] = []
    ) {
        self.quantityType = quantityType
        self.options = options
        self.unit = unit
        self.all = all
        sources = bySource.map(\.source)
        self.bySource = bySource.map(\.columns)
    }

    /// Returns the columns of a source; nil if the source has no sample or sources were not requested.
    func columns(of source: HKSource) -> StatisticsColumns? {
        sources.firstIndex(of: source).map { bySource[$0] }
    }

    /// Returns whether a row equals a row of another table of the same query; nil is an interval without samples.
    func hasSameValues(in row: Int?, as other: StatisticsTable, in otherRow: Int?) -> Bool {
        guard all.hasSameValues(in: row, as: other.all, in: otherRow) else { return false }
        return Set(sources).union(other.sources).allSatisfy { source in
            let (own, others) = (columns(of: source), other.columns(of: source))
            return (own ?? StatisticsColumns()).hasSameValues(
                in: own == nil ? nil : row, as: others ?? StatisticsColumns(), in: others == nil ? nil : otherRow)
        }
    }
}

/// The values of consecutive intervals, one array per statistic: empty if the statistic was not requested, NaN for an
/// interval with nothing to compute from.
package struct StatisticsColumns: Sendable {
    /// Whether each interval has samples.
    package var isThere: [Bool] = []
    package var sum: [Double] = []
    package var average: [Double] = []
    package var minimum: [Double] = []
    package var maximum: [Double] = []
    /// In seconds.
    package var duration: [Double] = []
    package var mostRecent: [Double] = []
    package var mostRecentStarts: [Date] = []
    package var mostRecentEnds: [Date] = []

    package init() {}

    fileprivate func hasSameValues(in row: Int?, as other: StatisticsColumns, in otherRow: Int?) -> Bool {
        func isSame<T: Equatable>(_ column: [T], _ otherColumn: [T]) -> Bool {
            // A value that does not equal itself is NaN, which is no value.
            func value(_ column: [T], _ row: Int?) -> T? {
                row.flatMap { $0 < column.count && column[$0] == column[$0] ? column[$0] : nil }
            }
            return value(column, row) == value(otherColumn, otherRow)
        }
        let isThereNow = row.map { isThere[$0] } ?? false
        guard isThereNow == (otherRow.map { other.isThere[$0] } ?? false) else { return false }
        if !isThereNow { return true }
        return isSame(sum, other.sum) && isSame(average, other.average)
            && isSame(minimum, other.minimum) && isSame(maximum, other.maximum)
            && isSame(duration, other.duration) && isSame(mostRecent, other.mostRecent)
            && isSame(mostRecentStarts, other.mostRecentStarts) && isSame(mostRecentEnds, other.mostRecentEnds)
    }
}

/// The unlimited sequence of intervals of a statistics collection.
package protocol StatisticsIntervals: Sendable {
    /// Returns the ascending edges of adjoining intervals, beginning with the interval that contains a date.
    ///
    /// A date before the first interval of the calendar is treated as the first interval.
    /// - Parameter count: the maximum number of intervals.
    /// - Returns: one edge more than intervals; empty if the calendar has no intervals.
    /// - Complexity: O(count).
    func edges(from date: Date, count: Int) -> [Date]
}
