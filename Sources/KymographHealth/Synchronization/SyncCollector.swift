// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog

/// Reads the changes of a store for a peer, page by page, as of one commit. Changes that came from the peer are left
/// out.
struct SyncCollector {
    /// Bytes after which a page ends. Samples that start together with its last one still follow.
    static let mostBytes = 1 << 20
    /// The most rows that are read from a table at once.
    static let mostRows = 256

    let store: HealthStore
    let view: HealthView
    /// The commits that store changes of the peer, ascending.
    let received: [ClosedRange<Int64>]
    /// The documents that came from the peer.
    let receivedDocuments: Set<Int64>
    let selection: SyncSelection
    var position: SyncPosition
    var names: SyncNames
    var encoder: ChangeBlockEncoder
    var page = SyncPage()
    var writer = ByteWriter()
    /// The bytes of the page besides those of its blocks.
    var otherBytes = 0
    /// The number of changes that came from the peer.
    var skipped = 0

    init(_ store: HealthStore, _ view: HealthView, _ feed: SyncFeed) throws(HealthStoreError) {
        self.store = store
        self.view = view
        let peer = feed.peer
        (received, receivedDocuments) = try store.catalog(([], [])) {
            (try HealthCatalog.commits(of: peer, $0), try HealthCatalog.documents(of: peer, $0))
        }
        selection = feed.selection
        position = feed.position
        names = feed.names
        encoder = ChangeBlockEncoder(store: store.engine.storeIdentity)
    }

    /// Returns the next page, and moves the feed behind it.
    mutating func collect(_ feed: inout SyncFeed) throws -> SyncPage {
        if position.end == nil {
            position.end = store.engine.anchor(at: view.snapshot)
            position.enter(.values)
        }
        while hasRoom {
            guard try collectPart() else { continue }
            guard let next = SyncPosition.Part(rawValue: position.part.rawValue + 1) else {
                position.endWindow()
                page.isLast = position.first == view.snapshot.sequence
                break
            }
            position.enter(next)
            // The receiver counts the samples of a workout, which it must have.
            let hasWorkouts = next == .rewrites || next == .objects && position.first == 0
            if hasWorkouts, page.samples > 0, try hasRewrites() { break }
        }
        try addVersions()
        page.bytes = writer.bytes
        var (names, page) = (names, page)
        try store.catalog(()) { try names.finish(&page, $0) }
        page.position = position.text
        feed.names = names
        feed.position = position
        feed.skipped += skipped
        return page
    }

    var hasRoom: Bool { writer.count + otherBytes < Self.mostBytes }

    func isReceived(_ commit: Int64) -> Bool {
        let place = received.indices.partitioningIndex { received[$0].upperBound >= commit }
        return place < received.count && received[place].contains(commit)
    }

    /// Adds changes of the position's part; returns whether these were the last ones.
    private mutating func collectPart() throws -> Bool {
        switch position.part {
        case .values: try collectValues()
        case .deadObjects: try collectDeadObjects()
        case .unknownDeletions: try collectUnknownDeletions()
        case .deletions: try collectDeletions()
        case .samples: try collectSamples()
        case .elements: try collectElements()
        case .documents: try collectDocuments()
        case .objects: try collectObjects()
        case .rewrites: try collectRewrites()
        case .attachments: try collectAttachments()
        }
    }

    // MARK: - Values

    private mutating func collectValues() throws -> Bool {
        let identity = store.identity
        var values = try store.catalog(SyncValues()) { try SyncValues(of: identity, $0) }
        if let types = selection.types { values.keepCharacteristics(types) }
        let digest = values.digest
        if digest != position.values {
            page.values = values
            position.values = digest
            otherBytes += values.bytes.count
        }
        return true
    }

    // MARK: - Deletions

    private mutating func collectDeadObjects() throws -> Bool {
        let rows = try changedObjects(.died)
        for row in rows {
            (position.commit, position.number) = (row.died ?? position.last, row.id)
            // An object that was replaced under its identity is there.
            let isLeftOut = isReceived(position.commit) || !selection.contains(type: row.type) || row.isPruned
            if try isLeftOut || isLive(row) {
                skipped += 1
                continue
            }
            page.deadObjects.append(.init(uuid: row.uuid, type: row.type, start: row.start))
            otherBytes += 24 + row.type.utf8.count
        }
        return rows.count < Self.mostRows
    }

    /// Adds the sync identifiers of the page's deleted samples and objects.
    private mutating func addVersions() throws {
        let dead = Set(page.deadObjects.map(\.uuid) + page.deadSamples.map(\.identity.bytes))
        if dead.isEmpty { return }
        for row in try store.catalog([SyncRow](), { try HealthCatalog.syncRows(ofObjects: dead, $0) }) {
            names.add(source: row.source, view.tables, &page)
            page.deadVersions.append(
                .init(
                    uuid: row.uuid, type: row.type, source: row.source, identifier: row.identifier,
                    version: row.version, start: row.start))
        }
    }

    private func isLive(_ row: SavedObjectRow) throws -> Bool {
        let rows = try store.catalog([SavedObjectRow?]()) { try HealthCatalog.savedObjects(uuids: [row.uuid], $0) }
        return (rows.first ?? nil) != nil
    }

    private mutating func collectUnknownDeletions() throws -> Bool {
        let (number, first, last) = (position.number, position.first, position.last)
        let rows = try store.catalog([SyncDeletionRow]()) {
            try HealthCatalog.syncDeletions(
                after: number, bornAfter: first, upTo: last, limit: Self.mostRows, $0)
        }
        for row in rows {
            position.number = row.id
            if !row.isOwn, isReceived(row.born) { continue }
            if !row.type.isEmpty, !selection.contains(type: row.type) { continue }
            page.deadObjects.append(.init(uuid: row.uuid, type: row.type, start: row.start))
            otherBytes += 24 + row.type.utf8.count
        }
        return rows.count < Self.mostRows
    }

    private mutating func collectDeletions() throws -> Bool {
        let first = max(position.first, position.commit)
        for deletion in view.snapshot.deletions(of: series, after: first, through: position.last) {
            // A page has all deletions of a commit.
            if deletion.commit > position.commit, !hasRoom { return false }
            position.commit = deletion.commit
            if isReceived(deletion.commit) {
                skipped += 1
                continue
            }
            guard let row = view.tables.bySeries[deletion.series.rawValue] else { continue }
            for identity in try identities(of: deletion) {
                names.add(row, view.tables, &page)
                page.deadSamples.append(.init(series: row.series, identity: identity, range: deletion.range))
                otherBytes += 40
            }
        }
        return true
    }

    /// Returns the identities of deleted samples. Those of a deletion by time range are read from the state before it;
    /// if the samples are erased, nothing is known about them. Rows of objects are deleted with their objects.
    private func identities(of deletion: ChangedDeletion) throws -> [SampleIdentity] {
        if let listed = deletion.samples { return listed }
        var found = [SampleIdentity]()
        do throws(StoreError) {
            let before = try store.engine.snapshot(view.snapshot, asOf: deletion.commit - 1)
            try before.scan([deletion.series], over: deletion.range, columns: [.starts, .ends, .identity, .metadata]) {
                batch throws(StoreError) in
                for place in 0..<batch.count where batch.metadata[place] >= 0 {
                    if let identity = batch.identity(at: place) { found.append(identity) }
                }
                return true
            }
        } catch {
            guard error.kind == .notRetained else { throw error }
        }
        return found
    }

    // MARK: - Samples

    /// The series of the health layer that the snapshot has.
    var series: [SeriesID] {
        view.tables.rows.series.filter { selection.contains(type: $0.type) }.map { SeriesID(rawValue: $0.series) }
            .filter { view.snapshot.has($0) }
    }

    private mutating func collectSamples() throws -> Bool {
        guard let end = position.end else { return true }
        let begun = position.samples ?? end.beginning(after: position.begin)
        var this = self
        let next = try store.engine.changes(
            ChangeRequest(of: series, limit: .max, columns: .all), since: begun, in: view.snapshot,
            onDeletions: { _ in }
        ) { batch in
            try this.add(batch)
            return this.hasRoom
        }
        self = this
        if !next.anchor.isInside { return true }
        position.samples = next.anchor
        return false
    }

    private mutating func add(_ batch: SampleBatch) throws {
        guard let row = view.tables.bySeries[batch.series.rawValue] else { return }
        let shared = batch.sharedCommit
        if let shared, isReceived(shared) {
            skipped += batch.count
            return
        }
        var rows = batch.transferred
        let from = selection.from ?? .min
        let isWhole = shared != nil && (rows.sharedMetadata ?? -1) >= 0 && from <= rows.starts.first ?? .min
        if !isWhole {
            let kept = (0..<rows.count).filter { place in
                rows.metadata(of: place) >= 0 && !isReceived(batch.born(at: place) ?? 0) && rows.starts[place] >= from
            }
            skipped += rows.count - kept.count
            if kept.isEmpty { return }
            rows = rows.rows(kept)
        }
        try add(rows, of: row)
    }

    /// Adds samples of a series to the page.
    mutating func add(_ rows: SampleRows, of row: HealthSeriesRow) throws {
        names.add(row, view.tables, &page)
        try names.add(rows, view.tables, &page)
        let start = writer.count
        try encoder.encode(rows, series: row.series, place: page.blocks.count, into: &writer)
        page.blocks.append(.init(series: row.series, range: start..<writer.count))
        page.samples += rows.count
    }
}
