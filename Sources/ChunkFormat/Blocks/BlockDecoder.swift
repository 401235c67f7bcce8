// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

/// Turns the bytes of blocks into samples. It keeps scratch space: one for each thread.
package struct BlockDecoder {
    private var seal = Seal()
    var codec = ColumnDecoder()
    /// A copy with spare bytes behind, where the caller's array has none.
    private var padded: [UInt8] = []
    /// Arrays of side columns that are not in use.
    private var spare = SpareArrays()
    /// Samples of a block that is cut.
    var edgeStarts: [Int64] = []
    var edgeValues: [Double] = []

    package init() {}

    /// Verifies the block `bytes[at..<at + length]` and decodes the columns that are asked for.
    ///
    /// `bytes` should have 64 spare bytes behind the block; otherwise it is copied first. Columns that were not asked
    /// for keep whatever the buffer held or are `.absent`; `buffer.decoded` says what is valid. After an error the
    /// buffer's count is 0.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, columns: ColumnSet,
        into buffer: BlockBuffer
    ) throws(FormatError) {
        // A buffer whose last decoding gave no side column has none to take back.
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

    /// Verifies a block and calls `body` with its header and with bytes that have spare ones behind the block.
    @inline(__always)
    mutating func withSpare(
        _ bytes: [UInt8], _ at: Int, _ length: Int, _ identity: BlockIdentity,
        _ body: (inout BlockDecoder, [UInt8], Int, BlockHeader) throws(FormatError) -> Void
    ) throws(FormatError) {
        guard at >= 0, length >= 0, at <= bytes.count, length <= bytes.count - at else {
            throw FormatError(.truncated, at: identity.position, "a block of \(length) bytes is not all there")
        }
        let isPadded = bytes.count - at - length >= SegmentFormat.spareBytes
        let copy = isPadded ? bytes : pad(bytes[at..<at + length])
        let start = isPadded ? at : 0
        do throws(FormatError) {
            try body(&self, copy, start, try verified(copy, at: start, length, identity))
        } catch {
            // Errors count from the start of `bytes`; the block stands at `identity.position` of its file. In the
            // catalog's tail there is no file: there they count from the start of the row's bytes.
            throw error.moved(by: identity.isInTail ? 0 : identity.position &- UInt64(start))
        }
    }

    private mutating func pad(_ block: ArraySlice<UInt8>) -> [UInt8] {
        padded.removeAll(keepingCapacity: true)
        padded.append(contentsOf: block)
        for _ in 0..<SegmentFormat.spareBytes { padded.append(0) }
        return padded
    }

    /// The header of a block whose checksum is right.
    private mutating func verified(
        _ bytes: [UInt8], at: Int, _ length: Int, _ identity: BlockIdentity
    ) throws(FormatError) -> BlockHeader {
        let header = try BlockHeader.decode(bytes, at: at, end: at + length)
        guard header.length == length else {
            throw FormatError(.checksum, at: UInt64(at + 4), "\(header.length) bytes where \(length) should be")
        }
        guard header.series == identity.series else {
            throw FormatError(.checksum, at: UInt64(at + 8), "a block of series \(header.series)")
        }
        try seal.verify(bytes, at: at, length: length, of: identity, "block")
        return header
    }
}
