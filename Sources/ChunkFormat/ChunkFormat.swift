// SPDX-License-Identifier: Apache-2.0

// ChunkFormat: converts the bytes of one segment to samples and back; it opens no files.
//
// `Docs/Format/Segment.md` and `Docs/Format/Block.md` describe the bytes; a test compares their field tables with the
// layouts here. Numbers in this module are stored on disk: existing ones never change, new ones may be added.

/// The constants of format version 1.
package enum SegmentFormat {
    /// The version of plain segments.
    package static let version: UInt16 = 1
    /// The version of encrypted segments.
    package static let encryptedVersion: UInt16 = 2
    /// The feature bit of an encrypted segment.
    package static let encryptedFeature: UInt16 = 1
    /// The first bytes of a segment file.
    package static let magic: [UInt8] = Array("KYMOKSEG".utf8)
    /// The magic bytes at the end of a segment file, before its last checksum.
    package static let endMagic: [UInt8] = Array("KSEGDONE".utf8)
    /// Size of a store's or segment's id in bytes.
    package static let idBytes = 16
    /// Size of the checksum that ends every unit, in bytes.
    package static let trailerBytes = 4
    /// Spare bytes that a decoder needs after its input, so that wide loads need no bounds check.
    package static let spareBytes = 64
    /// Maximum number of samples in a block.
    package static let maximumSamples = 6144
    /// Maximum number of samples in a block of the tail, and in a block that is cut on a grid.
    package static let usualSamples = 1536
    /// Maximum size of a block in bytes; nine columns of raw numbers of a usual block need less than half of this.
    package static let maximumBlockBytes = 262_144
    /// Maximum size of an index page in bytes.
    package static let maximumPageBytes = 65_536
    /// Maximum number of runs in a segment.
    package static let maximumRuns = 1 << 20
    /// Maximum number of levels in a run's index; 64 to the power of 8 blocks exceed any file.
    package static let maximumLevels: UInt8 = 8
}

/// The first byte of every unit between header and end of a segment file. Zero is never valid.
package enum UnitKind: UInt8, Sendable, CaseIterable {
    /// A page of a run's index; `TimeIndex` encodes and decodes it.
    case indexPage = 0xA1
    /// A block of samples.
    case block = 0xB1
    /// The list of runs.
    case directory = 0xD1
    /// The end of the file.
    case footer = 0xF1
}

/// A field at a fixed offset in a header, as the format pages list it.
package struct Field: Sendable, Equatable {
    /// The field's name in the table of the format page.
    package let name: String
    /// Offset from the start of the unit, in bytes.
    package let offset: Int
    /// Size in bytes.
    package let size: Int

    package init(_ name: String, at offset: Int, size: Int) {
        self.name = name
        self.offset = offset
        self.size = size
    }

    /// Returns the bytes of the field in a unit that starts at `base`.
    package func range(from base: Int) -> Range<Int> { base + offset..<base + offset + size }
}
