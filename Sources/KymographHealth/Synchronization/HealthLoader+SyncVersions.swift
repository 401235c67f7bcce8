// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

// The versions of sync identifiers, here and in a peer.
extension HealthLoader {
    /// Decides whether an object of a peer is older than the version here. If it is newer, the version here is deleted.
    func isOlder(
        _ identifier: SyncMapping.Identifier, _ type: String, _ source: Int64, _ identity: SampleIdentity,
        _ start: Int64
    ) throws(HealthStoreError) -> Bool {
        let own = interned.numbers(ofProgramOf: source)
        let key = key(type, source, identifier.text)
        if let pending = sync.versions[key] { return pending != identity }
        let known = try stored(key)
        // After the deletion of its object, a program may save any version of an identifier.
        if let known, let old = try find(known, own) {
            sync.use(known.version == identifier.version ? .lowerIdentity : .higherVersion, type, identity)
            if known.version > identifier.version { return true }
            // Of two saves of one version the one with the lower identity counts.
            if known.version == identifier.version, identity >= SampleIdentity(known.uuid) { return true }
            try replace(old, known, own, by: identity)
        }
        sync.versions[key] = identity
        sync.synced.append(
            SyncRow(
                type: type, source: key.source, identifier: identifier.text, version: identifier.version,
                uuid: identity.bytes, start: start))
        return false
    }

    /// Returns the key of a sync identifier. All rows of a program's sources have the same one.
    func key(_ type: String, _ source: Int64, _ identifier: String) -> PendingSync.Key {
        let own = interned.numbers(ofProgramOf: source)
        return PendingSync.Key(type: type, source: own.min() ?? source, identifier: identifier)
    }

    /// Returns the version of a sync identifier that was stored before the load; nil for an unknown identifier.
    func stored(_ key: PendingSync.Key) throws(HealthStoreError) -> SyncRow? {
        try store.catalog(SyncRow?.none) {
            try HealthCatalog.sync(type: key.type, source: key.source, identifier: key.identifier, $0)
        }
    }

    /// The object of a sync identifier.
    private enum Named {
        /// A sample, in a series of the engine.
        case sample(SeriesID)
        case object(SavedObjectRow)
    }

    /// Deletes the versions here that are not higher than deleted versions of the peer. A version that was saved after
    /// the deletion was known here stays.
    func add(versionsOf page: SyncPage, _ mapping: SyncMapping) throws(HealthStoreError) {
        for one in page.deadVersions {
            let source = try mapping.source(one.source)
            let own = interned.numbers(ofProgramOf: source)
            guard let known = try stored(key(one.type, source, one.identifier)), known.version <= one.version,
                known.uuid != one.uuid, try !isDeleted(one, own),
                let old = try find(known, own)
            else { continue }
            sync.use(.deletion, one.type, known.uuid)
            try replace(old, known, own, by: nil)
        }
    }

    /// Whether an object with attachments was replaced in the peer by a newer version, which is not here.
    func hasSuccessor(_ row: SavedObjectRow, _ page: SyncPage) throws(HealthStoreError) -> Bool {
        if page.deadVersions.contains(where: { $0.uuid == row.uuid }) { return false }
        let attached = try store.catalog(false) { try !HealthCatalog.attachments(of: row.uuid, $0).isEmpty }
        guard attached, let text = try store.syncIdentifier(of: row),
            let source = tables.provenances.first(where: { $0.id == row.provenance })?.source
        else { return false }
        return try stored(key(row.type, source, text))?.uuid == row.uuid
    }

    /// Whether a deletion of the peer is known here.
    private func isDeleted(_ one: SyncPage.DeadVersion, _ own: Set<Int64>) throws(HealthStoreError) -> Bool {
        let isNoted = try store.catalog(false) { transaction in
            let noted = try HealthCatalog.syncDeletions(of: [one.uuid], transaction)
            if !noted.isEmpty { return true }
            if try HealthCatalog.knownObjects([one.uuid], transaction).isEmpty { return false }
            return try HealthCatalog.savedObjects(uuids: [one.uuid], transaction).allSatisfy { $0 == nil }
        }
        if isNoted { return true }
        let identity = SampleIdentity(one.uuid)
        return tables.series.contains { row in
            row.type == one.type && own.contains(row.source)
                && baseline.deletedIdentities(
                    of: SeriesID(rawValue: row.series), startingIn: TimeRange(one.start, one.start &+ 1)
                ).contains(identity)
        }
    }

    /// Returns the stored object of a sync identifier; nil if it was deleted.
    private func find(_ known: SyncRow, _ own: Set<Int64>) throws(HealthStoreError) -> Named? {
        let rows = try store.catalog([SavedObjectRow?]()) { try HealthCatalog.savedObjects(uuids: [known.uuid], $0) }
        if let row = rows.first ?? nil, row.type == known.type {
            return sync.deadObjects.contains { $0.id == row.id } ? nil : .object(row)
        }
        let identity = SampleIdentity(known.uuid)
        if sync.deadSamples.values.contains(where: { $0.contains { $0.identity == identity } }) { return nil }
        for row in tables.series where row.type == known.type && own.contains(row.source) {
            let series = SeriesID(rawValue: row.series)
            var isThere = false
            try inEngine { () throws(StoreError) in
                try baseline.scan([series], over: TimeRange(known.start, known.start &+ 1), columns: .identity) {
                    batch throws(StoreError) in
                    isThere = batch.position(of: identity) != nil
                    return !isThere
                }
            }
            if isThere { return .sample(series) }
        }
        return nil
    }

    /// Deletes an older version: a correlation with its members. The routes and the effort of a workout move to the
    /// newer version, as in the store where it was saved.
    ///
    /// - Parameter new: the newer version; nil if that was deleted.
    private func replace(
        _ old: Named, _ known: SyncRow, _ own: Set<Int64>, by new: SampleIdentity?
    ) throws(HealthStoreError) {
        switch old {
        case .sample(let series):
            remove(SampleIdentity(known.uuid), known.start, series)
            note(replaced: known.uuid, known.type, known.start)
        case .object(let row):
            sync.deadObjects.append(row)
            if let new { sync.replacedObjects.append((row.uuid, new.bytes)) }
            note(replaced: row.uuid, row.type, row.start)
            if SavedObjectKind(rawValue: row.kind) == .workout { try replace(workout: row, by: new) }
            guard SavedObjectKind(rawValue: row.kind) == .correlation else { return }
            for member in try CorrelationRecord.members(row.body) { try replace(member.identity, member.type) }
        }
    }

    /// Moves the effort of a workout to its newer version, and its routes, unless the newer version has a route.
    private func replace(workout row: SavedObjectRow, by new: SampleIdentity?) throws(HealthStoreError) {
        if let new {
            sync.replacedWorkouts.append((SampleIdentity(row.uuid), new))
            guard sync.routedWorkouts.contains(new) else { return }
        }
        for route in try store.catalog([SavedObjectRow](), { try RouteRecord.routes(ofDeleted: [row], $0) }) {
            sync.deadObjects.append(route)
            note(replaced: route.uuid, route.type, route.start)
        }
    }

    /// Deletes a member of an older version, if it is here.
    func replace(_ member: SampleIdentity, _ type: String) throws(HealthStoreError) {
        let places = try inEngine { () throws(StoreError) in try store.engine.places(of: [member], in: baseline) }
        if let (series, start) = places[member] { remove(member, start, series) }
        note(replaced: member.bytes, type, places[member]?.start ?? 0)
    }

    /// Notes the deletion of an older version, for all peers, which may have a part of the object.
    func note(replaced uuid: [UInt8], _ type: String, _ start: Int64) {
        sync.unknown.append(SyncDeletionRow(uuid: uuid, type: type, start: start, isOwn: true))
    }

    func remove(_ identity: SampleIdentity, _ start: Int64, _ series: SeriesID) {
        sync.deadSamples[series, default: []].append(
            .init(series: series.rawValue, identity: identity, range: TimeRange(start, start &+ 1)))
    }
}
