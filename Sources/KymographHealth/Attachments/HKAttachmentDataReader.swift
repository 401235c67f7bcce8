// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthModel

/// Reads the bytes of an attachment: at once, or as an asynchronous sequence.
public final class HKAttachmentDataReader: Sendable {
    /// The attachment.
    public let attachment: HKAttachment
    /// The progress of the reading: the number of bytes read, of ``HKAttachment/size``. Cancellation ends the reading
    /// with `CancellationError`.
    public let progress: Progress
    private let healthStore: HKHealthStore

    init(_ attachment: HKAttachment, _ healthStore: HKHealthStore) {
        self.attachment = attachment
        self.healthStore = healthStore
        progress = Progress(totalUnitCount: Int64(attachment.size))
    }

    /// All bytes of the attachment. Each access reads them from the store.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` if the attachment was removed or may not be read,
    ///   `errorDatabaseInaccessible`, also for damaged bytes; `CancellationError`.
    public var data: Data {
        get async throws {
            let (store, identifier, progress) = (healthStore, attachment.identifier, progress)
            return try await Self.cancelling(progress) {
                try await BlockingQueue.result { () throws(HKError) in
                    let read = try store.store().open(attachment: identifier)
                    var data = Data(capacity: read.bytes)
                    try read.forEach(progress) { piece, _ in data.append(piece) }
                    return data
                }
            }
        }
    }

    /// The bytes of the attachment, one by one. Each iterator reads them from the beginning, in pieces.
    ///
    /// The sequence throws the errors of ``data``.
    public var bytes: HKAttachment.AsyncBytes {
        HKAttachment.AsyncBytes(healthStore, attachment.identifier, progress)
    }

    /// Runs a reading, which a cancellation of the task or of the progress ends with `CancellationError`.
    fileprivate static func cancelling<R: Sendable>(
        _ progress: Progress, _ body: () async throws -> R
    ) async throws -> R {
        do {
            return try await withTaskCancellationHandler(operation: body) { progress.cancel() }
        } catch HKError.errorUserCanceled {
            throw CancellationError()
        }
    }
}

extension HKAttachment {
    /// The bytes of an attachment as an asynchronous sequence. Each iterator reads them from the beginning.
    public struct AsyncBytes: AsyncSequence, Sendable {
        /// A byte.
        public typealias Element = UInt8

        fileprivate let healthStore: HKHealthStore
        fileprivate let identifier: UUID
        fileprivate let progress: Progress

        fileprivate init(_ healthStore: HKHealthStore, _ identifier: UUID, _ progress: Progress) {
            (self.healthStore, self.identifier, self.progress) = (healthStore, identifier, progress)
        }

        /// Creates an iterator from the first byte.
        public func makeAsyncIterator() -> Iterator { Iterator(self) }

        /// An iterator that reads about 1 MiB at a time.
        public struct Iterator: AsyncIteratorProtocol {
            private let sequence: AsyncBytes
            private var read: AttachmentRead?
            private var isDone = false
            /// The bytes that were read, and the number of bytes returned so far.
            private var buffer: [UInt8] = []
            private var position = 0
            private var done: Int64 = 0

            fileprivate init(_ sequence: AsyncBytes) { self.sequence = sequence }

            /// Returns the next byte, or nil at the end.
            ///
            /// - Throws: the errors of ``HKAttachmentDataReader/data``.
            public mutating func next() async throws -> UInt8? {
                if position == buffer.count, try await !fill() { return nil }
                defer { position += 1 }
                return buffer[position]
            }

            /// Reads the next bytes; returns false at the end.
            private mutating func fill() async throws -> Bool {
                buffer.removeAll(keepingCapacity: true)
                position = 0
                if isDone { return false }
                let (sequence, known) = (sequence, read)
                let (opened, pieces) = try await HKAttachmentDataReader.cancelling(sequence.progress) {
                    try await BlockingQueue.result { () throws(HKError) -> (AttachmentRead, [Data]?) in
                        try AttachmentRead.check(sequence.progress)
                        let read =
                            if let known { known } else {
                                try sequence.healthStore.store().open(attachment: sequence.identifier)
                            }
                        return (read, try read.next())
                    }
                }
                read = opened
                for piece in pieces ?? [] { buffer.append(contentsOf: piece) }
                isDone = pieces == nil
                done += Int64(buffer.count)
                sequence.progress.completedUnitCount = done
                return !buffer.isEmpty
            }
        }
    }
}
