// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog

// Elements and files of imports, objects, and attachments.
extension SyncCollector {
    mutating func collectElements() throws -> Bool {
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

    mutating func collectDocuments() throws -> Bool {
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

    mutating func collectObjects() throws -> Bool {
        let rows = try changedObjects(.born)
        for row in rows {
            if !hasRoom { return false }
            (position.commit, position.number) = (row.born, row.id)
            if isReceived(row.born) || row.isPruned || !selection.contains(row.type, start: row.start) {
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

    private func rewrites(_ limit: Int) throws -> [(row: SavedObjectRow, isOwn: Bool, rewritten: Int64)] {
        let (number, first, last) = (position.number, position.first, position.last)
        return try store.catalog([]) {
            try HealthCatalog.rewrittenObjects(after: number, bornAfter: first, upTo: last, limit: limit, $0)
        }
    }

    func hasRewrites() throws -> Bool { try !rewrites(1).isEmpty }

    /// Adds workouts with additions, without the rows that belong to objects: workouts have none.
    mutating func collectRewrites() throws -> Bool {
        // A store with a part of the samples counts other statistics.
        if !selection.isWhole { return true }
        let rows = try rewrites(Self.mostRows)
        for (row, isOwn, rewritten) in rows {
            if !hasRoom { return false }
            position.number = row.id
            // The part before has the new objects of this store.
            let isNew = row.born > position.first && !isReceived(row.born)
            if isNew || !isOwn && isReceived(rewritten) { continue }
            page.objects.append(row)
            otherBytes += row.body.count + 100
            try names.add(provenance: row.provenance, view.tables, &page)
            names.add(metadata: row.metadata)
            if let element = try row.element?.object { try addKey(ofElement: element) }
        }
        return rows.count < Self.mostRows
    }

    mutating func collectAttachments() throws -> Bool {
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
        guard let text = try store.syncIdentifier(of: object),
            let source = try view.tables.provenance(object.provenance)?.source
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
        let wanted = try object.rowTypes
        if wanted.isEmpty { return }
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

    func changedObjects(_ event: HealthCatalog.ChangeOfObject) throws -> [SavedObjectRow] {
        let place = position.commit == 0 ? (position.first, Int64.max) : (position.commit, position.number)
        let (last, seq) = (position.last, view.snapshot.sequence)
        return try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.changedObjects(
                event, after: place, upTo: last, liveAt: seq, limit: Self.mostRows, $0)
        }
    }
}
