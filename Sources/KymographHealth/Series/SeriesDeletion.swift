// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import HealthCatalog
import Kymograph

/// Deletes series objects with their quantities, in one commit; a quantity never goes alone.
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

    /// Adds what deletes the rows of an object; nothing for one without rows.
    func delete(_ object: SavedObjectRow, in batch: inout WriteBatch) throws {
        guard SavedObjectKind(rawValue: object.kind) == .quantitySeries else { return }
        let record = try QuantitySeriesRecord(object.body)
        let source = tables.provenances.first { $0.id == object.provenance }?.source
        let range = object.rowRange
        let mark = QuantitySeriesRecord.mark(of: object.id)
        for row in tables.series where row.type == object.type && row.unit == record.unit && row.source == source {
            let id = SeriesID(rawValue: row.series)
            // A range is hidden by a few bytes, a list by some for each sample.
            if try isAlone(mark, in: range, of: id, count: record.summary.count) {
                batch.delete(.range(range), from: id)
            } else {
                batch.delete(.matching(range) { $0.metadata == mark }, from: id)
            }
        }
    }

    /// Whether all that starts in a range belongs to one object.
    private func isAlone(_ mark: Int64, in range: TimeRange, of id: SeriesID, count: Int) throws -> Bool {
        guard try snapshot.aggregate(of: id, over: range).count == count else { return false }
        var isAlone = true
        try snapshot.forEachBlock(of: id, startingIn: range, columns: [.starts, .metadata]) { _, block in
            guard isAlone else { return }
            for row in 0..<block.count where range.contains(block.starts[row]) && block.metadata.at(row) != mark {
                isAlone = false
            }
        }
        return isAlone
    }
}
