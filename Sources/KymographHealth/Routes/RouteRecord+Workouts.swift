// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel

extension RouteRecord {
    /// Returns the live routes of workouts, by start.
    ///
    /// - Parameter seq: the commit of the state; nil for the state of the transaction.
    /// - Complexity: O(routes).
    static func routes(
        of workouts: Set<UUID>, asOf seq: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        if workouts.isEmpty { return [] }
        var found = [SavedObjectRow]()
        try HealthCatalog.eachSavedObject(type: HKWorkoutRouteTypeIdentifier, asOf: seq, transaction) { row in
            if let owner = try RouteRecord(row.body).workout, workouts.contains(owner) { found.append(row) }
            return true
        }
        return found
    }

    /// Returns the routes of the workouts among deleted objects, without routes that are among the objects themselves.
    static func routes(
        ofDeleted objects: [SavedObjectRow], _ transaction: CatalogTransaction
    ) throws -> [SavedObjectRow] {
        let workouts = objects.filter { $0.kind == SavedObjectKind.workout.rawValue }.map {
            SampleIdentity($0.uuid).uuid
        }
        let deleted = Set(objects.map(\.id))
        return try routes(of: Set(workouts), transaction).filter { !deleted.contains($0.id) }
    }
}
