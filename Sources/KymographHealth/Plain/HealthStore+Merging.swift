// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// The treatment of samples of a cumulative type that several sources recorded.
public enum SourceMerging: Sendable, Hashable, CaseIterable {
    /// At every moment only the first source with data counts. Of samples of one source that are equal in start, end
    /// and value, one counts: `Docs/Guide/Statistics.md`.
    case byPriority
    /// All samples count, including duplicates of several sources.
    case union
}

extension SeriesParts {
    /// Returns the sources by descending priority: the named ones, then sources on a watch, on a phone, all others, and
    /// the simulated wearer's source last. Ties are decided by the most recent sample, then by the lesser name.
    ///
    /// - Parameter given: names or bundle identifiers; if empty, the chosen source order of the type.
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
            let isSimulated = SimulatedWearer.isSource(name: name, bundle: row?.bundle)
            let device = view.tables.deviceRanks[source] ?? HealthTables.otherDevice
            sources.append(
                PrioritySource(
                    name: name, id: source, isNamed: place != nil, place: place ?? named.count,
                    device: isSimulated ? HealthTables.simulatedDevice : device, latest: latest,
                    series: parts.map(\.id).sorted()))
        }
        return sources.sorted { a, b in
            if (a.place, a.device) != (b.place, b.device) { return (a.place, a.device) < (b.place, b.device) }
            if a.latest != b.latest { return a.latest > b.latest }
            return (a.name, a.id) < (b.name, b.id)
        }
    }
}

/// A source with its priority.
struct PrioritySource {
    let name: String
    let id: Int64
    let isNamed: Bool
    /// Its position in the source order; sources outside of the order follow.
    let place: Int
    /// The rank of its devices.
    let device: Int
    /// The start of its most recent sample.
    let latest: Int64
    let series: [SeriesID]
}

extension HealthTables {
    /// The rank of sources without a known watch or phone.
    static let otherDevice = 2
    /// The rank of the simulated wearer's source, after every real source.
    static let simulatedDevice = 3

    /// Returns the least rank of each source's devices: 0 for a watch, 1 for a phone. Other sources are missing.
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
    /// Returns the rows of one group of series of a type whose sources are merged.
    func merged(
        _ request: StatisticsRequest, _ sources: [PrioritySource], counting group: SourceGroup, _ units: HealthUnits,
        _ range: TimeRange?, _ explanation: QueryExplanation
    ) throws(HealthStoreError) -> [StatisticsRow] {
        guard let range else { return [] }
        let options = request.options.intersection(.duration)
        var rows: [StatisticsRow]?
        for (unit, ids) in group.parts.byUnit {
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
            let more = aggregates.map { StatisticsRow($0, group.source, conversion, isCategory: false) }
            rows = rows.map { zip($0, more).map { $0.joined(with: $1) } } ?? more
        }
        let found = rows ?? []
        let rest = request.options.subtracting(options)
        if rest.isEmpty, request.quantiles.isEmpty { return found }
        // Values that are undefined for merged sources are computed from all samples.
        var plain = request
        plain.options = rest
        let all = try statistics(plain, group, units, range, explanation)
        return zip(found, all).map { $0.adding($1) }
    }
}

extension StatisticsRow {
    /// Returns this row with the values that merging does not define, taken from another row.
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
