// SPDX-License-Identifier: Apache-2.0

import Catalog
public import Foundation
package import HealthCatalog

/// Another store with which a store is synchronised.
public struct HealthStorePeer: Sendable, Hashable {
    /// The id of the other store, as the text of a UUID.
    public let store: String
    /// What a person calls it: the path of its directory, or the command that reaches it.
    public let name: String
    /// When changes were last exchanged.
    public let lastSync: Date
}

/// What a page of changes changed.
package struct SyncOutcome: Sendable, Equatable {
    package var samples = 0
    package var objects = 0
    package var deletions = 0
    /// Samples and objects that were stored or deleted here before, or are older than the version here.
    package var passedOver = 0
    package var attachments = 0
    /// Values that were changed: characteristics, settings, decisions.
    package var changedValues = 0
    package var rules: [SyncRule: Int] = [:]
    package var conflicts: [SyncConflict] = []
}

extension HealthStore {
    /// The id of the store, 16 bytes.
    package var identity: [UInt8] { engine.storeIdentity }

    /// Whether the files of the store are encrypted.
    package var isEncrypted: Bool { engine.keys != nil }

    /// Returns the stores with which this store was synchronised.
    public func peers() throws(HealthStoreError) -> [HealthStorePeer] {
        try catalog([]) { try HealthCatalog.peers($0) }.map { row in
            HealthStorePeer(
                store: SampleIdentity(row.store).description, name: row.name,
                lastSync: Date(timeIntervalSince1970: Double(row.at) / 1e9))
        }
    }

    /// Returns what is known about a peer; nil for a new one.
    package func syncPeer(_ store: [UInt8]) throws(HealthStoreError) -> SyncPeerRow? {
        try catalog(SyncPeerRow?.none) { try HealthCatalog.peer(store: store, $0) }
    }

    /// Makes everything durable that this opening shows, before a peer learns about these changes.
    package func settle() throws(HealthStoreError) { try inEngine { () throws(StoreError) in try engine.settle() } }

    /// Returns the changes of this store for a peer, from where it continues.
    ///
    /// - Parameters:
    ///   - peer: the peer as it is known here.
    ///   - text: the position that the peer has stored; empty for none. After a restoration of this store the peer
    ///     begins anew.
    ///   - selection: the part that is exchanged. After another part than before, everything is compared.
    /// - Throws: `invalidArgument` if the text is no position of this store.
    package func syncFeed(
        for peer: SyncPeerRow, after text: String, _ selection: SyncSelection = SyncSelection()
    ) throws(HealthStoreError) -> SyncFeed {
        var position = try syncPosition(peer, text)
        if position.selection != selection.digest {
            position = SyncPosition()
            position.selection = selection.digest
        }
        return SyncFeed(peer: peer.id, position: position, selection)
    }

    private func syncPosition(_ peer: SyncPeerRow, _ text: String) throws(HealthStoreError) -> SyncPosition {
        guard var position = SyncPosition(text: text) else {
            throw HealthStoreError(.invalidArgument, "the other store has an unreadable position in the changes")
        }
        if peer.acknowledged == text, !peer.searched.isEmpty, let searched = SyncPosition(text: peer.searched) {
            position = searched
        }
        let view = try currentView()
        // Without the deletions that the store has forgotten, only a comparison of everything is right.
        let series = view.tables.rows.series.map { SeriesID(rawValue: $0.series) }.filter { view.snapshot.has($0) }
        for anchor in [position.begin, position.end, position.samples] {
            guard let anchor else { continue }
            do throws(StoreError) {
                _ = try engine.deletions(in: view.snapshot, of: series, since: anchor)
            } catch {
                guard error.kind == .anchorExpired else { throw HealthStoreError(error) }
                return SyncPosition()
            }
        }
        return position
    }

    /// Returns the next page of changes for a peer; nil if there are no more.
    ///
    /// - Complexity: O(changes), and a few microseconds if there are none.
    package func syncPage(_ feed: inout SyncFeed) throws -> SyncPage? {
        let view = try currentView()
        while feed.position.end != nil || feed.position.first != view.snapshot.sequence {
            var collector = try SyncCollector(self, view, feed)
            let page = try collector.collect(&feed)
            if page.samples > Self.manySamples { engine.releaseMappedPages() }
            if !page.isEmpty { return page }
        }
        return nil
    }

    /// Returns the sync identifier in an object's metadata; nil if it has none.
    func syncIdentifier(of object: SavedObjectRow) throws(HealthStoreError) -> String? {
        let number = object.metadata
        guard number > 0,
            let body = try catalog([:], { try HealthCatalog.metadataBodies(ids: [number], $0) })[number],
            case .string(let text)? = try HealthMetadata(decoding: body).values[HKMetadataKeySyncIdentifier]
        else { return nil }
        return text
    }

    /// The epoch of the store, which changes when it is restored from a backup or repaired.
    package var epoch: Int64 { engine.anchor(at: engine.snapshot()).epoch }

    /// Notes a peer that is not known yet. Returns what is known about it, with a name from now on.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the peer. If it is another one than before, the peer may have lost what came from it,
    ///     and gets it again.
    ///   - isLimited: whether the peer keeps only the last days.
    package func meet(
        _ store: [UInt8], name: String, epoch: Int64, isLimited: Bool = false
    ) throws -> SyncPeerRow {
        let known = try syncPeer(store)
        if let known, known.name == name, known.epoch == epoch, known.isLimited == isLimited { return known }
        var row = known ?? SyncPeerRow(store: store, name: name, at: 0)
        if known == nil, let dropped = try droppedPeer(store), dropped.epoch == epoch {
            // What the peer had then is here, or was deleted here.
            (row.received, row.epoch) = (dropped.received, epoch)
        }
        let isOther = row.epoch != epoch
        (row.name, row.epoch, row.isLimited) = (name, epoch, isLimited)
        if isOther { (row.acknowledged, row.searched) = ("", "") }
        try set(row, forgetting: isOther)
        return try syncPeer(store) ?? row
    }

    /// Samples of a page from which the memory of the files that it came from, or went to, is given back.
    private static var manySamples: Int { 100_000 }

    /// Stores a page of a peer's changes in one commit.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - mapping: the names of the session.
    ///   - peer: the peer; its position is replaced by that of the page.
    /// - Throws: `corrupt` for a page that is not consistent: nothing of it is stored. The errors of a load.
    package func apply(
        _ page: SyncPage, _ mapping: inout SyncMapping, from peer: inout SyncPeerRow
    ) throws -> SyncOutcome {
        var after = peer
        after.received = page.position
        after.at = engine.wallClock
        var names = mapping
        var outcome = SyncOutcome()
        var loaded: HealthLoader?
        let before = peer
        _ = try load { loader in
            loader.sync.limit = ReceivedLimit(
                page, after: before, dropped: try droppedPeer(before.store), loader.tables)
            try loader.add(page, &names, from: after)
            outcome.attachments = loader.attachments.files.count
            loaded = loader
        }
        if let sync = loaded?.sync {
            (outcome.samples, outcome.objects) = (sync.storedSamples, sync.objects.count)
            outcome.deletions = sync.deadObjects.count + page.deadSamples.count
            outcome.passedOver = sync.passedSamples + sync.passedObjects
            (outcome.changedValues, outcome.rules, outcome.conflicts) = (sync.changedValues, sync.rules, sync.conflicts)
        }
        (mapping, peer) = (names, after)
        if page.samples > Self.manySamples { engine.releaseMappedPages() }
        return outcome
    }

    /// Stores what a peer has acknowledged.
    ///
    /// - Parameters:
    ///   - text: the position that the peer has stored.
    ///   - feed: the changes for the peer, of which there were none after the position; nil if there may be some.
    package func acknowledge(_ text: String, _ feed: SyncFeed?, by peer: SyncPeerRow) throws {
        var row = peer
        (row.acknowledged, row.searched) = (text, feed?.position.text ?? "")
        row.at = engine.wallClock
        try set(row)
    }

    /// Returns what is kept about a store that was a peer once; nil for none.
    func droppedPeer(_ store: [UInt8]) throws(HealthStoreError) -> DroppedPeerRow? {
        try catalog(DroppedPeerRow?.none) { try HealthCatalog.droppedPeer(store: store, $0) }
    }

    /// - Parameter forgetting: whether to forget what came from the peer.
    private func set(_ row: SyncPeerRow, forgetting: Bool = false) throws {
        try engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in
                try HealthCatalog.prepare(transaction)
                let id = try HealthCatalog.set(row, transaction)
                if forgetting { try HealthCatalog.forgetReceived(from: id, transaction) }
            }
            return batch
        }
    }

    /// Forgets a peer. What came from it stays. Deletions are no longer kept for it. If it is synchronised again, it
    /// cannot bring back objects that it had at its last synchronisation and that were deleted here.
    ///
    /// - Parameter store: the id of the peer, or its name.
    /// - Returns: whether there was such a peer.
    @discardableResult
    public func removePeer(_ store: String) throws(HealthStoreError) -> Bool {
        let rows = try catalog([]) { try HealthCatalog.peers($0) }
        guard let row = rows.first(where: { $0.name == store || SampleIdentity($0.store).description == store })
        else { return false }
        do {
            try engine.write { _ in
                var batch = WriteBatch()
                batch.inCommit = { transaction, _ in _ = try HealthCatalog.removePeer(row.id, transaction) }
                return batch
            }
        } catch {
            throw (error as? StoreError).map { HealthStoreError($0) } ?? HealthStoreError(.corrupt, "\(error)")
        }
        return true
    }
}
