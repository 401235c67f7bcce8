// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// The content of a route before its commit.
struct RouteDraft: Sendable {
    /// The locations, at least one, sorted by time.
    let locations: RouteLocations
    let workout: UUID
    /// Whether the workout must be stored before this commit; false if this commit also stores the workout.
    let needsStoredWorkout: Bool
}

/// The numbers of a route's rows.
struct RouteNumbers {
    /// The row number of the object.
    let id: Int64
    let provenance: Int64
    let source: Int64
}

extension SaveBatch {
    /// Adds a route of a workout to the batch.
    ///
    /// - Parameter needsStoredWorkout: whether the commit fails unless the workout is stored; false if the batch itself
    ///   contains the workout.
    /// - Returns: the route as queries will return it; nil without locations.
    /// - Throws: `errorInvalidArgument` for invalid metadata.
    mutating func append(
        _ locations: RouteLocations, of workout: UUID, _ header: ObjectHeader, needsStoredWorkout: Bool
    ) throws(HKError) -> HKWorkoutRoute? {
        let locations = locations.sorted()
        guard let start = locations.times.first, let end = locations.times.last else { return nil }
        // The check of an object without data is a check of its metadata and device.
        try HealthSaveRules.check(HKObject(header: header))
        let route = HKWorkoutRoute(
            header: header, start: StoredTime.date(start), end: StoredTime.date(end), count: locations.count)
        let draft = RouteDraft(locations: locations, workout: workout, needsStoredWorkout: needsStoredWorkout)
        try append(route, start: start, end: end, .route(draft))
        return route
    }

    /// Adds the rows of a route's columns to the write batch, and returns the body of its object.
    ///
    /// - Throws: `errorInvalidArgument` if the route's workout is not stored.
    func addRoute(
        _ route: RouteDraft, _ numbers: RouteNumbers, _ tables: HealthSnapshot, _ context: WriteContext,
        _ batch: inout WriteBatch, _ rows: inout SaveRows
    ) throws -> [UInt8] {
        if route.needsStoredWorkout {
            let owner = SampleIdentity(route.workout)
            let found = try HealthCatalog.savedObjects(uuids: [owner.bytes], context.transaction).first ?? nil
            guard found?.type == HKWorkoutTypeIdentifier else {
                throw HKError.missingWorkout(route.workout)
            }
        }
        let locations = route.locations
        let columns = RouteRecord(locations, workout: route.workout, firstIdentity: SampleIdentity(high: 0, low: 0))
            .columns
        let first = context.newIdentities(locations.count * columns.count)
        var next = first
        for column in columns {
            let samples = SampleRows(
                locations, column, provenance: numbers.provenance, mark: QuantitySeriesRecord.mark(of: numbers.id),
                from: next)
            let row = HealthSeriesRow(series: 0, type: column.seriesType, source: numbers.source, unit: column.unit)
            rows.add(samples, to: row, isCumulative: false, tables, &batch)
            next = SampleIdentity(high: next.high, low: next.low &+ Int64(locations.count))
        }
        return RouteRecord(locations, workout: route.workout, firstIdentity: first).body
    }
}

extension HKError {
    /// Returns the error for a route whose workout is not stored, or may not be read.
    static func missingWorkout(_ workout: UUID) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the workout of the route is not in the store",
            place: "\(HKWorkoutTypeIdentifier) \(workout)", advice: "save the workout, then finish the route")
    }
}

extension SampleRows {
    /// Creates the rows of a column of a route.
    init(
        _ locations: RouteLocations, _ column: RouteColumn, provenance: Int64, mark: Int64, from first: SampleIdentity
    ) {
        self.init()
        starts = locations.times
        values = locations.values(column) ?? [Double](repeating: column.missing, count: locations.count)
        setOrigin(provenance: provenance, metadata: mark)
        identify(from: first)
        isCutByCount = true
    }
}
