// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

// The changes of a peer. `Docs/Format/Sync.md` has the rules.
extension HealthLoader {
    /// Adds a page of a peer's changes.
    ///
    /// - Parameters:
    ///   - page: the page, from a program that may be damaged or hostile.
    ///   - mapping: the names of the session so far.
    ///   - store: the id of the peer.
    ///   - peer: the peer as it is known after the commit.
    /// - Throws: `corrupt` if the page is not consistent; nothing of the load may then be stored.
    func add(
        _ page: SyncPage, _ mapping: inout SyncMapping, from peer: SyncPeerRow
    ) throws(HealthStoreError) {
        sync.peer = peer
        try page.values.check()
        sync.values = page.values
        try mapping.add(page, self)
        try add(deletionsOf: page, mapping)
        try add(elementsOf: page, &mapping)
        try add(documentsOf: page)
        let objects = try add(objectsOf: page, mapping)
        try add(samplesOf: page, mapping, objects, peer.store)
        try add(attachmentsOf: page, mapping)
        guard sync.identities.areDistinct() else {
            throw HealthStoreError(.corrupt, "two samples of the other store have one identity")
        }
    }

    // MARK: - Deletions

    private func add(deletionsOf page: SyncPage, _ mapping: SyncMapping) throws(HealthStoreError) {
        for one in page.deadSamples {
            let series = try mapping.series(one.series)
            if isNew(series) {
                sync.unknown.append(
                    SyncDeletionRow(uuid: one.identity.bytes, type: series.type, start: one.range.start))
                continue
            }
            let slot = try self.series(type: series.type, source: series.source, unit: series.unit)
            sync.deadSamples[id(of: slot), default: []].append(one)
        }
        try add(versionsOf: page, mapping)
        if page.deadObjects.isEmpty { return }
        let uuids = page.deadObjects.map(\.uuid)
        let rows = try store.catalog([SavedObjectRow?](repeating: nil, count: uuids.count)) {
            try HealthCatalog.savedObjects(uuids: uuids, $0)
        }
        let singles = zip(page.deadObjects, rows).filter { $0.1 == nil }.map { SampleIdentity($0.0.uuid) }
        let places = try inEngine { () throws(StoreError) in
            try store.engine.places(of: singles, in: baseline)
        }
        for (one, row) in zip(page.deadObjects, rows) {
            let identity = SampleIdentity(one.uuid)
            if let row {
                sync.deadObjects.append(row)
            } else if let (series, start) = places[identity] {
                remove(identity, start, series)
            } else {
                sync.unknown.append(SyncDeletionRow(uuid: one.uuid, type: one.type, start: one.start))
            }
        }
    }

    /// Returns whether this store has no series of a peer's series.
    private func isNew(_ series: SyncMapping.Series) -> Bool {
        !hasSeries(type: series.type, source: series.source, unit: series.unit)
    }

    // MARK: - Elements and documents

    private func add(elementsOf page: SyncPage, _ mapping: inout SyncMapping) throws(HealthStoreError) {
        if page.elements.isEmpty, page.elementKeys.isEmpty { return }
        let kinds = Set(page.elements.map(\.kind) + page.elementKeys.map(\.kind))
        let known = try store.catalog([Int64: [Int64: [Int64]]]()) { transaction in
            var known: [Int64: [Int64: [Int64]]] = [:]
            for kind in kinds { known[kind] = try HealthCatalog.objectIDs(kind: kind, transaction) }
            return known
        }
        for one in page.elementKeys {
            // An element that was deleted here leaves its objects without it.
            mapping.elements[one.id] = known[one.kind]?[one.digest]?.first ?? CorrelationBody.Element.erased
        }
        let waiting = try store.unconvertedWorkouts(most: 1) + store.unconvertedSamples(most: 1)
        sync.isConverted = waiting.isEmpty
        for row in page.elements {
            if let there = known[row.kind]?[row.digest]?.first {
                mapping.elements[row.id] = there
                continue
            }
            guard row.kind > 0 else { throw HealthStoreError(.corrupt, "an element of kind \(row.kind)") }
            if sync.limit.excludes(row) {
                mapping.elements[row.id] = CorrelationBody.Element.erased
                continue
            }
            var row = row
            row.digest = HealthCatalog.digest(HeapAddress.stripped(try ObjectExpander.decode(row.body)))
            let number = row.id
            row.id = nextElement()
            mapping.elements[number] = row.id
            sync.elements.append(row)
        }
    }

    private func add(documentsOf page: SyncPage) throws(HealthStoreError) {
        if page.documents.isEmpty { return }
        let stored = try store.catalog([DocumentRow]()) { try HealthCatalog.documents($0) }
        var known = Set(stored.map { PendingDocuments.Key(path: $0.path, digest: $0.digest) })
        for one in page.documents {
            let bytes = try ObjectExpander.decode(one.body)
            guard Int64(bytes.count) == one.row.bytes, HealthCatalog.digest(bytes) == one.row.digest else {
                throw HealthStoreError(.corrupt, "the file \(one.row.path) of the other store has other bytes")
            }
            guard known.insert(.init(path: one.row.path, digest: one.row.digest)).inserted else { continue }
            documents.last += 1
            var row = one.row
            row.id = documents.last
            sync.documents.append((row, one.body))
        }
    }

    // MARK: - Objects

    /// Adds the new objects of a page. Returns the numbers of their rows here by their numbers in the other store.
    private func add(
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
            sync.rewritten.append((row, merged))
        } catch {
            throw HealthStoreError(any: error)
        }
    }

    /// Notes whether the version of a workout that is here has a route, which then replaces those of older versions.
    private func noteRoutes(
        _ identifier: SyncMapping.Identifier, _ type: String, _ source: Int64
    ) throws(HealthStoreError) {
        let own = interned.numbers(ofProgramOf: source).min() ?? source
        let isRouted = try store.catalog(false) { transaction in
            let known = try HealthCatalog.sync(
                type: type, source: own, identifier: identifier.text, transaction)
            guard let known else { return false }
            return try !RouteRecord.routes(of: [SampleIdentity(known.uuid).uuid], transaction).isEmpty
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

    // MARK: - Samples

    private func add(
        samplesOf page: SyncPage, _ mapping: SyncMapping, _ objects: [Int64: Int64], _ peer: [UInt8]
    ) throws(HealthStoreError) {
        var decoder = ChangeBlockDecoder(store: peer)
        var rows = SampleRows()
        for (place, block) in page.blocks.enumerated() {
            if rows.count == 0 { rows.reserve(min(page.samples, Self.mostRows + ChangeBlockEncoder.mostSamples)) }
            try inEngine { () throws(StoreError) in
                try decoder.decode(page.bytes, block.range, series: block.series, place: place, into: &rows)
            }
            let isLast = place + 1 == page.blocks.count || page.blocks[place + 1].series != block.series
            if !isLast, rows.count < Self.mostRows { continue }
            try add(rows, of: block.series, mapping, objects)
            rows = SampleRows()
        }
    }

    /// Samples of one series that are stored together.
    private static var mostRows: Int { 65_536 }

    private func add(
        _ rows: consuming SampleRows, of number: Int64, _ mapping: SyncMapping, _ objects: [Int64: Int64]
    ) throws(HealthStoreError) {
        let series = try mapping.series(number)
        try rows.replaceOrigins { number throws(HealthStoreError) in
            try mapping.provenance(number)
        } metadata: { number throws(HealthStoreError) in
            guard number < 0 else { return try mapping.metadata(number) }
            guard number > .min else { throw HealthStoreError(.corrupt, "a sample of an object without a number") }
            // Rows of an object that is passed over are passed over, too.
            return -(objects[-number] ?? .max)
        }
        let total = rows.count
        let dropped = try passedOver(rows, series, mapping)
        if !dropped.isEmpty { rows = rows.rows((0..<total).filter { !dropped.contains($0) }) }
        sync.passedSamples += dropped.count
        if rows.count == 0 { return }
        sync.identities.add(rows)
        sync.storedSamples += rows.count
        let slot = try self.series(type: series.type, source: series.source, unit: series.unit)
        try write(received: rows, to: slot)
    }

    /// Returns the rows that are stored already, were deleted here, are older than the version here, or than the kept
    /// history.
    private func passedOver(
        _ rows: SampleRows, _ series: SyncMapping.Series, _ mapping: SyncMapping
    ) throws(HealthStoreError) -> Set<Int> {
        var dropped = sync.limit.excluded(rows)
        let stored = try inEngine { () throws(StoreError) in
            try store.engine.storedIdentities(of: rows, in: baseline)
        }
        let gone = try deleted(rows, series)
        let isSingle = rows.sharesOrigin
        if stored.isEmpty, gone.isEmpty, sync.staleMembers.isEmpty, isSingle, let metadata = rows.sharedMetadata,
            metadata >= 0,
            mapping.identifier(metadata) == nil
        {
            return dropped
        }
        for place in 0..<rows.count where !dropped.contains(place) {
            let (identity, metadata) = (rows.storedIdentity(place), rows.metadata(of: place))
            if metadata == -.max {
                dropped.insert(place)
            } else if stored.contains(identity) || gone.contains(identity) || sync.staleMembers.contains(identity) {
                dropped.insert(place)
                let rule: SyncRule =
                    stored.contains(identity) ? .known : gone.contains(identity) ? .deletion : .higherVersion
                sync.use(rule, series.type, identity)
            } else if metadata > 0, let identifier = mapping.identifier(metadata),
                try isOlder(identifier, series.type, series.source, identity, rows.starts[place])
            {
                note(replaced: identity.bytes, series.type, rows.starts[place])
                dropped.insert(place)
            }
        }
        return dropped
    }

    /// Returns the identities of some rows' samples that were deleted, here or by another peer.
    private func deleted(
        _ rows: SampleRows, _ series: SyncMapping.Series
    ) throws(HealthStoreError) -> Set<SampleIdentity> {
        var gone = Set<SampleIdentity>()
        guard let first = rows.starts.min(), let last = rows.starts.max() else { return gone }
        if hasSeries(type: series.type, source: series.source, unit: series.unit) {
            let slot = try self.series(type: series.type, source: series.source, unit: series.unit)
            gone = baseline.deletedIdentities(of: id(of: slot), startingIn: TimeRange(first, last &+ 1))
        }
        if sync.noted == nil {
            let all = try store.catalog(Set<[UInt8]>()) { try HealthCatalog.allSyncDeletions($0) }
            sync.noted = Set((all + sync.unknown.map(\.uuid)).map { SampleIdentity($0) })
        }
        if let noted = sync.noted, !noted.isEmpty {
            for row in 0..<rows.count where noted.contains(rows.storedIdentity(row)) {
                gone.insert(rows.storedIdentity(row))
            }
        }
        return gone
    }

    // MARK: - Sync identifiers

    /// Decides whether an object of a peer is older than the version here. If it is newer, the version here is deleted.
    private func isOlder(
        _ identifier: SyncMapping.Identifier, _ type: String, _ source: Int64, _ identity: SampleIdentity,
        _ start: Int64
    ) throws(HealthStoreError) -> Bool {
        let own = interned.numbers(ofProgramOf: source)
        let key = PendingSync.Key(type: type, source: own.min() ?? source, identifier: identifier.text)
        if let pending = sync.versions[key] { return pending != identity }
        let known = try store.catalog(SyncRow?.none) {
            try HealthCatalog.sync(type: type, source: key.source, identifier: identifier.text, $0)
        }
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

    /// The object of a sync identifier.
    private enum Named {
        /// A sample, in a series of the engine.
        case sample(SeriesID)
        case object(SavedObjectRow)
    }

    /// Deletes the versions here that are not higher than deleted versions of the peer. A version that was saved after
    /// the deletion was known here stays.
    private func add(versionsOf page: SyncPage, _ mapping: SyncMapping) throws(HealthStoreError) {
        for one in page.deadVersions {
            let source = try mapping.source(one.source)
            let own = interned.numbers(ofProgramOf: source)
            let known = try store.catalog(SyncRow?.none) {
                try HealthCatalog.sync(type: one.type, source: own.min() ?? source, identifier: one.identifier, $0)
            }
            guard let known, known.version <= one.version, known.uuid != one.uuid, try !isDeleted(one, own),
                let old = try find(known, own)
            else { continue }
            sync.use(.deletion, one.type, known.uuid)
            try replace(old, known, own, by: nil)
        }
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
    private func replace(_ member: SampleIdentity, _ type: String) throws(HealthStoreError) {
        let places = try inEngine { () throws(StoreError) in try store.engine.places(of: [member], in: baseline) }
        if let (series, start) = places[member] { remove(member, start, series) }
        note(replaced: member.bytes, type, places[member]?.start ?? 0)
    }

    /// Notes the deletion of an older version, for all peers, which may have a part of the object.
    private func note(replaced uuid: [UInt8], _ type: String, _ start: Int64) {
        sync.unknown.append(SyncDeletionRow(uuid: uuid, type: type, start: start, isOwn: true))
    }

    private func remove(_ identity: SampleIdentity, _ start: Int64, _ series: SeriesID) {
        sync.deadSamples[series, default: []].append(
            .init(series: series.rawValue, identity: identity, range: TimeRange(start, start &+ 1)))
    }
}
