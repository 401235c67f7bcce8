// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The accumulated statistics of all sources, or of one source.
struct StatisticsGroup {
    /// The index of the source; nil for all sources.
    let source: Int?
    private let style: HKQuantityAggregationStyle
    var cells: [StatisticsCell]
    /// The weights of each interval; empty unless a weighted average is requested.
    private var weights: [StatisticsWeights] = []
    /// The earliest start and the latest end of a sample.
    private(set) var extent: (start: Int64, end: Int64)?
    private let grid: StatisticsGrid
    private var amounts: MergedAmounts?
    private var covered: CoveredTime?
    private var place = 0

    /// - Parameter core: the time range answered by summaries.
    init(
        _ source: Int?, _ grid: StatisticsGrid, core: TimeRange, ranks: Int, style: HKQuantityAggregationStyle,
        _ options: HKStatisticsOptions
    ) {
        self.source = source
        self.grid = grid
        self.style = style
        cells = [StatisticsCell](repeating: StatisticsCell(), count: grid.count)
        amounts =
            style == .cumulative ? MergedAmounts(grid, except: core, ranks: source == nil ? max(ranks, 1) : 1) : nil
        covered = options.contains(.duration) ? CoveredTime(grid) : nil
        let isWeighed = style == .discreteTemporallyWeighted || style == .discreteEquivalentContinuousLevel
        if isWeighed, options.contains(.discreteAverage) {
            weights = [StatisticsWeights](repeating: StatisticsWeights(), count: grid.count)
        }
    }

    /// Adds a sample that starts outside of the core.
    mutating func take(_ row: MeasuredRow, rank: Int) {
        place = grid.place(of: row.start, hint: place)
        cells[place].add(row, isSummed: style != .cumulative)
        if !weights.isEmpty { weights[place].add(row, isLevel: style == .discreteEquivalentContinuousLevel) }
        include(row.start, row.end)
        covered?.add(row.start, row.end, to: &cells)
        takeAmount(row, rank: rank)
    }

    /// Adds the summaries of samples that start in an interval.
    ///
    /// - Ordering: intervals in ascending order.
    mutating func take(_ aggregate: Aggregate, _ conversion: UnitConversion?, at place: Int) {
        cells[place].add(aggregate, conversion, isSummed: style != .cumulative)
        if !weights.isEmpty { weights[place].add(aggregate, conversion) }
    }

    /// Adds a sample's share outside of the core, for a cumulative type.
    mutating func takeAmount(_ row: MeasuredRow, rank: Int) {
        amounts?.add(row, rank: source == nil ? rank : 0, to: &cells)
    }

    /// Extends the extent by a range of samples.
    mutating func include(_ start: Int64, _ end: Int64) {
        guard let known = extent else {
            extent = (start, end)
            return
        }
        extent = (min(known.start, start), max(known.end, end))
    }

    /// Adds the remaining amounts.
    mutating func finish() { amounts?.finish(&cells) }

    /// Returns the requested values.
    func columns(_ options: HKStatisticsOptions) -> StatisticsColumns {
        var columns = StatisticsColumns()
        columns.isThere = cells.map(\.isThere)
        func values(_ option: HKStatisticsOptions, _ value: (StatisticsCell) -> Double) -> [Double] {
            options.contains(option) ? cells.map(value) : []
        }
        columns.sum = values(.cumulativeSum) { $0.isThere ? $0.sum.value : .nan }
        columns.average = options.contains(.discreteAverage) ? cells.indices.map(average) : []
        columns.minimum = values(.discreteMin) { $0.count > 0 ? $0.min : .nan }
        columns.maximum = values(.discreteMax) { $0.count > 0 ? $0.max : .nan }
        columns.duration = values(.duration) { $0.isThere ? Double($0.covered) / 1e9 : .nan }
        columns.mostRecent = values(.mostRecent) { $0.count > 0 ? $0.recent.value : .nan }
        if options.contains(.mostRecent) {
            columns.mostRecentStarts = cells.map { StoredTime.date($0.recent.start) }
            columns.mostRecentEnds = cells.map { StoredTime.endDate($0.recent.end) }
        }
        return columns
    }

    private func average(_ place: Int) -> Double {
        guard place < weights.count else { return cells[place].mean }
        return style == .discreteTemporallyWeighted
            ? weights[place].timeWeightedMean(of: cells[place]) : weights[place].level(of: cells[place])
    }
}
