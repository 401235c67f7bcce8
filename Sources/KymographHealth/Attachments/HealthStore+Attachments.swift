// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
package import Foundation
import HealthCatalog
package import HealthModel
import UniformTypeIdentifiers

// Attachments: a row of the health layer's tables and an attached file of the engine, which one commit adds.
extension HealthStore {
    /// Copies a file into the store and attaches it to a saved object, durably.
    ///
    /// - Parameters:
    ///   - object: the identity of the object.
    ///   - revision: the program; nil for the owner of the store, who may attach to the objects of all programs.
    /// - Throws: `errorInvalidArgument` for an object that is not a stored vision prescription and for an unreadable
    ///   file, `errorAuthorizationDenied` for an object of another program and without permission,
    ///   `errorAuthorizationNotDetermined`, `errorDataSizeExceeded`, `errorDatabaseInaccessible`.
    /// - Complexity: reads and writes the file once, with the memory of one piece; three syncs and one commit.
    package func attach(
        _ draft: AttachmentDraft, to object: UUID, as revision: HKSourceRevision?
    ) throws(HKError) -> HKAttachment {
        try requireSharing([HKVisionPrescriptionTypeIdentifier])
        let identity = SampleIdentity(object).bytes
        _ = try attachable(identity, revision)
        return try HKError.converting {
            try engine.requireOwnProcess()
            let file = try engine.createAttachedFile()
            do {
                try draft.read { bytes, range in try file.append(bytes, range) }
                let row = try file.finish()
                // The person may have decided anew meanwhile.
                try requireSharing([HKVisionPrescriptionTypeIdentifier])
                let attachment = AttachmentRow(
                    uuid: row.uuid, object: identity, name: draft.name, type: draft.contentType.identifier,
                    bytes: row.bytes, created: SystemClock.wallNanoseconds(), metadata: draft.metadata)
                try write { transaction in
                    // Another call may have deleted the object meanwhile.
                    guard try HealthCatalog.savedObjects(uuids: [identity], transaction).first ?? nil != nil else {
                        throw Self.missing(object)
                    }
                    try transaction.insert(attachedFile: row)
                    try HealthCatalog.insert(attachment, transaction)
                }
                file.release()
                return try HKAttachment(attachment)
            } catch {
                // The next opening for writing removes the file if the commit did not happen.
                if (error as? HKError)?.isOutcomeUnknown ?? false { file.release() } else { file.abandon() }
                throw error
            }
        }
    }

    /// Removes an attachment of an object, durably. The file is deleted once no snapshot of an earlier commit is held.
    ///
    /// - Parameter revision: as in `attach`.
    /// - Throws: `errorInvalidArgument` for an attachment of another object, and the errors of `attach`.
    package func detach(
        _ attachment: UUID, from object: UUID, as revision: HKSourceRevision?
    ) throws(HKError) {
        try requireSharing([HKVisionPrescriptionTypeIdentifier])
        let (identity, file) = (SampleIdentity(object).bytes, SampleIdentity(attachment).bytes)
        _ = try attachable(identity, revision)
        try write { transaction in
            guard try HealthCatalog.remove(attachment: file, of: identity, transaction) else {
                throw HKError(
                    .errorInvalidArgument, reason: "the object has no such attachment", place: "\(attachment)",
                    advice: "use an attachment that attachments(for:) returned for this object")
            }
            try HealthCatalog.noteRemoved(attachments: [file], transaction)
        }
        removeRetiredFiles()
    }

    /// Returns the attachments of an object that the client may read, oldest first; none for any other object.
    ///
    /// - Complexity: O(attachments of the object).
    package func attachments(of object: UUID) throws(HKError) -> [HKAttachment] {
        try HKError.converting {
            let view = try currentView()
            let identity = SampleIdentity(object).bytes
            guard try isReadable(identity, view) else { return [] }
            return try catalog([AttachmentRow]()) { try HealthCatalog.attachments(of: identity, $0) }.map {
                try HKAttachment($0)
            }
        }
    }

    /// Returns all attachments that the client may read, with the identities of their objects, oldest first.
    ///
    /// - Complexity: O(attachments).
    package func attachments() throws(HKError) -> [(object: UUID, attachment: HKAttachment)] {
        try HKError.converting {
            let view = try currentView()
            return try catalog([AttachmentRow]()) { try HealthCatalog.attachments(of: nil, $0) }
                .filter { try isReadable($0.object, view) }
                .map { (SampleIdentity($0.object).uuid, try HKAttachment($0)) }
        }
    }

    /// Opens the file of an attachment, from its beginning.
    ///
    /// - Throws: `errorInvalidArgument` if there is no such attachment, or if the client may not read its object;
    ///   `errorDatabaseInaccessible`, also for damage.
    package func open(attachment: UUID) throws(HKError) -> AttachmentRead {
        try HKError.converting {
            let view = try currentView()
            let identity = SampleIdentity(attachment).bytes
            while true {
                let row = try catalog(nil as AttachmentRow?) { try HealthCatalog.attachment(identity, $0) }
                guard let row, try isReadable(row.object, view) else { throw Self.unknown(attachment) }
                let found = try catalog(nil as AttachedFileRow?) { try $0.attachedFile(identity) }
                guard let file = found, file.bytes == row.bytes else {
                    if try catalog(nil as AttachmentRow?, { try HealthCatalog.attachment(identity, $0) }) == nil {
                        throw Self.unknown(attachment)
                    }
                    throw HealthStoreError(.corrupt, "the attached file of attachment \(attachment) has no row")
                }
                do {
                    return AttachmentRead(try engine.openAttachedFile(file))
                } catch {
                    // Another process may have removed the attachment meanwhile.
                    if try catalog(nil as AttachmentRow?, { try HealthCatalog.attachment(identity, $0) }) != nil {
                        throw error
                    }
                }
            }
        }
    }

    /// Returns the number of attachments, and of their bytes.
    ///
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    public func attachmentCount() throws(HealthStoreError) -> (count: Int, bytes: Int64) {
        let found = try catalog((count: Int64(0), bytes: Int64(0))) { try HealthCatalog.attachmentCount($0) }
        return (Int(found.count), found.bytes)
    }

    /// Deletes the files of removed attachments. A failure is harmless: the periodic erasure repeats it.
    func removeRetiredFiles() { _ = try? engine.removeRetiredAttachedFiles() }

    // MARK: Objects

    /// Returns the row of a stored vision prescription of a program.
    private func attachable(_ identity: [UInt8], _ revision: HKSourceRevision?) throws(HKError) -> SavedObjectRow {
        try HKError.converting {
            let view = try currentView()
            let reader = try ObjectReader(self, view.tables)
            // The error is the same for an object that the client may not read.
            guard let row = try object(identity, view), row.type == HKVisionPrescriptionTypeIdentifier,
                try reader.mayRead(row)
            else { throw Self.missing(SampleIdentity(identity).uuid) }
            guard let revision else { return row }
            let source = try reader.origin(row.provenance).revision.source
            guard source == revision.source else {
                throw HKError(
                    .errorAuthorizationDenied, reason: "the object was saved by \(source)",
                    place: "\(SampleIdentity(identity).uuid)",
                    advice: "a program can change the attachments of its own objects only")
            }
            return row
        }
    }

    private func object(_ identity: [UInt8], _ view: HealthView) throws(HealthStoreError) -> SavedObjectRow? {
        let sequence = view.snapshot.sequence
        return try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity], asOf: sequence, $0)
        }.first ?? nil
    }

    private func isReadable(_ identity: [UInt8], _ view: HealthView) throws -> Bool {
        guard let row = try object(identity, view) else { return false }
        return try ObjectReader(self, view.tables).mayRead(row)
    }

    private static func missing(_ object: UUID) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the object is not a stored vision prescription", place: "\(object)",
            advice: "save the prescription first, or use a result of a query")
    }

    private static func unknown(_ attachment: UUID) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the attachment is not in the store", place: "\(attachment)",
            advice: "use an attachment that attachments(for:) returned")
    }
}
