// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel
import Kymograph

extension HealthStore {
    /// Restores the object of a route from its rows; nil if its latitudes or its provenance are lost, too. The constant
    /// columns, the metadata, the identity and the workout of the route cannot be restored.
    func route(_ one: OrphanedQuantities, _ view: HealthView) throws(HealthStoreError) -> SavedObjectRow? {
        var extent: (start: Int64, end: Int64, provenance: Int64, first: SampleIdentity)?
        var counts: [RouteColumn: Int] = [:]
        for row in view.tables.rows.series where row.source == one.row.source {
            guard let column = RouteColumn(seriesType: row.type) else { continue }
            if view.snapshot.count(of: SeriesID(rawValue: row.series)) == 0 { continue }
            try inEngine { () throws(StoreError) in
                try view.snapshot.scan([SeriesID(rawValue: row.series)], over: .all, columns: .all) { batch in
                    for place in 0..<batch.count where batch.metadata[place] == one.mark {
                        counts[column, default: 0] += 1
                        guard column == .latitude, let first = batch.identity(at: place) else { continue }
                        let start = batch.start(at: place)
                        extent = (
                            extent?.start ?? start, start, batch.provenance[place], extent?.first ?? first
                        )
                    }
                    return true
                }
            }
        }
        guard let extent, let count = counts[.latitude], view.tables.provenances[extent.provenance] != nil else {
            return nil
        }
        let columns = Set(counts.filter { $0.value == count }.keys)
        let record = RouteRecord(restoring: columns, count: count, firstIdentity: extent.first)
        return SavedObjectRow(
            id: one.object, uuid: SampleIdentity(ObjectIdentity.next()).bytes,
            kind: SavedObjectKind.workoutRoute.rawValue, type: HKWorkoutRouteTypeIdentifier,
            provenance: extent.provenance, start: extent.start, end: extent.end, body: record.body)
    }
}
