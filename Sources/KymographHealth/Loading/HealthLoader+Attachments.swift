// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import HealthCatalog
import UniformTypeIdentifiers

/// The attachments of a load, before its commit.
struct PendingAttachments {
    /// The attachments that prescriptions name: the identity, and that of the prescription.
    var named: [(uuid: UUID, object: SampleIdentity)] = []
    /// Files that are written, with their rows. The commit makes them part of the store.
    var files: [(file: AttachedFileWriter, row: AttachedFileRow, attachment: AttachmentRow)] = []

    /// Ends the work on the files after the commit, or after a failure that leaves its outcome unknown.
    mutating func release() {
        for one in files { one.file.release() }
        files = []
    }

    /// Removes the files after a failure.
    mutating func abandon() {
        for one in files { one.file.abandon() }
        files = []
    }
}

// Attachments of imported prescriptions. An element `Attachment` has only an identifier. Where an export has the file
// is not published, so the file is found by its name: a static image or a PDF document whose name has the identifier.
extension HealthLoader {
    /// Records the attachments that the element of a prescription names.
    func note(_ element: SampleElement, of object: SampleIdentity) {
        attachments.named += element.attachments.map { ($0, object) }
    }

    /// Attaches the named files that this load or an earlier one brought, unless the store has the attachment.
    ///
    /// - Ordering: after all elements and documents are added.
    func settleAttachments() throws(HealthStoreError) {
        if attachments.named.isEmpty { return }
        let known = try store.catalog([AttachedFileRow]()) { try $0.attachedFiles() }
        var taken = Set(known.map(\.uuid))
        let files = try documentPlaces().values.sorted { $0.path < $1.path }
        for (uuid, object) in attachments.named {
            let identity = SampleIdentity(uuid).bytes
            guard taken.insert(identity).inserted, let found = Self.file(of: uuid, files),
                let bytes = try documentBytes(found.place), bytes.count <= AttachmentDraft.maximumBytes
            else { continue }
            try attach(bytes, identity, name: found.name, type: found.type, to: object)
        }
        attachments.named = []
    }

    /// Returns the file of an attachment, the first one by path.
    private static func file(
        of uuid: UUID, _ files: [(path: String, place: DocumentPlace)]
    ) -> (name: String, type: UTType, place: DocumentPlace)? {
        let text = uuid.uuidString.lowercased()
        for (path, place) in files {
            let name = String(path.split(separator: "/").last ?? "")
            guard name.lowercased().contains(text), name.utf8.count <= AttachmentDraft.maximumNameBytes,
                let dot = name.lastIndex(of: "."),
                let type = UTType(filenameExtension: String(name[name.index(after: dot)...])),
                AttachmentDraft.isAttachable(type)
            else { continue }
            return (name, type, place)
        }
        return nil
    }

    private func attach(
        _ bytes: [UInt8], _ identity: [UInt8], name: String, type: UTType, to object: SampleIdentity
    ) throws(HealthStoreError) {
        let row = AttachmentRow(
            uuid: identity, object: object.bytes, name: name, type: type.identifier, bytes: Int64(bytes.count),
            created: SystemClock.wallNanoseconds())
        try write(row, bytes)
    }

    /// Writes the file of an attachment, which the commit makes a part of the store.
    ///
    /// - Requires: no attached file, not even a retired one, has the identity.
    func write(_ attachment: AttachmentRow, _ content: [UInt8]) throws(HealthStoreError) {
        try inEngine { () throws(StoreError) in
            let file = try store.engine.createAttachedFile(uuid: attachment.uuid)
            do throws(StoreError) {
                try file.append(content, 0..<content.count)
                attachments.files.append((file, try file.finish(), attachment))
            } catch {
                file.abandon()
                throw error
            }
        }
    }

    /// Writes the rows of the attachments, inside the commit's transaction.
    ///
    /// - Ordering: after the saved objects.
    func insertAttachments(_ transaction: CatalogTransaction) throws {
        for one in attachments.files {
            try transaction.insert(attachedFile: one.row)
            try HealthCatalog.insert(one.attachment, transaction)
        }
    }
}
