// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HealthModel

extension HealthStore {
    /// Returns statistics of all samples of a type that match a predicate, by HealthKit's rules:
    /// `Docs/Guide/Statistics.md`.
    ///
    /// - Throws: `errorInvalidArgument` for options that the type does not support, `errorNoData` if no sample matches,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: for a predicate with only dates and sources, O(log n) and the blocks cut by the dates, per series;
    ///   otherwise O(samples in the range of dates).
    package func statistics(
        of type: HKQuantityType, where predicate: SamplePredicate = .always(true), _ options: HKStatisticsOptions,
        _ lifecycle: QueryLifecycle? = nil, explain explanation: QueryExplanation? = nil
    ) throws(HKError) -> HKStatistics {
        try options.check(for: type)
        let question = StatisticsQuestion(type: type, predicate: predicate, options: options)
        return try HKError.converting {
            let search = try StatisticsSearch(question, self, lifecycle, explanation)
            guard let groups = try search.run(nil)?.groups, let extent = groups[0].extent else {
                throw Self.noData(type, search.found.leftOut)
            }
            return HKStatistics(
                search.table(groups), row: 0, start: StoredTime.date(extent.start),
                end: StoredTime.endDate(extent.end))
        }
    }

    /// Returns statistics of adjacent time intervals for the samples of a type that match a predicate.
    ///
    /// - Parameter lifecycle: the query's lifecycle; reading stops when it is stopped.
    /// - Throws: `errorInvalidArgument` for options that the type does not support and for intervals without a length,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: that of `statistics(of:where:_:)`, and O(intervals).
    func statisticsCollection(
        _ question: CollectionQuestion, _ lifecycle: QueryLifecycle? = nil, explain explanation: QueryExplanation? = nil
    ) throws(HKError) -> HKStatisticsCollection {
        try question.statistics.options.check(for: question.statistics.type)
        let intervals = try CalendarIntervals(anchor: question.anchor, every: question.components)
        return try HKError.converting {
            let search = try StatisticsSearch(question.statistics, self, lifecycle, explanation)
            guard let (grid, groups) = try search.run(intervals), groups[0].cells.contains(where: \.isThere) else {
                return HKStatisticsCollection(search.table([]), edges: [], intervals: intervals)
            }
            return HKStatisticsCollection(
                search.table(groups), edges: grid.edges.map { StoredTime.date($0) }, intervals: intervals)
        }
    }

    private static func noData(_ type: HKQuantityType, _ units: [String]) -> HKError {
        let others = units.map { "\"\($0)\"" }.joined(separator: ", ")
        return HKError(
            .errorNoData,
            reason: units.isEmpty
                ? "no sample matches" : "the only matching samples have units that do not convert: \(others)",
            place: type.identifier)
    }
}

extension StatisticsSearch {
    /// Returns the collected values as columns; an empty table for no groups.
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
