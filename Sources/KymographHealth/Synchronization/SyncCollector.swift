// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog

/// Reads the changes of a store for a peer, page by page, as of one commit. Changes that came from the peer are left
/// out.
struct SyncCollector {
    /// Bytes after which a page ends. Samples that start together with its last one still follow.
    private static let mostBytes = 1 << 20
    /// The most rows that are read from a table at once.
    private static let mostRows = 256

    private let store: HealthStore
    private let view: HealthView
    /// The commits that store changes of the peer, ascending.
    private let received: [ClosedRange<Int64>]
    /// The documents that came from the peer.
    private let receivedDocuments: Set<Int64>
    private let selection: SyncSelection
    private var position: SyncPosition
    private var names: SyncNames
    private var encoder: ChangeBlockEncoder
    private var page = SyncPage()
    private var writer = ByteWriter()
    /// The bytes of the page besides those of its blocks.
    private var otherBytes = 0
    /// The number of changes that came from the peer.
    private var skipped = 0

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
            if next == .rewrites, page.samples > 0, try hasRewrites() { break }
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

    private var hasRoom: Bool { writer.count + otherBytes < Self.mostBytes }

    private func isReceived(_ commit: Int64) -> Bool {
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
    private var series: [SeriesID] {
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
    private mutating func add(_ rows: SampleRows, of row: HealthSeriesRow) throws {
        names.add(row, view.tables, &page)
        try names.add(rows, view.tables, &page)
        let start = writer.count
        try encoder.encode(rows, series: row.series, place: page.blocks.count, into: &writer)
        page.blocks.append(.init(series: row.series, range: start..<writer.count))
        page.samples += rows.count
    }

    // MARK: - Elements, documents and objects

    private mutating func collectElements() throws -> Bool {
        if selection.types != nil { return true }
        let (number, first, last, seq) = (position.number, position.first, position.last, view.snapshot.sequence)
        let rows = try store.catalog([ElementRow]()) {
            try HealthCatalog.changedElements(
                after: number, bornAfter: first, upTo: last, liveAt: seq, limit: Self.mostRows, $0)
        }
        for row in rows {
            position.number = row.id
            if isReceived(row.born) || row.start ?? .max < selection.from ?? .min {
                skipped += 1
                continue
            }
            _ = names.insert(element: row.id)
            page.elements.append(row)
            otherBytes += row.body.count + 40
        }
        return rows.count < Self.mostRows
    }

    private mutating func collectDocuments() throws -> Bool {
        if !selection.isWhole { return true }
        let after = position.document
        let rows = try store.catalog([DocumentRow]()) {
            try HealthCatalog.documents(after: after, limit: Self.mostRows, $0)
        }
        for row in rows {
            if !hasRoom { return false }
            position.document = row.id
            if receivedDocuments.contains(row.id) { continue }
            guard let body = try store.catalog([UInt8]?.none, { try HealthCatalog.documentBody(id: row.id, $0) })
            else { continue }
            page.documents.append(.init(row: row, body: body))
            otherBytes += body.count + row.path.utf8.count + 40
        }
        return rows.count < Self.mostRows
    }

    private mutating func collectObjects() throws -> Bool {
        let rows = try changedObjects(.born)
        for row in rows {
            if !hasRoom { return false }
            (position.commit, position.number) = (row.born, row.id)
            if isReceived(row.born) || !selection.contains(row.type, start: row.start) {
                skipped += 1
                continue
            }
            page.objects.append(row)
            otherBytes += row.body.count + row.type.utf8.count + 64
            try names.add(provenance: row.provenance, view.tables, &page)
            names.add(metadata: row.metadata)
            if let element = try row.element?.object { try addKey(ofElement: element) }
            try addRows(of: row)
        }
        return rows.count < Self.mostRows
    }

    private func rewrites(_ limit: Int) throws -> [(row: SavedObjectRow, rewritten: Int64)] {
        let (number, first, last) = (position.number, position.first, position.last)
        return try store.catalog([]) {
            try HealthCatalog.rewrittenObjects(after: number, bornAfter: first, upTo: last, limit: limit, $0)
        }
    }

    private func hasRewrites() throws -> Bool { try !rewrites(1).isEmpty }

    /// Adds workouts with additions, without the rows that belong to objects: workouts have none.
    private mutating func collectRewrites() throws -> Bool {
        let rows = try rewrites(Self.mostRows)
        for (row, rewritten) in rows {
            if !hasRoom { return false }
            position.number = row.id
            // The part before has the new objects of this store.
            let isNew = row.born > position.first && !isReceived(row.born)
            if isNew || isReceived(rewritten) || !selection.contains(row.type, start: row.start) { continue }
            page.objects.append(row)
            otherBytes += row.body.count + 100
            try names.add(provenance: row.provenance, view.tables, &page)
            names.add(metadata: row.metadata)
            if let element = try row.element?.object { try addKey(ofElement: element) }
        }
        return rows.count < Self.mostRows
    }

    private mutating func collectAttachments() throws -> Bool {
        let (number, first, last) = (position.number, position.first, position.last)
        let rows = try store.catalog([(Int64, Int64, AttachmentRow)]()) {
            try HealthCatalog.attachments(
                after: number, bornAfter: first, upTo: last, limit: Self.mostRows, $0)
        }
        for (id, born, row) in rows {
            if !hasRoom { return false }
            position.number = id
            guard !isReceived(born), let object = try object(of: row),
                selection.contains(object.type, start: object.start), let content = try content(of: row)
            else { continue }
            page.attachments.append(.init(row: row, content: content, named: try named(object)))
            otherBytes += content.count + 200
        }
        return rows.count < Self.mostRows
    }

    private func object(of attachment: AttachmentRow) throws -> SavedObjectRow? {
        try store.catalog([SavedObjectRow?]()) { try HealthCatalog.savedObjects(uuids: [attachment.object], $0) }
            .first ?? nil
    }

    /// Returns the sync identifier of an object; nil if it has none.
    private mutating func named(_ object: SavedObjectRow) throws -> SyncPage.Named? {
        guard object.metadata > 0, let source = try view.tables.provenance(object.provenance)?.source,
            let body = try store.catalog([:], { try HealthCatalog.metadataBodies(ids: [object.metadata], $0) })[
                object.metadata],
            case .string(let text)? = try HealthMetadata(decoding: body).values[HKMetadataKeySyncIdentifier]
        else { return nil }
        names.add(source: source, view.tables, &page)
        return .init(type: object.type, source: source, identifier: text)
    }

    /// Returns the content of an attachment; nil if it was removed meanwhile.
    private func content(of row: AttachmentRow) throws -> [UInt8]? {
        guard let file = try store.catalog(nil as AttachedFileRow?, { try $0.attachedFile(row.uuid) }), file.died == nil
        else { return nil }
        var content: [UInt8] = []
        content.reserveCapacity(Int(row.bytes))
        let reader = try store.engine.openAttachedFile(file)
        while try reader.read({ bytes, range in content += bytes[range] }) {}
        return content
    }

    private mutating func addKey(ofElement id: Int64) throws {
        guard id != CorrelationBody.Element.erased, names.insert(element: id) else { return }
        let rows = try store.catalog([ElementRow]()) { try HealthCatalog.objects(ids: [id], $0) }
        for row in rows { page.elementKeys.append(.init(id: row.id, kind: row.kind, digest: row.digest)) }
    }

    /// Adds the rows that belong to an object: the quantities of a series, or the locations of a route.
    private mutating func addRows(of object: SavedObjectRow) throws {
        let wanted: [(type: String, unit: String)]
        switch SavedObjectKind(rawValue: object.kind) {
        case .quantitySeries: wanted = [(object.type, try QuantitySeriesRecord(object.body).unit)]
        case .workoutRoute: wanted = try RouteRecord(object.body).columns.map { ($0.seriesType, $0.unit) }
        case .correlation, .heartbeatSeries, .electrocardiogram, .workout, .effort, .fields, nil: return
        }
        let source = try view.tables.provenance(object.provenance)?.source
        let mark = QuantitySeriesRecord.mark(of: object.id)
        for (type, unit) in wanted {
            for row in view.tables.byType[type] ?? []
            where row.source == source && row.unit == unit && view.snapshot.has(SeriesID(rawValue: row.series)) {
                var parts = [SampleRows]()
                try view.snapshot.scan([SeriesID(rawValue: row.series)], over: object.rowRange, columns: .all) {
                    batch throws(StoreError) in
                    let rows = batch.transferred
                    let kept = (0..<rows.count).filter { rows.metadata(of: $0) == mark }
                    if !kept.isEmpty { parts.append(kept.count == rows.count ? rows : rows.rows(kept)) }
                    return true
                }
                for part in parts { try add(part, of: row) }
            }
        }
    }

    private func changedObjects(_ event: HealthCatalog.ChangeOfObject) throws -> [SavedObjectRow] {
        let place = position.commit == 0 ? (position.first, Int64.max) : (position.commit, position.number)
        let (last, seq) = (position.last, view.snapshot.sequence)
        return try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.changedObjects(
                event, after: place, upTo: last, liveAt: seq, limit: Self.mostRows, $0)
        }
    }
}
