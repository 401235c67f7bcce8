// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog

// A newer version of a workout takes over the routes and the effort of the version that it replaces.
extension SaveBatch {
    /// Replaces a workout by a newer version of this save.
    ///
    /// - Returns: the routes of the old version, if this save has a route of the new version. These routes are retired,
    ///   and the caller deletes their rows. Otherwise the result is empty, and the routes move to the new version.
    func replace(
        _ old: SavedObjectRow, by new: UUID, _ rows: inout SaveRows, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        let workout = SampleIdentity(old.uuid).uuid
        rows.replaced.append((workout, new))
        let hasRoute = series.contains { one in
            if case .route(let route) = one.content { route.workout == new } else { false }
        }
        if !hasRoute { return [] }
        let routes = try RouteRecord.routes(of: [workout], transaction)
        rows.retired += routes
        return routes
    }
}

extension SaveRows {
    /// Assigns the routes and the effort of a workout to its newer version. The effort of single activities stays with
    /// the old version, because the new one has other activities.
    static func moveRelations(of old: UUID, to new: UUID, _ transaction: CatalogTransaction) throws {
        for row in try RouteRecord.routes(of: [old], transaction) {
            var route = try RouteRecord(row.body)
            route.workout = new
            try HealthCatalog.rewrite(savedObject: row.id, body: route.body, metadata: row.metadata, transaction)
        }
        for (id, _, record) in try EffortRecord.all(of: old, transaction) where record.activity == nil {
            var record = record
            record.workout = new
            try HealthCatalog.rewrite(savedObject: id, body: record.body, metadata: 0, transaction)
        }
    }
}
