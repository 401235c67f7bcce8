// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// A series of the samples in statistics.
struct StatisticsPart {
    let id: SeriesID
    /// The stored unit of its samples.
    let unit: HKUnit
    /// The conversion to the unit of the result; nil if the numbers are unchanged.
    let conversion: UnitConversion?
    /// The index of its source.
    let source: Int
    /// The priority of its source; 0 is the highest.
    let rank: Int
}

/// The series of a statistics query, with their sources and units.
struct StatisticsParts {
    private(set) var parts: [StatisticsPart] = []
    /// The sources, by bundle identifier.
    private(set) var sources: [HKSource] = []
    /// The unit of the result: the type's canonical unit, or the unit of most samples if the type has none.
    private(set) var unit: HKUnit
    /// Units of excluded samples, which do not convert to the result's unit.
    private(set) var leftOut: [String] = []
    /// The range from the first start to the latest end.
    private(set) var extent = TimeRange(0, 0)

    var ids: [SeriesID] { parts.map(\.id) }

    /// - Throws: `corrupt`, `engine(.inputOutput)`, for a series with deletions.
    init(_ type: HKQuantityType, _ view: HealthView, admits: (HKSource) -> Bool) throws(HealthStoreError) {
        let rows = (view.tables.byType[type.identifier] ?? []).filter { admits(view.tables.source($0.source)) }
        let all = try SeriesParts(rows, view.snapshot)
        unit = type.canonicalUnit ?? .stored(all.ranked { $0.row.unit }.first)
        var conversions: [String: UnitConversion] = [:]
        var kept = [HealthSeriesRow]()
        for part in all.parts {
            let text = part.row.unit ?? ""
            if let conversion = try? UnitConversion(from: Self.unit(part.row), to: unit) {
                conversions[text] = conversion
                kept.append(part.row)
            } else if !leftOut.contains(text) {
                leftOut.append(text)
            }
        }
        let own = leftOut.isEmpty ? all : try SeriesParts(kept, view.snapshot)
        extent = own.extent ?? extent
        let used = Set(own.parts.map { view.tables.source($0.row.source) })
        sources = used.sorted { ($0.bundleIdentifier, $0.name) < ($1.bundleIdentifier, $1.name) }
        let ranks = type.aggregationStyle == .cumulative ? try Self.ranks(own, view) : [:]
        parts = own.parts.map { part in
            let source = view.tables.source(part.row.source)
            let conversion = conversions[part.row.unit ?? ""]
            return StatisticsPart(
                id: part.id, unit: Self.unit(part.row),
                conversion: conversion?.isIdentity ?? true ? nil : conversion,
                source: sources.firstIndex(of: source) ?? 0, rank: ranks[source] ?? 0)
        }
    }

    /// Returns the unit of a row's samples, as in their objects.
    private static func unit(_ row: HealthSeriesRow) -> HKUnit { .stored(row.unit) }

    /// Returns the priority of each source. A program with several names is one source.
    private static func ranks(_ parts: SeriesParts, _ view: HealthView) throws(HealthStoreError) -> [HKSource: Int] {
        var ranks: [HKSource: Int] = [:]
        for row in try parts.byPriority([], view) {
            let source = view.tables.source(row.id)
            if ranks[source] == nil { ranks[source] = ranks.count }
        }
        return ranks
    }
}

extension HealthTables {
    /// Returns the source of a row, as in objects.
    func source(_ id: Int64) -> HKSource {
        let row = sources[id]
        let name = row?.name ?? ""
        return HKSource(name: name, bundleIdentifier: row?.bundle ?? name)
    }
}
