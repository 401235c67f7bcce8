// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

// The attachments of a peer.
extension HealthLoader {
    /// Writes the files of new attachments. Attachments that were removed here, or whose objects are not here, are
    /// passed over.
    ///
    /// - Ordering: after the objects of the page.
    func add(attachmentsOf page: SyncPage, _ mapping: SyncMapping) throws(HealthStoreError) {
        if page.attachments.isEmpty { return }
        let uuids = page.attachments.map(\.row.uuid)
        guard Set(uuids).count == uuids.count else {
            throw HealthStoreError(.corrupt, "two attachments of the other store have one identity")
        }
        var known = try store.catalog(Set<[UInt8]>()) { try HealthCatalog.syncDeletions(of: uuids, $0) }
        known.formUnion(try store.catalog([AttachedFileRow]()) { try $0.attachedFiles() }.map(\.uuid))
        for one in page.attachments {
            var row = one.row
            try check(row)
            guard !known.contains(row.uuid), let object = try object(of: one, mapping) else {
                sync.passedObjects += 1
                if known.contains(row.uuid) { sync.use(.known, "attachment", row.uuid) }
                continue
            }
            row.object = object
            try write(row, one.content)
        }
    }

    /// - Throws: `corrupt` for an attachment that no store holds.
    private func check(_ row: AttachmentRow) throws(HealthStoreError) {
        if let metadata = row.metadata { _ = try HealthMetadata(decoding: metadata) }
        guard row.bytes <= AttachmentDraft.maximumBytes, row.name.utf8.count <= AttachmentDraft.maximumNameBytes else {
            throw HealthStoreError(.corrupt, "an attachment of the other store is too large")
        }
    }

    /// Returns the object of an attachment, or the version of its sync identifier that is here; nil without one.
    private func object(
        of one: SyncPage.Attachment, _ mapping: SyncMapping
    ) throws(HealthStoreError) -> [UInt8]? {
        if try isThere(object: one.row.object) { return one.row.object }
        guard let named = one.named else { return nil }
        let key = key(named.type, try mapping.source(named.source), named.identifier)
        let known = try stored(key)
        guard let newest = sync.versions[key]?.bytes ?? known?.uuid, try isThere(object: newest) else { return nil }
        return newest
    }

    private func isThere(object uuid: [UInt8]) throws(HealthStoreError) -> Bool {
        if sync.objects.contains(where: { $0.uuid == uuid }) { return true }
        let rows = try store.catalog([SavedObjectRow?]()) { try HealthCatalog.savedObjects(uuids: [uuid], $0) }
        guard let row = rows.first ?? nil else { return false }
        return !sync.deadObjects.contains { $0.id == row.id }
    }
}
