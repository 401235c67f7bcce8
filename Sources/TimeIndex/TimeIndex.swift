// SPDX-License-Identifier: Apache-2.0

// TimeIndex: the B-tree over the blocks of a run, with a summary in every entry: bytes to tree and back; it opens
// nothing.
//
// `Docs/Format/TimeIndex.md` describes the bytes; a test reads its field table and compares it with the layout here.

/// What is fixed about index pages of segment version 1.
package enum IndexFormat {
    /// The first byte of a page.
    package static let kind: UInt8 = 0xA1
    /// Most entries of a page.
    @usableFromInline package static let fanOut = 64
    /// Most levels of a tree.
    package static let maximumLevels: UInt8 = 8
    /// Most bytes of a page.
    package static let maximumPageBytes = 65_536
    /// Most bytes of a block, as the block's own format has it.
    package static let maximumBlockBytes: UInt32 = 262_144
    /// Most samples below an entry; sums of such counts do not overflow.
    package static let maximumSamples: Int64 = 1 << 40
    /// Bytes before the first column.
    package static let headerBytes = 24
    /// Bytes of the checksum behind the last column.
    package static let trailerBytes = 4
    /// Bytes that no page can be shorter than.
    @usableFromInline package static let minimumPageBytes = 48
    /// Spare bytes that the column decoder wants behind a page.
    package static let spareBytes = 64
    /// Bytes of a store's or segment's id.
    package static let idBytes = 16

    /// The fields of the fixed part in their order: name, offset, size.
    package static let fields: [(name: String, offset: Int, size: Int)] = [
        ("kind", 0, 1), ("level", 1, 1), ("count", 2, 2), ("length", 4, 4), ("series", 8, 8), ("firstOffset", 16, 8),
    ]
}

/// Why a page, or the way through the pages, is not what it should be.
package struct IndexError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The few reasons that a caller may act on.
    package enum Kind: Sendable {
        /// Stored bytes and their checksum, or their identity, do not agree.
        case checksum
        /// The bytes end before the page does.
        case truncated
        /// The checksum agrees but the content breaks a rule, or pages do not fit together.
        case malformed
        /// The page could not be read at all, because its file is damaged; the page source says so.
        case damaged
        /// The page could not be read at all, for a reason that says nothing of the file.
        case unreadable
        /// The caller asked for something that a page cannot hold.
        case misuse
    }

    /// Which of the few reasons.
    package let kind: Kind
    /// Offset in the file.
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
        case .checksum: "checksum of an index page does not match at offset \(offset): \(what)"
        case .truncated: "index page cut off at offset \(offset): \(what)"
        case .malformed: "malformed index page at offset \(offset): \(what)"
        case .damaged, .unreadable: "index page at offset \(offset) cannot be read: \(what)"
        case .misuse: "no index page can hold this: \(what)"
        }
    }
}
