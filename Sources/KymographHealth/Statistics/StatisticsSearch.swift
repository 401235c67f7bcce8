// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// The samples to compute statistics of, and the values to compute.
struct StatisticsQuestion: Sendable {
    let type: HKQuantityType
    let predicate: SamplePredicate
    let options: HKStatisticsOptions
}

/// One computation of statistics, of one snapshot of a store.
///
/// Most of the time range, the *core*, is answered from the engine's summaries. Samples around the core, which the
/// predicate's dates exclude or cut, are read; so are all samples if summaries cannot answer the request.
final class StatisticsSearch {
    let view: HealthView
    let type: HKQuantityType
    let options: HKStatisticsOptions
    let condition: StatisticsCondition
    let found: StatisticsParts
    let explanation: QueryExplanation?
    private let lifecycle: QueryLifecycle?
    private let filter: RowFilter?
    private let places: [Int64: Int]

    var isCumulative: Bool { type.aggregationStyle == .cumulative }
    var parts: [StatisticsPart] { found.parts }

    /// - Parameter given: the snapshot; nil for the newest one.
    init(
        _ question: StatisticsQuestion, _ store: HealthStore, _ lifecycle: QueryLifecycle? = nil,
        _ explanation: QueryExplanation? = nil, in given: HealthView? = nil
    ) throws {
        view = try given ?? store.currentView()
        type = question.type
        options = question.options
        self.explanation = explanation
        self.lifecycle = lifecycle
        condition = StatisticsCondition(try store.resolved(question.predicate, for: question.type, in: view))
        found = try StatisticsParts(type, view, admits: condition.admits)
        places = Dictionary(found.parts.enumerated().map { ($1.id.rawValue, $0) }) { first, _ in first }
        if let rest = condition.rest {
            let reader = try ObjectReader(store, view.tables)
            if rest.asksForCorrelations {
                try store.readCorrelated(reader)
            }
            filter = RowFilter(rest, reader) { ids in
                try store.catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: ids, $0) }
            }
        } else {
            filter = nil
        }
    }

    /// Computes the statistics. The result is incomplete if the query's lifecycle was stopped.
    ///
    /// - Parameter intervals: the division of time; nil for one result over all samples.
    /// - Returns: a group for all sources, and one per source if requested; nil if no sample can match.
    func run(_ intervals: CalendarIntervals?) throws -> (grid: StatisticsGrid, groups: [StatisticsGroup])? {
        let time = condition.time
        let (from, to) = (time.certainFrom, time.starts.end)
        if parts.isEmpty || time.isEmpty || found.extent.start >= to { return nil }
        let early = from > found.extent.start ? try gather(TimeRange(.min, from), lastingTo: from - 1) : []
        let before = early.filter { time.matches($0.start, $0.end) }
        if before.isEmpty, from > found.extent.end || from >= to { return nil }
        let reachesOut = isCumulative || options.contains(.duration)
        let after =
            reachesOut && to <= found.extent.end
            ? try gather(TimeRange(.min, to), lastingTo: to).filter { $0.end > to && time.matches($0.start, $0.end) }
            : []
        var grid = StatisticsGrid.single
        if let intervals {
            let first = min(before.first?.start ?? .max, max(from, found.extent.start))
            let last = max(first + 1, min(to, found.extent.end + 1), after.map(\.end).max() ?? .min)
            grid = StatisticsGrid(edges: try intervals.edges(around: TimeRange(first, last)))
        }
        let core = try needsRows ? nil : core(from, to, early)
        var groups = self.groups(grid, core)
        let start = core?.start ?? to
        if filter == nil {
            for row in before { take(row, &groups) }
        } else if from > found.extent.start {
            try scan(TimeRange(.min, from), lastingTo: from - 1) { take($0, &groups) }
        }
        if from < start { try scan(TimeRange(from, start)) { take($0, &groups) } }
        if let core {
            for i in groups.indices { try addCore(core, grid, to: &groups[i]) }
            if isCumulative, core.end <= found.extent.end {
                let rows = core.end == to ? after : try gather(TimeRange(.min, core.end), lastingTo: core.end)
                for row in rows where row.start >= core.start && row.end > core.end {
                    forEachGroup(of: row, &groups) { $0.takeAmount(row, rank: $1) }
                }
            }
            if core.end < to { try scan(TimeRange(core.end, to)) { take($0, &groups) } }
        }
        for i in groups.indices { groups[i].finish() }
        return (grid, groups)
    }

    private func groups(_ grid: StatisticsGrid, _ core: TimeRange?) -> [StatisticsGroup] {
        let bySource = options.contains(.separateBySource) ? Array(found.sources.indices) : []
        return ([nil] + bySource.map { Optional($0) }).map { source in
            StatisticsGroup(
                source, grid, core: core ?? TimeRange(0, 0), ranks: found.sources.count, style: type.aggregationStyle,
                options)
        }
    }

    /// Whether samples must be read, because summaries cannot answer the request.
    private var needsRows: Bool {
        get throws {
            if filter != nil { return true }
            if options.contains(.discreteAverage) {
                let style = type.aggregationStyle
                if style == .discreteEquivalentContinuousLevel { return true }
                let units = Set(parts.map(\.unit.unitString))
                if style == .discreteTemporallyWeighted, units.count > 1 { return true }
            }
            guard options.contains(.duration) else { return false }
            // Points cover no time.
            let all = try view.snapshot.aggregate(of: found.ids, computing: .duration, explain: explanation)
            return (all.duration ?? 0) > 0
        }
    }

    /// Returns the time range in which every sample that starts there matches and, for a cumulative type, also every
    /// sample that overlaps it; nil if there is none.
    private func core(_ from: Int64, _ to: Int64, _ early: [MeasuredRow]) throws -> TimeRange? {
        let time = condition.time
        var (start, end) = (from, to)
        if isCumulative {
            for row in early where !time.matches(row.start, row.end) { start = max(start, row.end) }
        }
        if time.endsBefore < .max, time.endsBefore <= found.extent.end {
            let over = try gather(TimeRange(.min, to), lastingTo: time.endsBefore - 1)
            for row in over where row.end >= time.endsBefore {
                if row.start >= start { end = min(end, row.start) } else if isCumulative { return nil }
            }
        }
        return start < end ? TimeRange(start, end) : nil
    }

    private func take(_ row: MeasuredRow, _ groups: inout [StatisticsGroup]) {
        forEachGroup(of: row, &groups) { $0.take(row, rank: $1) }
    }

    private func forEachGroup(
        of row: MeasuredRow, _ groups: inout [StatisticsGroup], _ body: (inout StatisticsGroup, Int) -> Void
    ) {
        let part = parts[row.part]
        body(&groups[0], part.rank)
        if groups.count > 1 { body(&groups[1 + part.source], part.rank) }
    }

    /// Reads the samples that start in a range and end after an instant, without the other conditions of the predicate.
    private func gather(_ range: TimeRange, lastingTo instant: Int64) throws -> [MeasuredRow] {
        var rows = [MeasuredRow]()
        try scan(range, lastingTo: instant, isAsked: false) { if $0.end > instant { rows.append($0) } }
        return rows
    }

    /// Reads samples in order of their starts.
    ///
    /// - Parameter isAsked: whether to apply the predicate.
    func scan(
        _ range: TimeRange, lastingTo instant: Int64 = .min, isAsked: Bool = true, _ body: (MeasuredRow) -> Void
    ) throws {
        let filter = isAsked ? filter : nil
        let (time, parts, places, lifecycle) = (condition.time, parts, places, lifecycle)
        var failure: (any Error)?
        var wanted = RunScan(range, filter?.columns ?? [.starts, .ends, .values], explanation)
        wanted.instant = instant
        try view.snapshot.scan(found.ids, wanted) { batch throws(StoreError) in
            if lifecycle?.isStopped ?? false { return false }
            guard let number = places[batch.series.rawValue] else { return true }
            let part = parts[number]
            do {
                try filter?.prepare(batch)
                for place in 0..<batch.count {
                    let sample = batch[place]
                    if isAsked, !time.matches(sample.start, sample.end) { continue }
                    if let filter, try !filter.matches(batch, place, part.unit) { continue }
                    let value = part.conversion?.convert(sample.value) ?? sample.value
                    body(MeasuredRow(start: sample.start, end: sample.end, value: value, part: number))
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
