// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// Rows marked as quantities or locations of a series object that does not exist.
struct OrphanedQuantities {
    /// The engine's series with the rows.
    let row: HealthSeriesRow
    /// The mark in their metadata column.
    let mark: Int64
    let count: Int

    /// The row number of the missing object.
    var object: Int64 { -max(mark, -.max) }
    /// The type of the missing object.
    var type: String { Self.owner(row.type).type }

    /// Returns type and kind of the objects whose rows are in series of a type.
    static func owner(_ type: String) -> (type: String, kind: SavedObjectKind) {
        RouteColumn(seriesType: type) == nil ? (type, .quantitySeries) : (HKWorkoutRouteTypeIdentifier, .workoutRoute)
    }
}

extension HealthStore {
    /// Returns all quantities and locations without a series object, by series, then object.
    ///
    /// - Complexity: reads the metadata column of all quantities.
    func orphanedQuantities(_ view: HealthView) throws(HealthStoreError) -> [OrphanedQuantities] {
        var orphans = [OrphanedQuantities]()
        for row in view.tables.rows.series where row.unit != nil {
            var marks = try marks(of: SeriesID(rawValue: row.series), view)
            if marks.isEmpty { continue }
            let (wanted, sequence) = (marks.keys.map { -max($0, -.max) }, view.snapshot.sequence)
            let objects = try catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: wanted, $0) }
            let owner = OrphanedQuantities.owner(row.type)
            for one in objects where one.type == owner.type && one.born <= sequence {
                guard SavedObjectKind(rawValue: one.kind) == owner.kind else { continue }
                if one.died.map({ $0 > sequence }) ?? true { marks[QuantitySeriesRecord.mark(of: one.id)] = nil }
            }
            orphans += marks.sorted { $0.key > $1.key }.map {
                OrphanedQuantities(row: row, mark: $0.key, count: $0.value)
            }
        }
        return orphans
    }

    /// Returns the number of rows per mark in a series.
    private func marks(of id: SeriesID, _ view: HealthView) throws(HealthStoreError) -> [Int64: Int] {
        var marks: [Int64: Int] = [:]
        guard view.snapshot.count(of: id) > 0 else { return marks }
        try inEngine { () throws(StoreError) in
            try view.snapshot.forEachBlock(of: id, columns: [.starts, .metadata]) { _, batch in
                let metadata = batch.metadata
                if let mark = metadata.shared {
                    if mark < 0 { marks[mark, default: 0] += batch.count }
                } else {
                    for place in 0..<batch.count where metadata[place] < 0 { marks[metadata[place], default: 0] += 1 }
                }
            }
        }
        return marks
    }

    /// Restores the missing objects of orphaned quantities, under their row numbers, from the quantities alone.
    /// Metadata and identity of the series are lost. An object that is marked as deleted is revived instead.
    ///
    /// - Returns: the number of restored and revived objects.
    func restoreSeries() throws(HealthStoreError) -> Int {
        let view = try view()
        let orphans = try orphanedQuantities(view)
        var (made, revived): ([SavedObjectRow], [Int64]) = ([], [])
        let known = Set(
            try catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: orphans.map(\.object), $0) }
                .map(\.id))
        for one in orphans where !made.contains(where: { $0.id == one.object }) {
            if known.contains(one.object) {
                revived.append(one.object)
            } else if let row = try RouteColumn(seriesType: one.row.type) == nil ? remade(one, view) : route(one, view)
            {
                made.append(row)
            }
        }
        if made.isEmpty, revived.isEmpty { return 0 }
        let (objects, dead) = (made, revived)
        do {
            try engine.write { _ in
                var batch = WriteBatch()
                batch.inCommit = { transaction, _ in
                    try HealthCatalog.insert(objects, transaction)
                    try HealthCatalog.revive(savedObjects: dead, transaction)
                }
                return batch
            }
        } catch {
            throw (error as? StoreError).map { HealthStoreError($0) } ?? HealthStoreError(.corrupt, "\(error)")
        }
        return made.count + revived.count
    }

    /// Returns the object of orphaned rows; nil if their provenance is unknown.
    private func remade(_ one: OrphanedQuantities, _ view: HealthView) throws(HealthStoreError) -> SavedObjectRow? {
        var (starts, ends, values) = ([Int64](), [Int64](), [Double]())
        var provenance: Int64 = 0
        var first: SampleIdentity?
        try inEngine { () throws(StoreError) in
            try view.snapshot.scan([SeriesID(rawValue: one.row.series)], over: .all, columns: .all) { batch in
                for place in 0..<batch.count where batch.metadata[place] == one.mark {
                    let sample = batch[place]
                    starts.append(sample.start)
                    ends.append(sample.end)
                    values.append(sample.value)
                    provenance = batch.provenance[place]
                    first = first ?? batch.identity(at: place)
                }
                return true
            }
        }
        guard let start = starts.first, let end = ends.max(), let first, view.tables.provenances[provenance] != nil
        else { return nil }
        let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: one.row.type))
        let rows = QuantitySeriesRows(starts: starts, ends: ends, values: values, end: end)
        guard let summary = QuantitySeriesSummary(rows, type.aggregationStyle) else { return nil }
        let record = QuantitySeriesRecord(unit: one.row.unit ?? "", summary: summary, firstIdentity: first)
        return SavedObjectRow(
            id: one.object, uuid: SampleIdentity(ObjectIdentity.next()).bytes,
            kind: SavedObjectKind.quantitySeries.rawValue, type: one.row.type, provenance: provenance, start: start,
            end: end, body: record.body)
    }
}
