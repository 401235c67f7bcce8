// SPDX-License-Identifier: Apache-2.0

/// Series with equal values of some labels.
public struct SeriesGroup: Hashable, Sendable {
    /// The labels of the grouping with their values. A label that the series lack is absent.
    public let labels: [String: String]
    /// The series, ascending.
    public let series: [SeriesID]
}

extension Snapshot {
    /// Returns all series with a name and these labels, in ascending order; other labels are ignored. O(series).
    public func allSeries(named name: String, having labels: [String: String] = [:]) -> [Series] {
        series.filter { one in one.name == name && labels.allSatisfy { one.labels[$0.key] == $0.value } }
    }

    /// Groups series by the values of some labels. Groups are in the order of these values; series without a label come
    /// first. Without labels, the result is one group of all series.
    ///
    /// - Throws: `unknownSeries`.
    /// - Complexity: O(n log n) in the series.
    public func groups(of ids: [SeriesID], by labels: [String]) throws(StoreError) -> [SeriesGroup] {
        var found = [[String: String]: [SeriesID]]()
        for id in Set(ids) {
            try known(id)
            let own = version.series[id.rawValue]?.labels ?? [:]
            found[own.filter { labels.contains($0.key) }, default: []].append(id)
        }
        /// Returns the sort key of a group: a missing label first, then the text.
        func place(_ group: SeriesGroup) -> [String] {
            labels.flatMap { label in group.labels[label].map { ["1", $0] } ?? ["0", ""] }
        }
        return found.map { SeriesGroup(labels: $0.key, series: $0.value.sorted()) }
            .sorted { place($0).lexicographicallyPrecedes(place($1)) }
    }

    /// Returns statistics of each group of series in the same buckets; the series of a group are combined.
    ///
    /// - Parameters:
    ///   - groups: see `groups(of:by:)`.
    ///   - range: as in `buckets(of:_:over:computing:explain:)`; without bounds, from the first sample of any group to
    ///     the last.
    /// - Returns: one table for each group, in the order of `groups`, all of the same length.
    /// - Throws: as `buckets(of:_:over:computing:explain:)`.
    /// - Complexity: the sum over the groups.
    public func buckets(
        of groups: [SeriesGroup], _ buckets: Buckets, over range: TimeRange = .all,
        computing options: AggregateOptions = [], explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [BucketTable] {
        let all = groups.flatMap(\.series)
        for id in all { try known(id) }
        let edges = try edges(buckets, range, all)
        var tables = [BucketTable]()
        for group in groups {
            tables.append(
                edges.count < 2 ? BucketTable([]) : try table(group.series, edges, options, explanation))
        }
        return tables
    }

    /// Returns statistics of each group of series over a range of time, in the order of `groups`. See
    /// `aggregate(of:over:)`.
    public func aggregates(
        of groups: [SeriesGroup], over range: TimeRange = .all, computing options: AggregateOptions = [],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Aggregate] {
        var found = [Aggregate]()
        for group in groups {
            found.append(try aggregate(of: group.series, over: range, computing: options, explain: explanation))
        }
        return found
    }
}
