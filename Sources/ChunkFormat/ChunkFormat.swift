// SPDX-License-Identifier: Apache-2.0

// ChunkFormat: the bytes of one segment to samples and back; it opens nothing.
//
// `Docs/Format/Segment.md` and `Docs/Format/Block.md` describe the bytes; a test reads their field tables and compares
// them with the layouts in this room. Numbers here stand on disk: they are never changed, only added to.

/// What is fixed about format version 1.
package enum SegmentFormat {
    /// The version that this code writes, and the greatest that it reads.
    package static let version: UInt16 = 1
    /// The first bytes of a segment file.
    package static let magic: [UInt8] = Array("KYMOKSEG".utf8)
    /// The bytes before the last checksum of a segment file.
    package static let endMagic: [UInt8] = Array("KSEGDONE".utf8)
    /// Bytes of a store's or a segment's id.
    package static let idBytes = 16
    /// Bytes of the checksum that ends every unit.
    package static let trailerBytes = 4
    /// Spare bytes that a decoder wants behind the bytes it decodes, so that wide loads need no care.
    package static let spareBytes = 64
    /// Most samples of one block.
    package static let maximumSamples = 1536
    /// Most bytes of one block; nine columns of raw numbers need less than half of it.
    package static let maximumBlockBytes = 262_144
    /// Most bytes of one index page.
    package static let maximumPageBytes = 65_536
    /// Most runs of one segment.
    package static let maximumRuns = 1 << 20
    /// Most levels of a run's index; 64 to the power of 8 blocks are more than any file holds.
    package static let maximumLevels: UInt8 = 8
}

/// The first byte of every unit between header and end of a segment file. Zero is never valid.
package enum UnitKind: UInt8, Sendable, CaseIterable {
    /// A page of a run's index. The `TimeIndex` room writes and reads it.
    case indexPage = 0xA1
    /// A block of samples.
    case block = 0xB1
    /// The list of runs.
    case directory = 0xD1
    /// The end of the file.
    case footer = 0xF1
}

/// A field of fixed place in a header, as the format pages list it.
package struct Field: Sendable, Equatable {
    /// The name in the page's field table.
    package let name: String
    /// Bytes from the start of the unit.
    package let offset: Int
    /// Bytes that it takes.
    package let size: Int

    package init(_ name: String, at offset: Int, size: Int) {
        self.name = name
        self.offset = offset
        self.size = size
    }

    /// The bytes of the field in a unit that starts at `base`.
    package func range(from base: Int) -> Range<Int> { base + offset..<base + offset + size }
}
