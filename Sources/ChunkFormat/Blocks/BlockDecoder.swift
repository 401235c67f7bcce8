// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

/// Decodes the bytes of blocks to samples. It owns scratch space, so each thread needs its own decoder.
package struct BlockDecoder {
    private var unitChecksum = UnitChecksum()
    /// Whether checksums are verified; false for blocks that a `UnitOpener` has opened.
    package var isVerifying: Bool
    var codec = ColumnDecoder()
    /// A copy with spare bytes, for a caller's array without them.
    private var padded: [UInt8] = []
    /// Unused arrays of side columns.
    private var spare = SpareArrays()
    /// The samples of a block of which only a range is used.
    var edgeStarts: [Int64] = []
    var edgeValues: [Double] = []

    package init() { isVerifying = true }

    /// Creates a decoder of blocks that a `UnitOpener` has opened; it does not verify their checksums.
    package init(ofOpenedUnits: Void) { isVerifying = false }

    /// Verifies the block `bytes[at..<at + length]` and decodes the requested columns.
    ///
    /// A block without 64 spare bytes after it is copied first. Columns that were not requested keep their previous
    /// content or are `.absent`; `buffer.decoded` lists the valid ones. After an error the buffer's count is 0.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, columns: ColumnSet,
        into buffer: BlockBuffer
    ) throws(FormatError) {
        // A buffer whose last decoding filled no side column has no arrays to reclaim.
        let had = buffer.decoded
        let isPlain = !had.isEmpty && had.isDisjoint(with: .sides)
        buffer.count = 0
        buffer.decoded = []
        try withSpare(bytes, at, length, identity) { (decoder, bytes, at, header) throws(FormatError) in
            var body = BlockBody(header, bytes, at: at)
            if !isPlain { decoder.spare.reclaim(buffer) }
            try body.decode(bytes, columns, buffer, &decoder.codec, &decoder.spare)
            buffer.count = header.count
        }
    }

    /// Verifies a block and calls `body` with its header and with bytes that have spare bytes after the block.
    @inline(__always)
    mutating func withSpare(
        _ bytes: [UInt8], _ at: Int, _ length: Int, _ identity: BlockIdentity,
        _ body: (inout BlockDecoder, [UInt8], Int, BlockHeader) throws(FormatError) -> Void
    ) throws(FormatError) {
        guard at >= 0, length >= 0, at <= bytes.count, length <= bytes.count - at else {
            throw FormatError(.truncated, at: identity.position, "a block of \(length) bytes is incomplete")
        }
        let isPadded = bytes.count - at - length >= SegmentFormat.spareBytes
        let copy = isPadded ? bytes : pad(bytes[at..<at + length])
        let start = isPadded ? at : 0
        do throws(FormatError) {
            try body(&self, copy, start, try verified(copy, at: start, length, identity))
        } catch {
            // Errors count from the start of `bytes`; the block is at `identity.position` of its file. A block in the
            // catalog's tail has no file: its errors count from the start of the row's bytes.
            throw error.moved(by: identity.isInTail ? 0 : identity.position &- UInt64(start))
        }
    }

    private mutating func pad(_ block: ArraySlice<UInt8>) -> [UInt8] {
        padded.removeAll(keepingCapacity: true)
        padded.append(contentsOf: block)
        for _ in 0..<SegmentFormat.spareBytes { padded.append(0) }
        return padded
    }

    /// Verifies the checksum of a block and returns its header.
    private mutating func verified(
        _ bytes: [UInt8], at: Int, _ length: Int, _ identity: BlockIdentity
    ) throws(FormatError) -> BlockHeader {
        let header = try BlockHeader.decode(bytes, at: at, end: at + length)
        guard header.length == length else {
            throw FormatError(.checksum, at: UInt64(at + 4), "a length of \(header.length) bytes instead of \(length)")
        }
        guard header.series == identity.series else {
            throw FormatError(.checksum, at: UInt64(at + 8), "a block of series \(header.series)")
        }
        if isVerifying { try unitChecksum.verify(bytes, at: at, length: length, of: identity, "block") }
        return header
    }
}
