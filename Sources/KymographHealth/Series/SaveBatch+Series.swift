// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel
import Kymograph

/// A finished series of a builder, before the commit assigns its row numbers.
struct SeriesDraft: Sendable {
    /// The content of the series.
    enum Content: Sendable {
        /// Rows of the engine, in a unit.
        case quantities(QuantitySeriesRows, QuantitySeriesSummary, unit: String, isCumulative: Bool)
        /// The complete body of the object.
        case body([UInt8], SavedObjectKind)
        /// Locations, whose columns are rows of the engine.
        case route(RouteDraft)
    }

    let type: String
    let identity: SampleIdentity
    let start: Int64
    let end: Int64
    /// The index in `ObjectColumns.devices`; -1 for none.
    var device: Int32
    /// The number in `ObjectColumns.metadata`, from 1; 0 for none.
    var metadata: Int32
    let content: Content
}

extension SaveBatch {
    /// Adds the series: one object each and, for quantities, their rows, which are marked with the object's number.
    func addSeries(
        _ tables: HealthSnapshot, _ stale: Stale, _ numbers: RowNumbers, _ context: WriteContext,
        _ batch: inout WriteBatch, _ rows: inout SaveRows
    ) throws {
        // The route of a workout that is not saved is not saved either.
        let ignored = Set(stale.series.map { series[$0].identity.uuid })
        for (number, one) in series.enumerated() where !stale.series.contains(number) {
            if case .route(let route) = one.content, ignored.contains(route.workout) { continue }
            let id = tables.lastSavedObject + 1 + Int64(rows.objects.count)
            let provenance = numbers.provenance(device: one.device)
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
                samples.setCreated(created)
                samples.setOrigin(provenance: provenance, metadata: QuantitySeriesRecord.mark(of: id))
                samples.identify(from: first)
                let row = HealthSeriesRow(series: 0, type: one.type, source: numbers.source, unit: unit)
                rows.add(samples, to: row, isCumulative: isCumulative, tables, &batch)
            case .body(let bytes, let which):
                kind = which
                body = try stale.inherited[number].map { try WorkoutRecord(bytes, including: $0).body } ?? bytes
            case .route(let route):
                kind = .workoutRoute
                let own = RouteNumbers(id: id, provenance: provenance, source: numbers.source)
                body = try addRoute(route, own, tables, context, &batch, &rows)
            }
            rows.objects.append(
                SavedObjectRow(
                    id: id, uuid: one.identity.bytes, kind: kind.rawValue, type: one.type, provenance: provenance,
                    metadata: numbers.metadata(one.metadata), start: one.start, end: one.end, created: created,
                    body: body))
        }
    }
}
