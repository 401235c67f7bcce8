// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HealthModel

extension HealthStore {
    /// Statistics of all samples of a type that a predicate means, under HealthKit's rules: `Docs/HealthStatistics.md`.
    ///
    /// - Throws: `errorInvalidArgument` for options that the type does not have, `errorNoData` where no sample matches,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: of dates and sources, O(log n) and the blocks that the dates cut, for each series; of all else the
    ///   samples that the dates leave.
    package func statistics(
        of type: HKQuantityType, where predicate: SamplePredicate = .always(true), _ options: HKStatisticsOptions,
        _ course: QueryLifecycle? = nil, explain explanation: QueryExplanation? = nil
    ) throws(HKError) -> HKStatistics {
        try options.check(for: type)
        do {
            let search = try StatisticsSearch(self, type, predicate, options, course, explanation)
            guard let groups = try search.run(nil)?.groups, let extent = groups[0].extent else {
                throw Self.noData(type, search.found.leftOut)
            }
            return HKStatistics(
                search.table(groups), row: 0, start: StoredTime.date(extent.start),
                end: StoredTime.endDate(extent.end))
        } catch {
            throw HKError(any: error)
        }
    }

    /// Statistics of adjoining intervals of time: of the samples of a type that a predicate means.
    ///
    /// - Parameters:
    ///   - anchor: an edge between two intervals.
    ///   - components: how long an interval is, by the calendar and time zone that they carry, else the current ones.
    ///   - course: no more is read once it is stopped.
    /// - Throws: `errorInvalidArgument` for options that the type does not have and for intervals without a length,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: as `statistics(of:where:_:)`, and O(intervals).
    package func statisticsCollection(
        of type: HKQuantityType, where predicate: SamplePredicate = .always(true), _ options: HKStatisticsOptions,
        anchor: Date, every components: DateComponents, _ course: QueryLifecycle? = nil,
        explain explanation: QueryExplanation? = nil
    ) throws(HKError) -> HKStatisticsCollection {
        try options.check(for: type)
        let intervals = try CalendarIntervals(anchor: anchor, every: components)
        do {
            let search = try StatisticsSearch(self, type, predicate, options, course, explanation)
            guard let (grid, groups) = try search.run(intervals), groups[0].cells.contains(where: \.isThere) else {
                return HKStatisticsCollection(search.table([]), edges: [], intervals: intervals)
            }
            return HKStatisticsCollection(
                search.table(groups), edges: grid.edges.map { StoredTime.date($0) }, intervals: intervals)
        } catch {
            throw HKError(any: error)
        }
    }

    private static func noData(_ type: HKQuantityType, _ units: [String]) -> HKError {
        let others = units.map { "\"\($0)\"" }.joined(separator: ", ")
        return HKError(
            .errorNoData,
            reason: units.isEmpty
                ? "no sample matches" : "no sample matches but those in \(others), which do not convert",
            place: type.identifier)
    }
}

extension StatisticsSearch {
    /// What was collected, as columns; of no groups, an empty table.
    func table(_ groups: [StatisticsGroup]) -> StatisticsTable {
        let bySource = groups.dropFirst().compactMap { group -> (source: HKSource, columns: StatisticsColumns)? in
            guard let source = group.source, group.cells.contains(where: \.isThere) else { return nil }
            return (found.sources[source], group.columns(options))
        }
        return StatisticsTable(
            quantityType: type, options: options, unit: found.unit,
            all: groups.first?.columns(options) ?? StatisticsColumns(), bySource: bySource)
    }
}
