// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// What becomes of samples of a cumulative type by which several sources counted the same.
public enum SourceMerging: Sendable, Hashable, CaseIterable {
    /// At every moment the first source that has data counts, and of samples of a source that are equal in start, end
    /// and value one: `Docs/MergedSources.md`.
    case byPriority
    /// All samples count, also where two sources counted the same.
    case union
}

extension SeriesParts {
    /// The parts of each source, the one that counts first first: those that are named, then those that recorded on a
    /// watch, on a phone, all others; within each that with the most recent sample, then the lesser name.
    ///
    /// - Parameter given: names or bundle identifiers; where there are none, those that were chosen for the type.
    func byPriority(_ given: [String], _ view: HealthView) throws(HealthStoreError) -> [PrioritySource] {
        let type = parts.first?.row.type ?? ""
        let named = given.isEmpty ? SourceOrder.chosen(for: type, view.tables.rows.settings) : given
        var sources = [PrioritySource]()
        for (source, parts) in Dictionary(grouping: parts, by: \.row.source) {
            var latest = Int64.min
            for part in parts {
                let recent = try inEngine { () throws(StoreError) in try view.snapshot.mostRecent(of: part.id) }
                latest = max(latest, recent?.start ?? .min)
            }
            let row = view.tables.sources[source]
            let name = row?.name ?? ""
            let place = named.firstIndex { $0 == name || $0 == row?.bundle }
            sources.append(
                PrioritySource(
                    name: name, id: source, isNamed: place != nil, place: place ?? named.count,
                    device: view.tables.deviceRanks[source] ?? HealthTables.otherDevice, latest: latest,
                    series: parts.map(\.id).sorted()))
        }
        return sources.sorted { a, b in
            if (a.place, a.device) != (b.place, b.device) { return (a.place, a.device) < (b.place, b.device) }
            if a.latest != b.latest { return a.latest > b.latest }
            return (a.name, a.id) < (b.name, b.id)
        }
    }
}

/// A source with its place among those that may have counted the same.
struct PrioritySource {
    let name: String
    let id: Int64
    let isNamed: Bool
    /// Its place among those that were named; after them for others.
    let place: Int
    let device: Int
    /// The start of its most recent sample.
    let latest: Int64
    let series: [SeriesID]
}

extension HealthTables {
    /// Of sources that never recorded on a watch or a phone, as far as is known.
    static let otherDevice = 2

    /// The least rank of a source's devices: 0 for a watch, 1 for a phone; other sources are not there.
    static func deviceRanks(_ provenances: [ProvenanceRow], _ devices: [Int64: String]) -> [Int64: Int] {
        let ranks = devices.mapValues { text in
            text.contains("model:Watch") ? 0 : text.contains("model:iPhone") ? 1 : otherDevice
        }
        var found: [Int64: Int] = [:]
        for row in provenances {
            guard let device = row.device, let rank = ranks[device], rank < otherDevice else { continue }
            found[row.source] = min(found[row.source] ?? rank, rank)
        }
        return found
    }
}

extension HealthView {
    /// The rows of some of the series of a type of which sources are merged.
    func merged(
        _ request: StatisticsRequest, _ sources: [PrioritySource], counting parts: SeriesParts, _ units: HealthUnits,
        _ source: String?, _ range: TimeRange?, _ explanation: QueryExplanation
    ) throws(HealthStoreError) -> [StatisticsRow] {
        guard let range else { return [] }
        let options = request.options.intersection(.duration)
        var rows: [StatisticsRow]?
        for (unit, ids) in parts.byUnit {
            let merged = MergedSources(
                sources: sources.map(\.series), counting: Set(ids), countsCopies: false)
            let aggregates = try inEngine { () throws(StoreError) -> [Aggregate] in
                guard let buckets = request.buckets else {
                    return [try snapshot.aggregate(of: merged, over: range, computing: options, explain: explanation)]
                }
                return Array(
                    try snapshot.buckets(of: merged, buckets, over: range, computing: options, explain: explanation))
            }
            let conversion = units.conversion(from: unit)
            let more = aggregates.map { StatisticsRow($0, source, conversion, isCategory: false) }
            rows = rows.map { zip($0, more).map { $0.joined(with: $1) } } ?? more
        }
        let found = rows ?? []
        let rest = request.options.subtracting(options)
        if rest.isEmpty, request.quantiles.isEmpty { return found }
        // What is not defined of merged sources is that of all their samples.
        var plain = request
        plain.options = rest
        let all = try statistics(plain, parts, units, source, range, explanation)
        return zip(found, all).map { $0.adding($1) }
    }
}

extension StatisticsRow {
    /// With what another row has and merging does not define.
    fileprivate func adding(_ other: StatisticsRow) -> StatisticsRow {
        var row = self
        row.standardDeviation = other.standardDeviation
        row.variance = other.variance
        row.deviating = other.count
        row.timeWeightedAverage = other.timeWeightedAverage
        row.quantiles = other.quantiles
        row.quantileError = other.quantileError
        return row
    }
}
