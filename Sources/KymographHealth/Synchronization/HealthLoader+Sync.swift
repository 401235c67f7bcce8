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
                // The newer version follows, and takes the attachments.
                if try hasSuccessor(row, page) { continue }
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
}
