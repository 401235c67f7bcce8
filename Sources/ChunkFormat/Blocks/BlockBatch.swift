// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Kernels

/// Blocks of one series that follow each other, encoded apart from the file in which they will stand.
package struct BlockBatch: Sendable {
    /// What the index needs of a block.
    package struct Block: Sendable {
        package let length: UInt32
        package let summary: Summary
    }

    package let series: UInt64
    /// Where the first block stands: as its checksum says, that is for certain only after `SegmentBuilder.add`.
    package internal(set) var position: UInt64
    /// The blocks, one behind the other.
    package internal(set) var bytes: [UInt8]
    package internal(set) var blocks: [Block]

    /// Gives the blocks the checksums of another place.
    mutating func move(to place: UInt64, store: [UInt8], segment: [UInt8]) throws(FormatError) {
        if place == position { return }
        var seal = Seal()
        var start = 0
        for block in blocks {
            let end = start + Int(block.length) - SegmentFormat.trailerBytes
            let identity = BlockIdentity(
                store: store, segment: segment, series: series, position: place + UInt64(start))
            guard let sum = seal.checksum(bytes, start..<end, of: identity) else { throw Seal.wrongIds }
            for index in 0..<SegmentFormat.trailerBytes {
                bytes[end + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index))
            }
            start += Int(block.length)
        }
        position = place
    }
}

/// Encodes blocks into batches.
///
/// What suited the blocks before is remembered from batch to batch until `forget`: the same blocks after a `forget`
/// give the same bytes, whatever the encoder was used for before.
package struct BlockBatchEncoder {
    private let store: [UInt8]
    private let segment: [UInt8]
    private var encoder = BlockEncoder()
    private var writer = ByteWriter()
    private var blocks: [BlockBatch.Block] = []
    private var series: UInt64 = 0
    private var position: UInt64 = 0

    /// For blocks of a segment; both ids have 16 bytes.
    package init(store: [UInt8], segment: [UInt8]) {
        self.store = store
        self.segment = segment
    }

    /// Forgets what suited the blocks before.
    package mutating func forget() { encoder.forget() }

    /// Begins a batch of a series that will probably stand at `position`; `memory` is used for its bytes.
    package mutating func begin(series: UInt64, position: UInt64, memory: consuming [UInt8] = []) {
        self.series = series
        self.position = position
        memory.removeAll(keepingCapacity: true)
        writer.bytes = memory
        blocks.removeAll(keepingCapacity: true)
    }

    /// Appends a block. Samples that no block can hold, and a block that begins before the last start of the one
    /// before, are errors of kind `misuse`.
    package mutating func add(_ buffer: BlockBuffer) throws(FormatError) {
        let start = writer.count
        let place = position &+ UInt64(start)
        if let last = blocks.last, buffer.count > 0, buffer.starts[0] < last.summary.lastStart {
            throw FormatError(.misuse, at: place, "a block that begins before the last")
        }
        let identity = BlockIdentity(store: store, segment: segment, series: series, position: place)
        let result = try encoder.encode(buffer, identity: identity, into: &writer)
        blocks.append(BlockBatch.Block(length: UInt32(writer.count - start), summary: result.summary))
    }

    /// The batch; another one must be begun before the next block.
    package mutating func finish() -> BlockBatch {
        var bytes = [UInt8]()
        swap(&bytes, &writer.bytes)
        return BlockBatch(series: series, position: position, bytes: bytes, blocks: blocks)
    }
}
