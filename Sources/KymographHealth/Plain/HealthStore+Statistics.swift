// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

extension HealthStore {
    /// Returns statistics of the samples of a type, computed from summaries where possible.
    ///
    /// For a cumulative type, only one of several sources with samples at the same time counts: see
    /// `StatisticsRequest.merging`. For all other types, samples from all sources are counted together. Samples whose
    /// stored unit does not convert to the result's unit are excluded, and `explanation` lists their units.
    /// - Throws: `incompatibleUnit` (no sample converts), `invalidArgument` (no such zone, too many buckets, no such
    ///   commit), `engine(.notRetained)` (the commit is no longer retained), `corrupt`, `engine(.closed)`,
    ///   `engine(.inputOutput)`.
    /// - Complexity: O(buckets + index entries + blocks cut by an edge) for each source and stored unit. For a
    ///   cumulative type, unless the request is a union, also the blocks at times of several sources; the first time
    ///   also all samples, to find copies.
    public func statistics(_ request: StatisticsRequest) throws(HealthStoreError) -> StatisticsReport {
        let view = try view(asOf: request.asOf)
        let all = try view.parts(of: request.type.identifier).only(request.sources, view)
        let units = try HealthUnits(request.type, all, wanted: request.unit)
        let parts = try all.without(units, view)
        let explanation = QueryExplanation()
        let groups = request.bySource ? try parts.bySource(view) : [SourceGroup(source: nil, parts: parts)]
        let division = try view.division(request, parts)
        let merging = request.merging ?? (request.bySource ? .union : .byPriority)
        let isMerged = request.type.isCumulative && merging == .byPriority
        let sources = isMerged ? try parts.byPriority(request.priority, view) : []
        var rows = [StatisticsRow]()
        for group in groups {
            rows +=
                !sources.isEmpty
                ? try view.merged(request, sources, counting: group, units, division, explanation)
                : try view.statistics(request, group, units, division, explanation)
        }
        var found = StatisticsExplanation(explanation, parts, units, view)
        if sources.count > 1 { found.priority = sources.map(\.name) }
        return StatisticsReport(
            type: request.type, unit: request.type.kind == .category ? nil : units.unit, rows: rows,
            explanation: found)
    }
}

extension StatisticsExplanation {
    init(_ explanation: QueryExplanation, _ parts: SeriesParts, _ units: HealthUnits, _ view: HealthView) {
        leftOutUnits = units.leftOut
        series = parts.parts.count
        runs = explanation.runs
        indexPages = explanation.indexPages
        summaries = explanation.summaries
        blocksDecoded = explanation.blocksDecoded
        samplesDecoded = explanation.samplesDecoded
        bytesRead = explanation.bytesRead
        samplesCompared = explanation.samplesCompared
        storedUnits = parts.ranked { $0.row.unit }
        sources = parts.ranked { view.tables.sources[$0.row.source]?.name }
    }
}

/// The series of a type whose samples are counted together: of one source, or of all.
struct SourceGroup {
    /// The name of the source; nil for all sources.
    let source: String?
    let parts: SeriesParts
}

extension SeriesParts {
    /// Returns the parts of some sources.
    func only(_ names: Set<String>?, _ view: HealthView) throws(HealthStoreError) -> SeriesParts {
        guard let names else { return self }
        let rows = parts.map(\.row).filter { view.tables.sources[$0.source].map { names.contains($0.name) } ?? false }
        return try SeriesParts(rows, view.snapshot)
    }

    /// Returns the parts whose unit converts to the result's unit.
    func without(_ units: HealthUnits, _ view: HealthView) throws(HealthStoreError) -> SeriesParts {
        if units.leftOut.isEmpty { return self }
        return try SeriesParts(parts.map(\.row).filter { !units.leavesOut($0.unit) }, view.snapshot)
    }

    /// Returns the parts of each source, by name.
    func bySource(_ view: HealthView) throws(HealthStoreError) -> [SourceGroup] {
        let groups = Dictionary(grouping: parts.map(\.row)) { $0.source }
        let named = try groups.map { group throws(HealthStoreError) in
            (view.tables.sources[group.key]?.name ?? "", group.key, try SeriesParts(group.value, view.snapshot))
        }
        return named.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { SourceGroup(source: $0.0, parts: $0.2) }
    }

    /// The parts of each stored unit, in a stable order.
    var byUnit: [(unit: String?, ids: [SeriesID])] {
        var groups: [(unit: String?, ids: [SeriesID])] = []
        for part in parts {
            if let at = groups.firstIndex(where: { $0.unit == part.row.unit }) {
                groups[at].ids.append(part.id)
            } else {
                groups.append((part.row.unit, [part.id]))
            }
        }
        return groups
    }
}

extension HealthView {
    /// Returns the time range to divide into buckets: the same for all sources and units, so that their rows match. Nil
    /// if there is none.
    func division(_ request: StatisticsRequest, _ parts: SeriesParts) throws(HealthStoreError) -> TimeRange? {
        guard let buckets = request.buckets else { return request.range }
        if case .edges = buckets { return request.range }
        var range = request.range
        if range.start == Int64.min || range.end == Int64.max {
            guard let extent = parts.extent else { return nil }
            if range.start == Int64.min { range.start = extent.start }
            if range.end == Int64.max { range.end = extent.end &+ 1 }
        }
        return range.isEmpty ? nil : range
    }

    /// Returns the rows of one group of series.
    func statistics(
        _ request: StatisticsRequest, _ group: SourceGroup, _ units: HealthUnits, _ range: TimeRange?,
        _ explanation: QueryExplanation
    ) throws(HealthStoreError) -> [StatisticsRow] {
        guard let range else { return [] }
        var rows: [StatisticsRow]?
        for (unit, ids) in group.parts.byUnit {
            let aggregates = try inEngine { () throws(StoreError) -> [Aggregate] in
                guard let buckets = request.buckets else {
                    return [
                        try snapshot.aggregate(of: ids, over: range, computing: request.options, explain: explanation)
                    ]
                }
                return Array(
                    try snapshot.buckets(
                        of: ids, buckets, over: range, computing: request.options, explain: explanation))
            }
            let conversion = units.conversion(from: unit)
            let isCategory = request.type.kind == .category
            let more = aggregates.map { StatisticsRow($0, group.source, conversion, isCategory: isCategory) }
            rows = rows.map { zip($0, more).map { $0.joined(with: $1) } } ?? more
        }
        return try withQuantiles(rows ?? [], request, group.parts, units, range, explanation)
    }
}

extension StatisticsRow {
    /// Creates a row of one stored unit, converted.
    init(_ a: Aggregate, _ source: String?, _ conversion: UnitConversion?, isCategory: Bool) {
        self.init(source: source, start: a.start, end: a.end, count: a.count)
        duration = a.duration
        mostRecent = a.last
        if isCategory { return }
        sum = a.sum
        min = a.min
        max = a.max
        average = a.average
        standardDeviation = a.standardDeviation
        variance = a.variance
        timeWeightedAverage = a.timeWeightedAverage
        guard let conversion else { return }
        sum = sum.flatMap { sum in
            if conversion.isLinear { return conversion.convert(sum) }
            // Each sample contributes the offset once.
            return count > 0 ? conversion.convert(sum / Double(count)) * Double(count) : nil
        }
        average = average.map { conversion.convert($0) }
        let (low, high) = (min.map { conversion.convert($0) }, max.map { conversion.convert($0) })
        (min, max) = (low, high)
        timeWeightedAverage = timeWeightedAverage.map { conversion.convert($0) }
        standardDeviation = standardDeviation.map { $0 * abs(conversion.slope) }
        variance = variance.map { $0 * conversion.slope * conversion.slope }
        if let last = mostRecent {
            mostRecent = Sample(start: last.start, end: last.end, value: conversion.convert(last.value))
        }
    }

    /// Returns this row merged with another one of the same bucket and unit.
    func joined(with other: StatisticsRow) -> StatisticsRow {
        func both(_ a: Double?, _ b: Double?, _ join: (Double, Double) -> Double) -> Double? {
            guard let a, let b else { return a ?? b }
            return join(a, b)
        }
        var row = self
        row.count = count + other.count
        row.sum = both(sum, other.sum, +)
        row.min = both(min, other.min) { Swift.min($0, $1) }
        row.max = both(max, other.max) { Swift.max($0, $1) }
        row.duration = both(duration, other.duration, +)
        if let last = other.mostRecent, mostRecent.map({ ($0.start, $0.end) < (last.start, last.end) }) ?? true {
            row.mostRecent = last
        }
        let total = Double(row.count)
        let (part, rest) = (Double(count), Double(other.count))
        row.average = both(average, other.average) { ($0 * part + $1 * rest) / total }
        if let mean = average, let otherMean = other.average {
            row.timeWeightedAverage = nil
            let apart = mean - otherMean
            row.variance = both(variance, other.variance) { a, b in
                (a * part + b * rest) / total + apart * apart * part * rest / (total * total)
            }
            row.standardDeviation = row.variance.map { $0.squareRoot() }
        } else {
            row.timeWeightedAverage = timeWeightedAverage ?? other.timeWeightedAverage
            row.standardDeviation = standardDeviation ?? other.standardDeviation
            row.variance = variance ?? other.variance
        }
        return row
    }
}
