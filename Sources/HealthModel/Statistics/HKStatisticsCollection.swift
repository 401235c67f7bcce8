// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Statistics of adjoining intervals, which reach without end into past and future.
///
/// What is kept are columns; each ``HKStatistics`` is made when it is asked for.
public final class HKStatisticsCollection: NSObject, Sendable {
    private let table: StatisticsTable
    /// The edges of the intervals that the table has, one more than rows; empty without samples.
    private let edges: [Date]
    private let intervals: any StatisticsIntervals

    /// - Parameter edges: ascending, one more than the table has rows; empty where it has none.
    package init(_ table: StatisticsTable, edges: [Date], intervals: any StatisticsIntervals) {
        self.table = table
        self.edges = edges
        self.intervals = intervals
        super.init()
    }

    /// The statistics of all intervals that have any, in order of time.
    ///
    /// - Complexity: O(intervals from the first to the last).
    public func statistics() -> [HKStatistics] { table.all.isThere.indices.filter { table.all.isThere[$0] }.map(row) }

    /// The statistics of the interval that contains a date; without samples in it, all of its values are nil.
    ///
    /// - Returns: nil for a date beyond the years 1677 to 2262.
    /// - Complexity: O(log intervals).
    public func statistics(for date: Date) -> HKStatistics? {
        if let place = place(of: date) { return row(place) }
        let found = intervals.edges(from: date, count: 1)
        guard found.count == 2, date >= found[0], date < found[1] else { return nil }
        return HKStatistics(table, row: nil, start: found[0], end: found[1])
    }

    /// Calls a block with the statistics of every interval from the one that contains a date to the one that contains
    /// another, in order of time; of one without samples, all values are nil.
    ///
    /// - Parameter block: may set `stop.pointee` to end it.
    /// - Complexity: O(intervals), also of those without samples.
    public func enumerateStatistics(
        from startDate: Date, to endDate: Date, with block: (HKStatistics, HKStatisticsStop) -> Void
    ) {
        guard startDate <= endDate else { return }
        let stop = HKStatisticsStop()
        var next = startDate
        while next <= endDate, !stop.pointee.boolValue {
            if let place = place(of: next) {
                block(row(place), stop)
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
                block(HKStatistics(table, row: nil, start: start, end: end), stop)
                if stop.pointee.boolValue { return }
            }
        }
    }

    /// The sources of all samples; none unless ``HKStatisticsOptions/separateBySource`` was asked for.
    public func sources() -> Set<HKSource> { Set(table.sources) }

    /// The statistics of the intervals of which an earlier collection of the same question says something else, in
    /// order of time.
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

    /// Intervals without samples that are found at once.
    private static let stretch = 64

    private func row(_ place: Int) -> HKStatistics {
        HKStatistics(table, row: place, start: edges[place], end: edges[place + 1])
    }

    /// The row of the table with a date.
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

/// The flag that ends ``HKStatisticsCollection/enumerateStatistics(from:to:with:)``: `stop.pointee = true`.
///
/// HealthKit hands out a pointer; this is an object of the same use that cannot dangle.
public final class HKStatisticsStop {
    /// Whether to end.
    public var pointee: ObjCBool = false

    init() {}
}
