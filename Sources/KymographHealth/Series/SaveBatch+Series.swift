// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import HealthCatalog
import HealthModel
import Kymograph

/// A series that a builder has finished, before the commit gives it its numbers.
struct SeriesDraft: Sendable {
    /// What is in it.
    enum Content: Sendable {
        /// Rows of the engine, in a unit.
        case quantities(QuantitySeriesRows, QuantitySeriesSummary, unit: String, isCumulative: Bool)
        /// All of it in the object's own bytes.
        case body([UInt8], SavedObjectKind)
    }

    let type: String
    let identity: SampleIdentity
    let start: Int64
    let end: Int64
    /// In `ObjectColumns.devices`; -1 for none.
    var device: Int32
    /// In `ObjectColumns.metadata`, from 1; 0 for none.
    var metadata: Int32
    let content: Content
}

extension SaveBatch {
    /// Adds the series: an object each and, of quantities, their rows, which name the object.
    func addSeries(
        _ tables: HealthSnapshot, but stale: Set<Int>, source: Int64, _ provenances: [Int64], _ metadata: [Int64],
        _ context: WriteContext, _ batch: inout WriteBatch, _ rows: inout SaveRows
    ) throws {
        for (number, one) in series.enumerated() where !stale.contains(number) {
            let id = tables.lastSavedObject + 1 + Int64(rows.objects.count)
            let provenance = provenances[Int(one.device) + 1]
            let (kind, body): (SavedObjectKind, [UInt8])
            switch one.content {
            case .quantities(let quantities, let summary, let unit, let isCumulative):
                let first = context.newIdentities(quantities.count)
                kind = .quantitySeries
                body = QuantitySeriesRecord(unit: unit, summary: summary, firstIdentity: first).body
                var samples = SampleRows()
                samples.starts = quantities.starts
                samples.ends = quantities.ends
                samples.values = quantities.values
                samples.created = .constant(created)
                samples.provenance = .constant(provenance)
                samples.metadata = .constant(QuantitySeriesRecord.mark(of: id))
                samples.identityHigh = .constant(first.high)
                samples.identityLow = .sequence(first: first.low)
                rows.add(
                    samples, type: one.type, unit: unit, isCumulative: isCumulative, source: source, tables, &batch)
            case .body(let bytes, let which): (kind, body) = (which, bytes)
            }
            rows.objects.append(
                SavedObjectRow(
                    id: id, uuid: one.identity.bytes, kind: kind.rawValue, type: one.type, provenance: provenance,
                    metadata: metadata[Int(one.metadata)], start: one.start, end: one.end, created: created,
                    body: body))
        }
    }
}
