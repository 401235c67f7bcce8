// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Kymograph

/// Deletion of series objects together with their rows, in one commit; a quantity or location is never deleted alone.
struct SeriesDeletion {
    private let tables: HealthSnapshot
    private let snapshot: Snapshot

    /// - Parameters:
    ///   - tables: the health layer's tables as of the transaction.
    ///   - snapshot: the store right before the commit.
    init(_ tables: HealthSnapshot, _ snapshot: Snapshot) {
        self.tables = tables
        self.snapshot = snapshot
    }

    /// Adds the deletion of an object's rows to the batch; does nothing for an object without rows.
    func delete(_ object: SavedObjectRow, in batch: inout WriteBatch) throws {
        switch SavedObjectKind(rawValue: object.kind) {
        case .quantitySeries:
            let record = try QuantitySeriesRecord(object.body)
            try delete(object, object.type, unit: record.unit, count: record.summary.count, in: &batch)
        case .workoutRoute:
            let record = try RouteRecord(object.body)
            for column in record.columns {
                try delete(object, column.seriesType, unit: column.unit, count: record.count, in: &batch)
            }
        case .correlation, .heartbeatSeries, .electrocardiogram, .workout, .effort, .fields, nil: return
        }
    }

    /// Adds the deletion of an object's rows in the series of a type and unit.
    ///
    /// - Parameter count: the number of rows.
    private func delete(
        _ object: SavedObjectRow, _ type: String, unit: String, count: Int, in batch: inout WriteBatch
    ) throws {
        let source = tables.provenances.first { $0.id == object.provenance }?.source
        let range = object.rowRange
        let mark = QuantitySeriesRecord.mark(of: object.id)
        for row in tables.series where row.type == type && row.unit == unit && row.source == source {
            let id = SeriesID(rawValue: row.series)
            // The tombstone of a range takes a few bytes, that of a list some bytes per sample.
            if try isAlone(mark, in: range, of: id, count: count) {
                batch.delete(.range(range), from: id)
            } else {
                batch.delete(.matching(range) { $0.metadata == mark }, from: id)
            }
        }
    }

    /// Returns whether all samples that start in a range belong to one object.
    private func isAlone(_ mark: Int64, in range: TimeRange, of id: SeriesID, count: Int) throws -> Bool {
        guard try snapshot.aggregate(of: id, over: range).count == count else { return false }
        var isAlone = true
        try snapshot.forEachBlock(of: id, startingIn: range, columns: [.starts, .metadata]) { _, batch in
            guard isAlone else { return }
            isAlone = (0..<batch.count).allSatisfy {
                !range.contains(batch.start(at: $0)) || batch.metadata[$0] == mark
            }
        }
        return isAlone
    }
}
