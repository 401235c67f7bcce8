// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// What a store has of one type of sample.
public struct TypeOverview: Sendable, Hashable {
    /// The type.
    public var type: HealthType
    /// The unit that statistics answer in: the one that samples are stored in, or the type's canonical unit where there
    /// are several; nil for categories.
    public var unit: String?
    /// The units that samples are stored in, most samples first.
    public var units: [String]
    /// The number of samples.
    public var samples: Int
    /// The start of the first sample, in nanoseconds since 1970-01-01 UTC.
    public var first: Int64
    /// The latest end of a sample.
    public var last: Int64
    /// The names of the sources, most samples first.
    public var sources: [String]
}

/// What a store has of one source: an app or a device that records samples.
public struct SourceOverview: Sendable, Hashable {
    /// The name, as the person sees it.
    public var name: String
    /// The versions that recorded samples, in the order they were first met.
    public var versions: [String]
    /// The descriptions of the devices, without heap addresses, in the order they were first met.
    public var devices: [String]
    /// The number of samples.
    public var samples: Int
    /// The types it recorded, most samples first.
    public var types: [HealthType]
    /// The start of the first sample, in nanoseconds since 1970-01-01 UTC.
    public var first: Int64
    /// The latest end of a sample.
    public var last: Int64
}

extension HealthStore {
    /// Every type that has samples, by identifier. Reads no samples.
    ///
    /// - Parameter commit: after which the store is looked at; nil for now.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func types(asOf commit: Int64? = nil) throws(HealthStoreError) -> [TypeOverview] {
        let view = try view(asOf: commit)
        var result = [TypeOverview]()
        for identifier in view.tables.byType.keys.sorted() {
            let parts = try view.parts(of: identifier)
            guard let extent = parts.extent else { continue }
            let units = parts.ranked { $0.row.unit }
            let type = HealthTypes.type(for: identifier)
            let several = type.kind == .category ? nil : type.canonicalUnit?.unitString ?? units.first
            result.append(
                TypeOverview(
                    type: type, unit: units.count == 1 ? units[0] : several, units: units,
                    samples: parts.samples, first: extent.start, last: extent.end,
                    sources: parts.ranked { view.tables.sources[$0.row.source]?.name }))
        }
        return result
    }

    /// Every source that has samples, by name. Reads no samples.
    ///
    /// - Parameter commit: after which the store is looked at; nil for now.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func sources(asOf commit: Int64? = nil) throws(HealthStoreError) -> [SourceOverview] {
        let view = try view(asOf: commit)
        let bySource = Dictionary(grouping: view.tables.rows.series) { $0.source }
        var result = [SourceOverview]()
        for source in view.tables.rows.sources {
            let parts = try SeriesParts(bySource[source.id] ?? [], view.snapshot)
            guard let extent = parts.extent else { continue }
            let own = view.tables.rows.provenances.filter { $0.source == source.id }
            result.append(
                SourceOverview(
                    name: source.name, versions: own.compactMap(\.version).unique,
                    devices: own.compactMap(\.device).compactMap { view.tables.devices[$0] }.unique,
                    samples: parts.samples, types: parts.ranked { $0.row.type }.map { HealthTypes.type(for: $0) },
                    first: extent.start, last: extent.end))
        }
        return result.sorted { $0.name < $1.name }
    }
}

/// Series of the health layer that have samples, with how many.
struct SeriesParts {
    struct Part {
        var row: HealthSeriesRow
        var id: SeriesID
        var count: Int
    }

    let parts: [Part]
    /// From the first start to the latest end; nil without samples.
    let extent: TimeRange?

    init(_ rows: [HealthSeriesRow], _ snapshot: Snapshot) throws(HealthStoreError) {
        var parts = [Part]()
        var extent: TimeRange?
        for row in rows {
            let id = SeriesID(rawValue: row.series)
            let known = try inEngine { () throws(StoreError) in try snapshot.extent(of: id) }
            guard let own = known else { continue }
            parts.append(Part(row: row, id: id, count: snapshot.count(of: id)))
            extent = TimeRange(min(extent?.start ?? own.start, own.start), max(extent?.end ?? own.end, own.end))
        }
        self.parts = parts
        self.extent = extent
    }

    init(_ parts: [Part], extent: TimeRange?) {
        self.parts = parts
        self.extent = extent
    }

    var samples: Int { parts.reduce(0) { $0 + $1.count } }

    /// What the parts have in some respect, most samples first.
    func ranked(_ name: (Part) -> String?) -> [String] {
        var counts: [String: Int] = [:]
        for part in parts { if let name = name(part) { counts[name, default: 0] += part.count } }
        return counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
    }
}

extension HealthView {
    /// The series of a type that have samples.
    func parts(of identifier: String) throws(HealthStoreError) -> SeriesParts {
        try SeriesParts(tables.byType[identifier] ?? [], snapshot)
    }
}

extension [String] {
    /// Each text once, in the order of its first coming.
    fileprivate var unique: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }
}
