// SPDX-License-Identifier: Apache-2.0

import HealthModel

// Answers from summaries.
extension StatisticsSearch {
    /// Adds all samples of the core.
    ///
    /// - Requires: every sample of the core matches.
    /// - Complexity: O(intervals + index entries + blocks cut by an edge), per stored unit.
    func addCore(_ core: TimeRange, _ grid: StatisticsGrid, to group: inout StatisticsGroup) throws {
        let range = TimeRange(
            max(core.start, grid.edges[0]), min(core.end, grid.edges[grid.edges.count - 1]))
        if range.isEmpty { return }
        let own = parts.filter { group.source == nil || $0.source == group.source }
        let (edges, first) = grid.cut(range)
        let isWhole = grid.count == 1
        for (conversion, ids) in byUnit(own) {
            if isCumulative { try addAmounts(own, ids, conversion, edges, first, to: &group) }
            if !isCumulative || isWhole || options.contains(.mostRecent) {
                try addSamples(ids, conversion, edges, first, isWhole: isWhole, to: &group)
            }
        }
    }

    /// Returns the series of each stored unit.
    private func byUnit(_ own: [StatisticsPart]) -> [(conversion: UnitConversion?, ids: [SeriesID])] {
        var units: [String] = []
        var found: [(conversion: UnitConversion?, ids: [SeriesID])] = []
        for part in own {
            if let at = units.firstIndex(of: part.unit.unitString) {
                found[at].ids.append(part.id)
            } else {
                units.append(part.unit.unitString)
                found.append((part.conversion, [part.id]))
            }
        }
        return found
    }

    /// Adds amounts. At every moment the amounts of one source count.
    private func addAmounts(
        _ own: [StatisticsPart], _ ids: [SeriesID], _ conversion: UnitConversion?, _ edges: [Int64], _ first: Int,
        to group: inout StatisticsGroup
    ) throws {
        let ranks = Dictionary(grouping: own, by: \.rank).sorted { $0.key < $1.key }
        let merged = MergedSources(
            sources: ranks.map { $0.value.map(\.id).sorted() }, counting: Set(ids), countsCopies: false)
        let table = try view.snapshot.buckets(of: merged, .edges(edges), explain: explanation)
        for (i, aggregate) in table.enumerated() {
            guard let sum = aggregate.sum else { continue }
            group.cells[first + i].add(share: conversion?.convert(sum) ?? sum)
        }
    }

    /// Adds the samples, each in the interval of its start.
    private func addSamples(
        _ ids: [SeriesID], _ conversion: UnitConversion?, _ edges: [Int64], _ first: Int, isWhole: Bool,
        to group: inout StatisticsGroup
    ) throws {
        var extra: AggregateOptions = []
        if isWhole || options.contains(.mostRecent) { extra.insert(.latestEnd) }
        let isWeighted = type.aggregationStyle == .discreteTemporallyWeighted
        if isWeighted, options.contains(.discreteAverage) { extra.insert(.timeWeightedAverage) }
        let table = try view.snapshot.buckets(of: ids, .edges(edges), computing: extra, explain: explanation)
        for (i, aggregate) in table.enumerated() {
            guard let earliest = aggregate.first, let last = aggregate.last else { continue }
            group.take(aggregate, conversion, at: first + i)
            guard let latest = aggregate.latestEnd else { continue }
            group.include(earliest.start, latest)
            guard latest > last.end, options.contains(.mostRecent) else { continue }
            // The sample with the latest end is not the sample with the latest start.
            var wanted = RunScan(
                TimeRange(aggregate.start, aggregate.end), [.starts, .ends, .values], explanation)
            wanted.instant = latest - 1
            try view.snapshot.scan(ids, wanted) { batch throws(StoreError) in
                for place in 0..<batch.count where batch[place].end == latest {
                    let sample = batch[place]
                    let value = conversion?.convert(sample.value) ?? sample.value
                    group.cells[first + i].offer(sample.start, latest, value)
                }
                return true
            }
        }
    }
}
