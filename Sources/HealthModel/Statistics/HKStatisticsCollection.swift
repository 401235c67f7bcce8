// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Statistics of adjoining intervals, which extend without limit into past and future.
///
/// The collection stores columns and creates each ``HKStatistics`` on request.
public final class HKStatisticsCollection: NSObject, Sendable {
    private let table: StatisticsTable
    /// The edges of the table's intervals: one more than rows, or empty without samples.
    private let edges: [Date]
    private let intervals: any StatisticsIntervals

    /// - Parameter edges: ascending, one more than the table has rows; empty without rows.
    package init(_ table: StatisticsTable, edges: [Date], intervals: any StatisticsIntervals) {
        self.table = table
        self.edges = edges
        self.intervals = intervals
        super.init()
    }

    /// Returns the statistics of all intervals with samples, in order of time.
    ///
    /// - Complexity: O(intervals from the first to the last).
    public func statistics() -> [HKStatistics] { table.all.isThere.indices.filter { table.all.isThere[$0] }.map(row) }

    /// Returns the statistics of the interval that contains a date; all values are nil if the interval has no samples.
    ///
    /// - Returns: nil for a date outside the years 1677 to 2262.
    /// - Complexity: O(log intervals).
    public func statistics(for date: Date) -> HKStatistics? {
        if let place = place(of: date) { return row(place) }
        let found = intervals.edges(from: date, count: 1)
        guard found.count == 2, date >= found[0], date < found[1] else { return nil }
        return HKStatistics(table, row: nil, start: found[0], end: found[1])
    }

    /// Calls a block with the statistics of every interval from the interval of a start date to the interval of an end
    /// date, in order of time. All values of an interval without samples are nil.
    ///
    /// - Parameter block: sets `stop.pointee` to true to end the enumeration. The pointer is valid during the call.
    /// - Complexity: O(intervals), including intervals without samples.
    @safe public func enumerateStatistics(
        from startDate: Date, to endDate: Date, with block: (HKStatistics, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        forEach(from: startDate, to: endDate) { statistics in
            var stop: ObjCBool = false
            unsafe withUnsafeMutablePointer(to: &stop) { unsafe block(statistics, $0) }
            return !stop.boolValue
        }
    }

    /// Calls a function with the statistics of every interval, until it returns false.
    private func forEach(from startDate: Date, to endDate: Date, _ isMore: (HKStatistics) -> Bool) {
        guard startDate <= endDate else { return }
        var next = startDate
        while next <= endDate {
            if let place = place(of: next) {
                if !isMore(row(place)) { return }
                next = edges[place + 1]
                continue
            }
            let more = intervals.edges(from: next, count: Self.stretch)
            guard let last = more.last, last > next else { return }
            next = last
            for (start, end) in zip(more, more.dropFirst()) {
                if start > endDate { return }
                if place(of: start) != nil {
                    next = start
                    break
                }
                if !isMore(HKStatistics(table, row: nil, start: start, end: end)) { return }
            }
        }
    }

    /// Returns the sources of all samples; empty without ``HKStatisticsOptions/separateBySource``.
    public func sources() -> Set<HKSource> { Set(table.sources) }

    /// Returns, in order of time, the statistics of the intervals that differ from an earlier result of the same query.
    ///
    /// - Complexity: O(intervals).
    package func changes(since old: HKStatisticsCollection) -> [HKStatistics] {
        var rows: [Date: (old: Int?, new: Int?)] = [:]
        for (row, isThere) in old.table.all.isThere.enumerated() where isThere { rows[old.edges[row]] = (row, nil) }
        for (row, isThere) in table.all.isThere.enumerated() where isThere {
            rows[edges[row], default: (nil, nil)].new = row
        }
        return rows.filter { !table.hasSameValues(in: $0.value.new, as: old.table, in: $0.value.old) }.keys.sorted()
            .compactMap { statistics(for: $0) }
    }

    /// The number of intervals without samples computed per step.
    private static let stretch = 64

    private func row(_ place: Int) -> HKStatistics {
        HKStatistics(table, row: place, start: edges[place], end: edges[place + 1])
    }

    /// Returns the row that contains a date; nil if the table has none.
    private func place(of date: Date) -> Int? {
        guard let first = edges.first, let last = edges.last, date >= first, date < last else { return nil }
        var (low, high) = (0, edges.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= date { low = middle } else { high = middle }
        }
        return low
    }
}
