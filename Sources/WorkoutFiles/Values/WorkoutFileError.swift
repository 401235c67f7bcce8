// SPDX-License-Identifier: Apache-2.0

/// The reason why a file or the rest of a file cannot be read.
public struct WorkoutFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a problem.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The system cannot open or read the file.
        case unreadable
        /// The file is neither FIT nor TCX nor GPX.
        case unknownFormat
        /// A header is invalid.
        case badHeader
        /// The content is invalid.
        case malformed
        /// The file ends too early.
        case truncated
        /// A checksum is wrong, because bytes were changed. All values were read.
        case badChecksum
        /// The content exceeds a limit of the reader.
        case tooLarge
    }

    /// The kind of the problem.
    public let reason: Reason
    /// The byte offset in the file.
    public let offset: UInt64
    /// The description of the problem.
    public let what: String

    /// Creates an error.
    public init(_ reason: Reason, at offset: UInt64, _ what: String) {
        self.reason = reason
        self.offset = offset
        self.what = what
    }

    /// The byte offset and the description of the problem.
    public var description: String {
        reason == .unreadable || reason == .unknownFormat ? what : "byte \(offset): \(what)"
    }
}
