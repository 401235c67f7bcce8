// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

// The objects of a peer.
extension HealthLoader {
    /// Adds the new objects of a page. Returns the numbers of their rows here by their numbers in the other store.
    func add(
        objectsOf page: SyncPage, _ mapping: SyncMapping
    ) throws(HealthStoreError) -> [Int64: Int64] {
        if page.objects.isEmpty { return [:] }
        let uuids = page.objects.map(\.uuid)
        guard uuids.allSatisfy({ $0.count == 16 }), Set(uuids).count == uuids.count else {
            throw HealthStoreError(.corrupt, "two objects of the other store have one identity")
        }
        let known = try store.catalog(Set<[UInt8]>()) {
            try HealthCatalog.knownObjects(uuids, $0).union(HealthCatalog.syncDeletions(of: uuids, $0))
        }
        let live = try store.catalog([SavedObjectRow?]()) { try HealthCatalog.savedObjects(uuids: uuids, $0) }
            .compactMap(\.self)
        for row in page.objects where SavedObjectKind(rawValue: row.kind) == .workoutRoute {
            if let workout = try RouteRecord(row.body).workout { sync.routedWorkouts.insert(SampleIdentity(workout)) }
        }
        var numbers: [Int64: Int64] = [:]
        for row in page.objects {
            guard row.id > 0, row.start <= row.end, row.start >= TimeLimits.earliest else {
                throw HealthStoreError(.corrupt, "an object of the other store has a time that no store holds")
            }
            var new = row
            new.body = try body(of: row, mapping)
            new.provenance = try mapping.provenance(row.provenance)
            new.metadata = try mapping.metadata(row.metadata)
            var isPassedOver = try isStaleRoute(row)
            // The sender deletes the older workout, too, and then no longer knows which version replaces its route.
            if isPassedOver, sync.replacesRoutes { note(replaced: row.uuid, row.type, row.start) }
            if sync.limit.excludes(row) { isPassedOver = true }
            if known.contains(row.uuid) {
                isPassedOver = true
                let stored = live.first { $0.uuid == row.uuid }
                if let stored, stored.kind == SavedObjectKind.workout.rawValue, row.kind == stored.kind {
                    try merge(stored, new.body)
                }
                sync.use(stored == nil ? .deletion : .known, row.type, row.uuid)
            }
            if !isPassedOver, let identifier = mapping.identifier(new.metadata) {
                let source = mapping.source(ofProvenance: row.provenance)
                isPassedOver = try isOlder(identifier, row.type, source, SampleIdentity(row.uuid), row.start)
                if isPassedOver {
                    note(replaced: row.uuid, row.type, row.start)
                    try passOverParts(of: row)
                    try noteRoutes(identifier, row.type, source)
                }
            }
            if isPassedOver {
                sync.passedObjects += 1
                continue
            }
            new.id = nextSavedObject()
            numbers[row.id] = new.id
            sync.objects.append(new)
        }
        return numbers
    }

    /// Merges the additions to a workout here and in the other store.
    private func merge(_ row: SavedObjectRow, _ body: [UInt8]) throws(HealthStoreError) {
        do {
            guard let merged = try store.merged(row, body) else { return }
            sync.rewritten.append((row, merged, merged != body))
        } catch {
            throw HealthStoreError(any: error)
        }
    }

    /// Notes whether the version of a workout that is here has a route, which then replaces those of older versions.
    private func noteRoutes(
        _ identifier: SyncMapping.Identifier, _ type: String, _ source: Int64
    ) throws(HealthStoreError) {
        guard let known = try stored(key(type, source, identifier.text)) else { return }
        let isRouted = try store.catalog(false) { transaction in
            try !RouteRecord.routes(of: [SampleIdentity(known.uuid).uuid], transaction).isEmpty
        }
        if isRouted { sync.replacesRoutes = true }
    }

    /// Whether an object is the route of a workout that is passed over.
    private func isStaleRoute(_ row: SavedObjectRow) throws(HealthStoreError) -> Bool {
        guard SavedObjectKind(rawValue: row.kind) == .workoutRoute, let workout = try RouteRecord(row.body).workout
        else { return false }
        return sync.staleWorkouts.contains(SampleIdentity(workout))
    }

    /// Passes over what belongs to an older version: the members of a correlation, the routes of a workout. Members
    /// that came with an earlier page are deleted.
    private func passOverParts(of row: SavedObjectRow) throws(HealthStoreError) {
        switch SavedObjectKind(rawValue: row.kind) {
        case .workout: sync.staleWorkouts.insert(SampleIdentity(row.uuid))
        case .correlation:
            for member in try CorrelationRecord.members(row.body) {
                sync.staleMembers.insert(member.identity)
                try replace(member.identity, member.type)
            }
        default: return
        }
    }

    /// Returns the body of an object with the number of its element here.
    ///
    /// - Throws: `corrupt`, `newerFormat` for bytes that are no such object.
    private func body(of row: SavedObjectRow, _ mapping: SyncMapping) throws(HealthStoreError) -> [UInt8] {
        func number(_ element: CorrelationBody.Element) -> CorrelationBody.Element {
            .init(
                object: mapping.elements[element.object] ?? CorrelationBody.Element.erased, digest: element.digest)
        }
        switch SavedObjectKind(rawValue: row.kind) {
        case .correlation:
            let old = try CorrelationBody(row.body)
            return old.element == nil
                ? row.body : CorrelationBody(members: old.members, element: old.element.map(number)).bytes
        case .workout:
            var record = try WorkoutRecord(row.body)
            guard let element = record.element else { return row.body }
            record.element = number(element)
            return record.body
        case .fields:
            var record = try FieldsRecord(row.body)
            guard let element = record.element else { return row.body }
            record.element = number(element)
            return record.body
        case .quantitySeries: _ = try QuantitySeriesRecord(row.body)
        case .heartbeatSeries: _ = try HeartbeatRecord(row.body)
        case .electrocardiogram: _ = try ElectrocardiogramRecord(row.body)
        case .workoutRoute: _ = try RouteRecord(row.body)
        case .effort: _ = try EffortRecord(row.body)
        case nil:
            throw HealthStoreError(
                .newerFormat, "the other store has objects of kind \(row.kind), which this version does not know")
        }
        return row.body
    }
}
