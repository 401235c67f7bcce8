// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HealthModel

/// One reading of an attachment, from its beginning. One caller at a time.
package struct AttachmentRead: Sendable {
    private let file: AttachedFileReader

    init(_ file: AttachedFileReader) { self.file = file }

    /// The number of bytes.
    package var bytes: Int { Int(file.bytes) }

    /// Reads and verifies the next bytes, at most 1 MiB, as pieces of 64 KiB; the last piece of the attachment may be
    /// shorter. Nil at the end. An empty attachment has one empty piece.
    ///
    /// - Throws: `errorDatabaseInaccessible`, also for damage.
    package func next() throws(HKError) -> [Data]? {
        var pieces: [Data] = []
        let isThere = try HKError.converting {
            try file.read { bytes, content in pieces.append(Data(bytes[content])) }
        }
        return isThere ? pieces : nil
    }

    /// Passes all pieces to a closure, in order.
    ///
    /// - Parameters:
    ///   - progress: counts the bytes; its cancellation ends the reading.
    ///   - body: receives a piece, and whether it is the last one.
    /// - Throws: `errorUserCanceled`, and the errors of `next`.
    func forEach(_ progress: Progress, _ body: (_ piece: Data, _ isLast: Bool) -> Void) throws(HKError) {
        var done = 0
        while true {
            try Self.check(progress)
            guard let pieces = try next() else { return }
            for piece in pieces {
                done += piece.count
                progress.completedUnitCount = Int64(done)
                body(piece, done == bytes)
                if done < bytes { try Self.check(progress) }
            }
        }
    }

    /// - Throws: `errorUserCanceled` if the progress is cancelled.
    static func check(_ progress: Progress) throws(HKError) {
        guard progress.isCancelled else { return }
        throw HKError(.errorUserCanceled, reason: "the reading was cancelled", place: "HKAttachment")
    }
}
