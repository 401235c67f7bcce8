// SPDX-License-Identifier: Apache-2.0

import Catalog
package import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// A route of a load.
package struct LoadedRoute: Sendable {
    /// The locations, at least one, in any order.
    package var locations: RouteLocations
    /// The identity of the workout of the route. The workout is stored, or part of the load.
    package var workout: UUID
    /// Rows of the provenance and the source table.
    package var provenance: Int64
    package var source: Int64
    /// The creation date in nanoseconds since 1970-01-01 UTC; nil if unknown.
    package var created: Int64?
    /// A local number of the loader's metadata.
    package var metadata: Int32

    package init(
        _ locations: RouteLocations, workout: UUID, provenance: Int64, source: Int64, created: Int64? = nil,
        metadata: Int32 = 0
    ) {
        self.locations = locations
        self.workout = workout
        self.provenance = provenance
        self.source = source
        self.created = created
        self.metadata = metadata
    }

    /// The identity of the route: a UUID of version 8 (RFC 9562) made of two digests. Equal locations of one workout
    /// have the same identity.
    var identity: SampleIdentity {
        var digest = HealthCatalog.TwoDigests()
        let owner = SampleIdentity(workout)
        digest.add([owner.high, owner.low])
        digest.add(locations.times)
        for column in RouteColumn.allCases {
            guard let values = locations.values(column) else { continue }
            digest.add([UInt8(column.rawValue)])
            digest.add(values)
        }
        return SampleIdentity(digest)
    }
}

/// The routes of a load before its commit.
struct PendingRoutes {
    /// The number of waiting locations at which columns are written.
    fileprivate static let limit = 100_000

    /// The objects, with local numbers of metadata sets.
    fileprivate var rows: [SavedObjectRow] = []
    fileprivate var met: Set<SampleIdentity> = []
    /// Columns that are not written yet, by slot.
    fileprivate var waiting: [Int: [SampleRows]] = [:]
    fileprivate var weight = 0

    var isEmpty: Bool { rows.isEmpty }
}

extension HealthLoader {
    /// Adds a route, unless a route with the same workout and locations is stored.
    ///
    /// - Returns: whether the route is new.
    @discardableResult
    package func add(_ route: LoadedRoute) throws(HealthStoreError) -> Bool {
        let locations = route.locations.sorted()
        guard let start = locations.times.first, let end = locations.times.last else { return false }
        if isBeforeHistory(end) { return false }
        let identity = route.identity
        guard routes.met.insert(identity).inserted else { return false }
        let known = try store.catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity.bytes], $0)
        }
        if known.contains(where: { $0 != nil }) { return false }
        let id = nextSavedObject()
        let columns = RouteRecord(locations, workout: route.workout, firstIdentity: SampleIdentity(high: 0, low: 0))
            .columns
        let first = bulk.newIdentities(locations.count * columns.count)
        var next = first
        for column in columns {
            let slot = try series(type: column.seriesType, source: route.source, unit: column.unit)
            let samples = SampleRows(
                locations, column, provenance: route.provenance, mark: QuantitySeriesRecord.mark(of: id), from: next)
            routes.waiting[slot, default: []].append(samples)
            next = SampleIdentity(high: next.high, low: next.low &+ Int64(locations.count))
        }
        routes.rows.append(
            SavedObjectRow(
                id: id, uuid: identity.bytes, kind: SavedObjectKind.workoutRoute.rawValue,
                type: HKWorkoutRouteTypeIdentifier, provenance: route.provenance, metadata: Int64(route.metadata),
                start: start, end: end, created: route.created,
                body: RouteRecord(locations, workout: route.workout, firstIdentity: first).body))
        routes.weight += locations.count
        if routes.weight >= PendingRoutes.limit { try writeRoutes() }
        return true
    }

    /// Writes the waiting columns, series by series in ascending order, so that they fit in one segment.
    private func writeRoutes() throws(HealthStoreError) {
        let waiting = routes.waiting
        (routes.waiting, routes.weight) = ([:], 0)
        for slot in waiting.keys.sorted(by: isBefore) {
            let parts = (waiting[slot] ?? []).sorted { ($0.starts.first ?? 0) < ($1.starts.first ?? 0) }
            for part in parts {
                try inEngine { () throws(StoreError) in try bulk.write(part, to: id(of: slot)) }
            }
        }
    }

    /// Writes the remaining columns, and resolves the metadata of the routes.
    ///
    /// - Ordering: after the last `add`.
    func settleRoutes() throws(HealthStoreError) {
        if routes.isEmpty { return }
        try writeRoutes()
        try resolveMetadata()
        for place in routes.rows.indices {
            routes.rows[place].metadata = metadataRow(Int32(truncatingIfNeeded: routes.rows[place].metadata))
        }
    }

    /// Inserts the routes, inside the commit's transaction.
    func insertRoutes(_ transaction: CatalogTransaction) throws {
        try HealthCatalog.insert(routes.rows, transaction)
    }
}
