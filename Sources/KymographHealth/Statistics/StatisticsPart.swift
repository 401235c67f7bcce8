// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// A series that statistics are of.
struct StatisticsPart {
    let id: SeriesID
    /// The unit that its samples are stored in.
    let unit: HKUnit
    /// To the unit of the answer; nil where numbers stay as they are.
    let conversion: UnitConversion?
    /// The place of its source among the sources.
    let source: Int
    /// The place of its source among those that may have counted the same.
    let rank: Int
}

/// The series that a question is about, and what is known of them before it is answered.
struct StatisticsParts {
    private(set) var parts: [StatisticsPart] = []
    /// By bundle identifier.
    private(set) var sources: [HKSource] = []
    /// The unit of the answer: the type's canonical one; of a type without one, that of most samples.
    private(set) var unit: HKUnit
    /// Units of samples that do not convert to it, and are left out.
    private(set) var leftOut: [String] = []
    /// From the first start to the latest end.
    private(set) var extent = TimeRange(0, 0)

    var ids: [SeriesID] { parts.map(\.id) }

    /// - Throws: `corrupt`, `engine(.inputOutput)`, where something was deleted.
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

    /// What samples are measured in, as their objects have it.
    private static func unit(_ row: HealthSeriesRow) -> HKUnit { .stored(row.unit) }

    /// The place of each source among those that may have counted the same. A program under several names is one.
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
    /// The source of a row, as objects have it.
    func source(_ id: Int64) -> HKSource {
        let row = sources[id]
        let name = row?.name ?? ""
        return HKSource(name: name, bundleIdentifier: row?.bundle ?? name)
    }
}
