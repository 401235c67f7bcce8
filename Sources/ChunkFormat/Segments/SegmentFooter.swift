// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The last 96 bytes of a segment file, or 112 of an encrypted one: the position of the directory, totals, and the
/// file's identity.
package struct SegmentFooter: Sendable, Equatable {
    static let kind = Field("kind", at: 0, size: 1)
    static let reserved = Field("reserved", at: 1, size: 1)
    static let version = Field("version", at: 2, size: 2)
    static let length = Field("length", at: 4, size: 4)
    static let directoryOffset = Field("directoryOffset", at: 8, size: 8)
    static let directoryLength = Field("directoryLength", at: 16, size: 4)
    static let runs = Field("runs", at: 20, size: 4)
    static let blocks = Field("blocks", at: 24, size: 8)
    static let samples = Field("samples", at: 32, size: 8)
    static let minStart = Field("minStart", at: 40, size: 8)
    static let maxEnd = Field("maxEnd", at: 48, size: 8)
    static let blocksEnd = Field("blocksEnd", at: 56, size: 8)
    static let fileLength = Field("fileLength", at: 64, size: 8)
    static let headerCRC = Field("headerCRC", at: 72, size: 4)
    static let directoryCRC = Field("directoryCRC", at: 76, size: 4)
    static let reserved2 = Field("reserved2", at: 80, size: 4)
    static let endMagic = Field("endMagic", at: 84, size: 8)
    static let footerCRC = Field("footerCRC", at: 92, size: 4)

    /// The fields in order.
    package static let fields = [
        kind, reserved, version, length, directoryOffset, directoryLength, runs, blocks, samples, minStart, maxEnd,
        blocksEnd, fileLength, headerCRC, directoryCRC, reserved2, endMagic, footerCRC,
    ]
    /// Size of the footer of a plain segment in bytes.
    package static let size = 96
    /// Size of the footer of an encrypted segment in bytes.
    package static let encryptedSize = size + EncryptedUnit.tagBytes

    /// Offset of the run directory in the file.
    package var directoryOffset: UInt64 = 0
    /// Size of the run directory in bytes.
    package var directoryLength: UInt32 = 0
    /// Number of runs.
    package var runs: UInt32 = 0
    /// Number of blocks.
    package var blocks: UInt64 = 0
    /// Number of samples.
    package var samples: UInt64 = 0
    /// Earliest start, ns since 1970 UTC.
    package var minStart: Int64 = 0
    /// Latest end, ns since 1970 UTC.
    package var maxEnd: Int64 = 0
    /// Offset of the end of the last block.
    package var blocksEnd: UInt64 = 0
    /// Size of the whole file in bytes.
    package var fileLength: UInt64 = 0
    /// The header's checksum.
    package var headerCRC: UInt32 = 0
    /// The run directory's checksum.
    package var directoryCRC: UInt32 = 0
    /// The footer's own checksum, set by encoding or decoding. With `fileLength` it identifies the file.
    package private(set) var checksum: UInt32 = 0

    package init() {}

    private static func identity(_ header: SegmentHeader, at position: UInt64) -> BlockIdentity {
        BlockIdentity(store: header.store, segment: header.segment, series: 0, position: position)
    }

    mutating func encode(
        into writer: inout ByteWriter, header: SegmentHeader, _ closer: inout UnitCloser
    ) throws(FormatError) {
        let start = writer.count
        writer.put(UnitKind.footer.rawValue)
        writer.put(UInt8(0))
        writer.put(header.formatVersion)
        writer.put(UInt32(Self.size))
        writer.put(directoryOffset)
        writer.put(directoryLength)
        writer.put(runs)
        writer.put(blocks)
        writer.put(samples)
        writer.put(minStart)
        writer.put(maxEnd)
        writer.put(blocksEnd)
        writer.put(fileLength)
        writer.put(headerCRC)
        writer.put(directoryCRC)
        writer.put(UInt32(0))
        writer.put(bytes: SegmentFormat.endMagic)
        let identity = Self.identity(header, at: fileLength &- UInt64(header.footerLength))
        try closer.close(&writer, from: start, of: identity)
        checksum = load32(writer.bytes, writer.count - SegmentFormat.trailerBytes)
    }

    /// Decodes the footer from the last bytes of a file, 96 or 112 of an encrypted one, and checks it against the
    /// file's length and header. The directory's checksum is compared when the directory is read.
    package static func decode(
        _ bytes: [UInt8], fileLength: UInt64, header: SegmentHeader, key: SegmentKey? = nil
    ) throws(FormatError) -> SegmentFooter {
        guard (key == nil) == (header.encryption == nil) else {
            throw FormatError(.needsKey, at: 0, "the footer of an encrypted segment")
        }
        let size = header.footerLength
        let smallest = UInt64(header.length + size)
        guard fileLength >= smallest, bytes.count >= size else {
            throw FormatError(.truncated, at: fileLength, "the file is shorter than header and footer")
        }
        let base = fileLength - UInt64(size)
        let isFooter =
            bytes[kind.offset] == UnitKind.footer.rawValue
            && (key != nil
                ? load32(bytes, length.offset) == UInt32(size)
                : bytes[endMagic.range(from: 0)].elementsEqual(SegmentFormat.endMagic))
        guard isFooter else { throw FormatError(.truncated, at: base, "the file does not end with a footer") }
        let identity = identity(header, at: base)
        guard let key else {
            var unitChecksum = UnitChecksum()
            do throws(FormatError) {
                try unitChecksum.verify(bytes, at: 0, length: Self.size, of: identity, "footer")
            } catch { throw error.moved(by: base) }
            let checksum = load32(bytes, footerCRC.offset)
            return try decode(opened: bytes, checksum: checksum, fileLength: fileLength, header: header)
        }
        let checksum = load32(bytes, size - SegmentFormat.trailerBytes)
        var plain = bytes
        var opener = UnitOpener()
        _ = try opener.open(&plain, at: 0, length: size, of: identity, key: key, "footer")
        return try decode(opened: plain, checksum: checksum, fileLength: fileLength, header: header)
    }

    /// Decodes a footer that was opened.
    private static func decode(
        opened bytes: [UInt8], checksum: UInt32, fileLength: UInt64, header: SegmentHeader
    ) throws(FormatError) -> SegmentFooter {
        let base = fileLength - UInt64(header.footerLength)
        guard bytes.count >= Self.size else { throw FormatError(.truncated, at: base, "the footer") }
        var footer = SegmentFooter()
        footer.directoryOffset = load64(bytes, directoryOffset.offset)
        footer.directoryLength = load32(bytes, directoryLength.offset)
        footer.runs = load32(bytes, runs.offset)
        footer.blocks = load64(bytes, blocks.offset)
        footer.samples = load64(bytes, samples.offset)
        footer.minStart = Int64(bitPattern: load64(bytes, minStart.offset))
        footer.maxEnd = Int64(bitPattern: load64(bytes, maxEnd.offset))
        footer.blocksEnd = load64(bytes, blocksEnd.offset)
        footer.fileLength = load64(bytes, Self.fileLength.offset)
        footer.headerCRC = load32(bytes, headerCRC.offset)
        footer.directoryCRC = load32(bytes, directoryCRC.offset)
        footer.checksum = checksum
        let plain = bytes[reserved.offset] == 0 && load32(bytes, reserved2.offset) == 0
        guard plain, load16(bytes, version.offset) == header.formatVersion,
            load32(bytes, length.offset) == UInt32(size),
            header.encryption == nil || bytes[endMagic.range(from: 0)].elementsEqual(SegmentFormat.endMagic)
        else { throw FormatError(.malformed, at: base, "version, length or reserved bytes of the footer") }
        try footer.check(fileLength: fileLength, header: header)
        return footer
    }

    private func check(fileLength actual: UInt64, header: SegmentHeader) throws(FormatError) {
        let base = actual - UInt64(header.footerLength)
        func fail(_ what: String) -> FormatError { FormatError(.malformed, at: base, what) }
        guard fileLength == actual else { throw fail("written for a file of \(fileLength) bytes, not \(actual)") }
        guard headerCRC == header.checksum else { throw fail("it belongs to another header") }
        guard blocksEnd >= UInt64(header.length), blocksEnd <= directoryOffset, directoryOffset <= base,
            UInt64(directoryLength) == base - directoryOffset
        else { throw fail("the directory has an impossible position") }
        let room = blocksEnd - UInt64(header.length)
        guard blocks >= 1, blocks <= room / UInt64(BlockHeader.minimumBlockBytes) else {
            throw fail("\(blocks) blocks")
        }
        guard samples >= blocks, (samples - 1) / UInt64(SegmentFormat.maximumSamples) < blocks else {
            throw fail("\(samples) samples in \(blocks) blocks")
        }
        guard runs >= 1, UInt64(runs) <= min(blocks, UInt64(SegmentFormat.maximumRuns)) else {
            throw fail("\(runs) runs")
        }
        guard minStart <= maxEnd else { throw fail("it ends before it starts") }
    }
}
