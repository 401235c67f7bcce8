// SPDX-License-Identifier: Apache-2.0

/// The reason why bytes are not a valid segment, block or directory.
package struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of error that a caller may act on.
    package enum Kind: Sendable {
        /// The file does not begin with the magic bytes of a segment.
        case notASegment
        /// A newer program wrote the file; the rest of it was not checked.
        case newerVersion
        /// The checksum does not match: the bytes changed, or they belong to another unit.
        case checksum
        /// The bytes end before the unit does.
        case truncated
        /// The checksum matches but the content violates a rule of the format.
        case malformed
        /// The checksum matches, but the bytes were not encrypted for this place with the key of the store.
        case forged
        /// The segment is encrypted, and its key is missing.
        case needsKey
        /// The cipher failed, for example for lack of memory; no stored bytes are damaged.
        case cipher
        /// The caller passed something that the format cannot hold; no stored bytes are damaged.
        case misuse
    }

    package let kind: Kind
    /// The offset in the file; for the catalog's tail, the offset in the row's bytes.
    package let offset: UInt64
    /// A description of the bytes found there.
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
        case .forged: "forged at offset \(offset): \(what)"
        case .needsKey: "no key for offset \(offset): \(what)"
        case .cipher: "cannot be encrypted or decrypted at offset \(offset): \(what)"
        case .misuse: "cannot be stored: \(what)"
        }
    }

    /// Returns the same error with `base` added to its offset.
    func moved(by base: UInt64) -> FormatError { FormatError(kind, at: offset &+ base, what) }
}
