// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// An overview of one sample type in a store.
public struct TypeOverview: Sendable, Hashable {
    /// The type.
    public var type: HealthType
    /// The unit of statistics: the stored unit, or the type's canonical unit if samples have several units; nil for
    /// categories.
    public var unit: String?
    /// The stored units, most samples first.
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

/// An overview of one source in a store: an app or device that records samples.
public struct SourceOverview: Sendable, Hashable {
    /// The name shown to the person.
    public var name: String
    /// The versions that recorded samples, in the order of their first appearance.
    public var versions: [String]
    /// The descriptions of the devices, without heap addresses, in the order of their first appearance.
    public var devices: [String]
    /// The number of samples.
    public var samples: Int
    /// The recorded types, most samples first.
    public var types: [HealthType]
    /// The start of the first sample, in nanoseconds since 1970-01-01 UTC.
    public var first: Int64
    /// The latest end of a sample.
    public var last: Int64
}

extension HealthStore {
    /// Returns every type with samples, by identifier. Reads no samples.
    ///
    /// - Parameter commit: the state of the store after this commit; nil for the newest.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func types(asOf commit: Int64? = nil) throws(HealthStoreError) -> [TypeOverview] {
        let view = try view(asOf: commit)
        var result = [TypeOverview]()
        for identifier in view.tables.byType.keys.sorted() where RouteColumn(seriesType: identifier) == nil {
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

    /// Returns the number of locations of all routes, and of the numbers that store them. Reads no samples.
    ///
    /// ``info()`` counts each stored number of a location as a sample of the engine.
    ///
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func locations() throws(HealthStoreError) -> (count: Int, numbers: Int) {
        let view = try view()
        var found = (count: 0, numbers: 0)
        for row in view.tables.rows.series {
            guard let column = RouteColumn(seriesType: row.type) else { continue }
            let count = view.snapshot.count(of: SeriesID(rawValue: row.series))
            found.numbers += count
            // Every location has a latitude.
            if column == .latitude { found.count += count }
        }
        return found
    }

    /// Returns every source with samples, by name. Reads no samples.
    ///
    /// - Parameter commit: the state of the store after this commit; nil for the newest.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func sources(asOf commit: Int64? = nil) throws(HealthStoreError) -> [SourceOverview] {
        let view = try view(asOf: commit)
        let bySource = Dictionary(grouping: view.tables.rows.series.filter(\.holdsObjects)) { $0.source }
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

/// Series of the health layer with samples, and the number of samples of each.
struct SeriesParts {
    struct Part {
        var row: HealthSeriesRow
        var id: SeriesID
        var count: Int
    }

    let parts: [Part]
    /// The range from the first start to the latest end; nil without samples.
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

    /// Returns the distinct names that `name` yields for the parts, most samples first.
    func ranked(_ name: (Part) -> String?) -> [String] {
        var counts: [String: Int] = [:]
        for part in parts { if let name = name(part) { counts[name, default: 0] += part.count } }
        return counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
    }
}

extension HealthView {
    /// Returns the series of a type with samples.
    func parts(of identifier: String) throws(HealthStoreError) -> SeriesParts {
        try SeriesParts(tables.byType[identifier] ?? [], snapshot)
    }
}

extension [String] {
    /// Each text once, in the order of first appearance.
    fileprivate var unique: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }
}
