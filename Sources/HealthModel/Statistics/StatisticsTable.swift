// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Statistics of a row of intervals as columns, from which ``HKStatistics`` are made when they are asked for.
package final class StatisticsTable: Sendable {
    package let quantityType: HKQuantityType
    package let options: HKStatisticsOptions
    /// The unit of all values but durations, which are in seconds.
    package let unit: HKUnit
    /// All sources together.
    package let all: StatisticsColumns
    /// The sources that have any sample, by bundle identifier, where they were asked for.
    package let sources: [HKSource]
    /// Each source alone, in the order of `sources`.
    package let bySource: [StatisticsColumns]

    /// - Parameter bySource: each source with what is of it alone; empty unless they were asked for.
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

    /// What is of a source alone; nil for one that has no sample, and where sources were not asked for.
    func columns(of source: HKSource) -> StatisticsColumns? {
        sources.firstIndex(of: source).map { bySource[$0] }
    }

    /// Whether a row says the same as one of another table of the same question; nil is one without samples.
    func hasSameValues(in row: Int?, as other: StatisticsTable, in otherRow: Int?) -> Bool {
        guard all.hasSameValues(in: row, as: other.all, in: otherRow) else { return false }
        return Set(sources).union(other.sources).allSatisfy { source in
            let (own, others) = (columns(of: source), other.columns(of: source))
            return (own ?? StatisticsColumns()).hasSameValues(
                in: own == nil ? nil : row, as: others ?? StatisticsColumns(), in: others == nil ? nil : otherRow)
        }
    }
}

/// The values of some intervals, one array for each statistic: empty if it was not asked for, not a number where there
/// is nothing to compute from.
package struct StatisticsColumns: Sendable {
    /// Whether an interval has anything.
    package var isThere: [Bool] = []
    package var sum: [Double] = []
    package var average: [Double] = []
    package var minimum: [Double] = []
    package var maximum: [Double] = []
    /// Seconds.
    package var duration: [Double] = []
    package var mostRecent: [Double] = []
    package var mostRecentStarts: [Date] = []
    package var mostRecentEnds: [Date] = []

    package init() {}

    fileprivate func hasSameValues(in row: Int?, as other: StatisticsColumns, in otherRow: Int?) -> Bool {
        func isSame<T: Equatable>(_ column: [T], _ otherColumn: [T]) -> Bool {
            func value(_ column: [T], _ row: Int?) -> T? { row.flatMap { $0 < column.count ? column[$0] : nil } }
            return value(column, row) == value(otherColumn, otherRow)
        }
        func isSameNumber(_ column: [Double], _ otherColumn: [Double]) -> Bool {
            func value(_ column: [Double], _ row: Int?) -> Double? {
                row.flatMap { $0 < column.count && !column[$0].isNaN ? column[$0] : nil }
            }
            return value(column, row) == value(otherColumn, otherRow)
        }
        let isThereNow = row.map { isThere[$0] } ?? false
        guard isThereNow == (otherRow.map { other.isThere[$0] } ?? false) else { return false }
        if !isThereNow { return true }
        return isSameNumber(sum, other.sum) && isSameNumber(average, other.average)
            && isSameNumber(minimum, other.minimum) && isSameNumber(maximum, other.maximum)
            && isSameNumber(duration, other.duration) && isSameNumber(mostRecent, other.mostRecent)
            && isSame(mostRecentStarts, other.mostRecentStarts) && isSame(mostRecentEnds, other.mostRecentEnds)
    }
}

/// Intervals without end in both directions, which a collection's statistics are of.
package protocol StatisticsIntervals: Sendable {
    /// The edges of adjoining intervals, ascending: of the one that contains a date and of those after it.
    ///
    /// A date before all that the calendar has is taken as its first one.
    /// - Parameter count: the most intervals.
    /// - Returns: one edge more than intervals; nothing where the calendar has none.
    /// - Complexity: O(count).
    func edges(from date: Date, count: Int) -> [Date]
}
