// SPDX-License-Identifier: Apache-2.0

// TimeIndex: the B-tree over the blocks of a run, with a summary in every entry. Encodes and decodes trees; it opens no
// files.
//
// `Docs/Format/TimeIndex.md` describes the bytes; a test compares its field table with an encoded page.

/// The constants of index pages in segment version 1.
@usableFromInline
package enum IndexFormat {
    /// The first byte of a page.
    package static let kind: UInt8 = 0xA1
    /// Maximum number of entries in a page.
    @usableFromInline package static let fanOut = 64
    /// Maximum number of levels in a tree.
    package static let maximumLevels: UInt8 = 8
    /// Maximum size of a page in bytes.
    package static let maximumPageBytes = 65_536
    /// Maximum size of a block in bytes, as defined by the block format.
    package static let maximumBlockBytes: UInt32 = 262_144
    /// Maximum number of samples below an entry; sums of such counts do not overflow.
    package static let maximumSamples: Int64 = 1 << 40
    /// Bytes before the first column.
    package static let headerBytes = 24
    /// Size of the checksum after the last column, in bytes.
    package static let trailerBytes = 4
    /// Minimum size of a page in bytes.
    @usableFromInline package static let minimumPageBytes = 48
    /// Spare bytes that the column decoder needs after a page.
    package static let spareBytes = 64
    /// Size of a store's or segment's id in bytes.
    package static let idBytes = 16
}

/// The reason why a page, or a walk over pages, is invalid.
package struct IndexError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of error that a caller may act on.
    package enum Kind: Sendable {
        /// The checksum does not match: the bytes changed, or they belong to another page.
        case checksum
        /// The bytes end before the page does.
        case truncated
        /// The checksum matches but the content violates a rule, or pages do not match each other.
        case malformed
        /// The checksum matches, but the page was not encrypted for this place with the key of the store.
        case forged
        /// The page source could not read the page, because its file is damaged.
        case damaged
        /// The page source could not read the page, for a reason that does not indicate damage.
        case unreadable
        /// The caller passed something that a page cannot hold.
        case misuse
    }

    package let kind: Kind
    /// Offset in the file.
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
        case .checksum: "checksum of an index page does not match at offset \(offset): \(what)"
        case .truncated: "index page cut off at offset \(offset): \(what)"
        case .malformed: "malformed index page at offset \(offset): \(what)"
        case .forged: "forged index page at offset \(offset): \(what)"
        case .damaged, .unreadable: "index page at offset \(offset) cannot be read: \(what)"
        case .misuse: "cannot be stored in an index page: \(what)"
        }
    }
}
