// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not the segment, block or directory that they should be.
package struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The few reasons that a caller may act on.
    package enum Kind: Sendable {
        /// The file does not begin as a segment does.
        case notASegment
        /// The file comes from a newer program; nothing else was looked at.
        case newerVersion
        /// Stored bytes and their checksum, or their identity, do not agree: the bytes changed or are another's.
        case checksum
        /// The bytes end before the unit does.
        case truncated
        /// The checksum agrees but the content breaks a rule of the format.
        case malformed
        /// The caller asked for something that the format cannot hold; no bytes are at fault.
        case misuse
    }

    /// Which of the few reasons.
    package let kind: Kind
    /// Where: the offset in the file, or in the catalog's tail the offset in the row's bytes.
    package let offset: UInt64
    /// What was found there, in words.
    package let what: String

    package init(_ kind: Kind, at offset: UInt64, _ what: String) {
        self.kind = kind
        self.offset = offset
        self.what = what
    }

    package var description: String {
        switch kind {
        case .notASegment: "not a segment file: \(what) (offset \(offset))"
        case .newerVersion: "written by a newer version: \(what) (offset \(offset)); update to read it"
        case .checksum: "checksum does not match at offset \(offset): \(what)"
        case .truncated: "cut off at offset \(offset): \(what)"
        case .malformed: "malformed at offset \(offset): \(what)"
        case .misuse: "cannot be stored: \(what)"
        }
    }

    /// The same error, with an offset that counts from the start of the file.
    func moved(by base: UInt64) -> FormatError { FormatError(kind, at: offset &+ base, what) }
}
