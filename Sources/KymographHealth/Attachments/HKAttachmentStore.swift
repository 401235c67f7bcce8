// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
public import UniformTypeIdentifiers

/// Attaches files to saved objects, and reads, lists and removes them.
///
/// ```swift
/// let attachments = HKAttachmentStore(healthStore: health)
/// let scan = try await attachments.addAttachment(
///     to: prescription, name: "scan.pdf", contentType: .pdf, url: URL(fileURLWithPath: path))
/// let data = try await attachments.dataReader(for: scan).data
/// ```
///
/// Vision prescriptions have attachments: static images and PDF documents of at most 50 MiB. The file is copied into
/// the store, durably; its URL is not kept. Attachments follow their object: a program that may read the object may
/// read them, and a deletion of the object deletes them. `Docs/Guide/Attachments.md` has the rules.
public final class HKAttachmentStore: NSObject, Sendable {
    private let healthStore: HKHealthStore

    /// Creates an instance for the objects of a store.
    public init(healthStore: HKHealthStore) {
        self.healthStore = healthStore
        super.init()
    }

    // MARK: Adding

    /// Copies a file into the store and attaches it to a saved object of this program, durably.
    ///
    /// - Parameters:
    ///   - object: a saved vision prescription of this program.
    ///   - name: a name to show, of at most 4,096 bytes.
    ///   - contentType: an image type except GIF, or PDF. The content is not examined.
    ///   - url: the URL of a local file with at most 50 MiB.
    ///   - metadata: strings, numbers and dates.
    /// - Throws: ``HKError``: `errorInvalidArgument` for other arguments, `errorDataSizeExceeded`,
    ///   `errorAuthorizationDenied` for an object of another program and without permission to save prescriptions,
    ///   `errorAuthorizationNotDetermined`, `errorDatabaseInaccessible`.
    /// - Complexity: reads and writes the file once, with bounded memory.
    public func addAttachment(
        to object: HKObject, name: String, contentType: UTType, url: URL, metadata: [String: Any] = [:]
    ) async throws -> HKAttachment {
        let values = HealthMetadataValues(metadata)
        return try await BlockingQueue.result { () throws(HKError) in
            try self.add(object, try AttachmentDraft(name: name, contentType: contentType, url: url, metadata: values))
        }
    }

    /// Copies a file into the store and attaches it; the handler is called on a thread of the store. See
    /// `addAttachment(to:name:contentType:url:metadata:)`.
    @preconcurrency public func addAttachment(
        to object: HKObject, name: String, contentType: UTType, url: URL, metadata: [String: Any] = [:],
        completion: @escaping @Sendable (HKAttachment?, (any Error)?) -> Void
    ) {
        let values = HealthMetadataValues(metadata)
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.add(object, try AttachmentDraft(name: name, contentType: contentType, url: url, metadata: values))
        }
    }

    private func add(_ object: HKObject, _ draft: AttachmentDraft) throws(HKError) -> HKAttachment {
        try Self.requireAttachable(object)
        return try healthStore.store().attach(draft, to: object.uuid, as: healthStore.revision)
    }

    private static func requireAttachable(_ object: HKObject) throws(HKError) {
        guard object is HKVisionPrescription else {
            throw HKError(
                .errorInvalidArgument, reason: "objects of this class have no attachments", place: "\(object)",
                advice: "attach files to vision prescriptions")
        }
    }

    // MARK: Removing

    /// Removes an attachment from an object of this program, durably. The bytes are deleted, too.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` if the object is no stored vision prescription or does not have
    ///   the attachment, `errorAuthorizationDenied` for an object of another program and without permission to save
    ///   prescriptions, `errorAuthorizationNotDetermined`, `errorDatabaseInaccessible`.
    public func removeAttachment(_ attachment: HKAttachment, from object: HKObject) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.remove(attachment, object) }
    }

    /// Removes an attachment; the handler is called on a thread of the store. See `removeAttachment(_:from:)`.
    @preconcurrency public func removeAttachment(
        _ attachment: HKAttachment, from object: HKObject,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.remove(attachment, object) }
    }

    private func remove(_ attachment: HKAttachment, _ object: HKObject) throws(HKError) {
        try Self.requireAttachable(object)
        try healthStore.store().detach(attachment.identifier, from: object.uuid, as: healthStore.revision)
    }

    // MARK: Listing

    /// Returns the attachments of an object, oldest first; none for objects without attachments, for unsaved objects
    /// and for objects that may not be read.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func attachments(for object: HKObject) async throws -> [HKAttachment] {
        try await BlockingQueue.result { () throws(HKError) in
            try self.healthStore.store().attachments(of: object.uuid)
        }
    }

    /// Passes the attachments of an object to a handler, which is called on a thread of the store. See
    /// ``attachments(for:)``.
    @preconcurrency public func getAttachments(
        for object: HKObject, completion: @escaping @Sendable ([HKAttachment]?, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.healthStore.store().attachments(of: object.uuid)
        }
    }

    // MARK: Reading

    /// Returns a reader of the bytes of an attachment. It reads nothing before its first use.
    public func dataReader(for attachment: HKAttachment) -> HKAttachmentDataReader {
        HKAttachmentDataReader(attachment, healthStore)
    }

    /// Passes the bytes of an attachment to a handler, which is called once, on a thread of the store.
    ///
    /// The error is `errorInvalidArgument` if the attachment was removed or may not be read,
    /// `errorDatabaseInaccessible`, also for damaged bytes, or `errorUserCanceled` after a cancellation.
    /// - Returns: the progress, in bytes. Its cancellation ends the reading.
    @preconcurrency @discardableResult public func getData(
        for attachment: HKAttachment, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(attachment.size))
        BlockingQueue.run(completion) { () throws(HKError) in
            let read = try self.healthStore.store().open(attachment: attachment.identifier)
            var data = Data(capacity: read.bytes)
            try read.forEach(progress) { piece, _ in data.append(piece) }
            return data
        }
        return progress
    }

    /// Passes the bytes of an attachment to a handler in pieces of 64 KiB, in order, on a thread of the store.
    ///
    /// The third argument is true in the last call. After an error, which is the second argument, there is no further
    /// call. The errors are those of `getData(for:completion:)`.
    /// - Returns: the progress, in bytes. Its cancellation ends the reading.
    @preconcurrency @discardableResult public func streamData(
        for attachment: HKAttachment, dataHandler: @escaping @Sendable (Data?, (any Error)?, Bool) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(attachment.size))
        BlockingQueue.run {
            do throws(HKError) {
                let read = try self.healthStore.store().open(attachment: attachment.identifier)
                try read.forEach(progress) { piece, isLast in dataHandler(piece, nil, isLast) }
            } catch {
                dataHandler(nil, error, true)
            }
        }
        return progress
    }
}
