// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import Kymograph

/// A reader of health samples from the engine's rows.
final class HealthSampleReader {
    private let store: HealthStore
    private let view: HealthView
    private let type: HealthType
    private let units: HealthUnits?
    /// Whether quantities of series are excluded, and samples keep their stored unit, including categories.
    private let asRecords: Bool
    private var metadata: [Int64: HealthMetadata] = [:]
    /// The metadata sets of series objects, by the mark in their quantities' metadata column.
    private var seriesSets: [Int64: Int64] = [:]
    private var valueNames: [Double: String?] = [:]
    /// The maximum number of cached metadata sets.
    private static let remembered = 20_000

    init(
        _ store: HealthStore, _ view: HealthView, _ type: HealthType, _ units: HealthUnits?, asRecords: Bool = false
    ) {
        self.store = store
        self.view = view
        self.type = type
        self.units = units
        self.asRecords = asRecords
    }

    func samples(_ batch: SampleBatch) throws(HealthStoreError) -> [HealthSample] {
        guard let series = view.tables.bySeries[batch.series.rawValue] else {
            throw HealthStoreError(.corrupt, "\(batch.series) has no row in health_series; verify the store")
        }
        try loadMetadata(batch)
        let conversion = units?.conversion(from: series.unit)
        let unit = units == nil ? series.unit : units?.unit
        let (ids, provenances, times) = (batch.metadata, batch.provenance, batch.created)
        let identities = batch.identities
        var result = [HealthSample]()
        result.reserveCapacity(batch.count)
        for place in 0..<batch.count {
            let id = ids[place]
            if asRecords, id < 0 { continue }
            let provenance = try view.tables.provenance(provenances[place])
            let sample = batch[place]
            let created = times.value(at: place) ?? HealthRows.noDate
            let extra = metadata[id] ?? HealthMetadata()
            result.append(
                HealthSample(
                    type: type, start: sample.start, end: sample.end,
                    value: conversion?.convert(sample.value) ?? sample.value,
                    unit: type.kind == .category && !asRecords ? nil : unit,
                    valueName: valueName(sample.value, extra), source: view.tables.sources[series.source]?.name ?? "",
                    version: provenance?.version, device: provenance?.device.flatMap { view.tables.devices[$0] },
                    created: created == HealthRows.noDate ? nil : created, metadata: extra,
                    uuid: identities[place].uuid))
        }
        return result
    }

    private func valueName(_ value: Double, _ extra: HealthMetadata) -> String? {
        guard type.kind == .category, !extra.hasNoValue else { return nil }
        if let text = extra.valueText { return text }
        if let known = valueNames[value] { return known }
        let name = Int(exactly: value).flatMap {
            HealthCategoryValues.name(of: $0, for: HKCategoryTypeIdentifier(rawValue: type.identifier))
        }
        valueNames[value] = name
        return name
    }

    private func loadMetadata(_ batch: SampleBatch) throws(HealthStoreError) {
        if metadata.count > Self.remembered { metadata = [:] }
        var missing = Set<Int64>()
        for place in 0..<batch.count {
            let id = batch.metadata[place]
            if id != 0, metadata[id] == nil, !asRecords || id > 0 { missing.insert(id) }
        }
        if missing.isEmpty { return }
        // A quantity of a series has the metadata of the series.
        let marks = missing.filter { $0 < 0 }
        if !marks.isEmpty { missing = missing.subtracting(marks).union(try loadSeries(marks)) }
        let found = try store.metadata(missing.sorted())
        guard found.count == missing.count else {
            throw HealthStoreError(.corrupt, "the metadata set of a sample is missing; verify the store")
        }
        metadata.merge(found) { _, new in new }
        for mark in marks { metadata[mark] = seriesSets[mark].flatMap { metadata[$0] } ?? HealthMetadata() }
    }

    /// Loads the metadata rows of series objects, and returns them.
    private func loadSeries(_ marks: Set<Int64>) throws(HealthStoreError) -> Set<Int64> {
        let rows = try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.savedObjects(ids: marks.map { -max($0, -.max) }, $0)
        }
        for row in rows { seriesSets[QuantitySeriesRecord.mark(of: row.id)] = row.metadata }
        return Set(rows.lazy.map(\.metadata).filter { $0 > 0 })
    }
}
