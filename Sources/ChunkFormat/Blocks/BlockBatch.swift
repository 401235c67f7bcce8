// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Kernels

/// Consecutive blocks of one series, encoded before their position in the file is known.
package struct BlockBatch: Sendable {
    /// The data of a block that an index entry needs.
    package struct Block: Sendable {
        package let length: UInt32
        package let summary: Summary
    }

    package let series: UInt64
    /// Offset of the first block in the file, as its checksum assumes; final only after `SegmentBuilder.add`.
    package internal(set) var position: UInt64
    /// The concatenated blocks.
    package internal(set) var bytes: [UInt8]
    package internal(set) var blocks: [Block]
    /// Whether the blocks are plain text that `SegmentBuilder.add` encrypts.
    let isDraft: Bool

    /// Encrypts the blocks of a draft, in order, for their position in the file.
    mutating func encrypt(
        by encryptor: SegmentEncryptor, at place: UInt64, store: [UInt8], segment: [UInt8]
    ) throws(FormatError) {
        guard blocks.reduce(0, { $0 + Int($1.length) }) == bytes.count else {
            throw FormatError(.misuse, at: place, "a batch of \(bytes.count) bytes whose blocks have other lengths")
        }
        var start = 0
        for block in blocks {
            let end = start + Int(block.length)
            let identity = BlockIdentity(
                store: store, segment: segment, series: series, position: place + UInt64(start))
            do throws(FormatError) { try encryptor.encrypt(&bytes, start..<end, of: identity) } catch {
                // The batch must not keep plain text, which a caller might still write to the file.
                bytes.removeAll()
                throw error
            }
            start = end
        }
        position = place
    }

    /// Recomputes the checksums of the blocks for another position.
    mutating func move(to place: UInt64, store: [UInt8], segment: [UInt8]) throws(FormatError) {
        if place == position { return }
        var unitChecksum = UnitChecksum()
        var start = 0
        for block in blocks {
            let end = start + Int(block.length) - SegmentFormat.trailerBytes
            let identity = BlockIdentity(
                store: store, segment: segment, series: series, position: place + UInt64(start))
            guard let sum = unitChecksum.checksum(bytes, start..<end, of: identity) else { throw UnitChecksum.wrongIds }
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
/// The encoder adapts to previous blocks, across batches, until `forget`. After `forget`, equal blocks give equal
/// bytes, regardless of earlier use.
package struct BlockBatchEncoder {
    private let store: [UInt8]
    private let segment: [UInt8]
    private let isEncrypted: Bool
    private var encoder = BlockEncoder()
    private var writer = ByteWriter()
    private var blocks: [BlockBatch.Block] = []
    private var series: UInt64 = 0
    private var position: UInt64 = 0

    /// Creates an encoder for blocks of a segment; both ids have 16 bytes.
    ///
    /// - Parameter isEncrypted: whether the segment is encrypted. The encoder then drafts blocks, which only
    ///   `SegmentBuilder.add` encrypts: a position must not be encrypted twice.
    package init(store: [UInt8], segment: [UInt8], isEncrypted: Bool = false) {
        self.store = store
        self.segment = segment
        self.isEncrypted = isEncrypted
    }

    /// Discards what the encoder learned from previous blocks.
    package mutating func forget() { encoder.forget() }

    /// Begins a batch of a series.
    ///
    /// - Parameters:
    ///   - position: the expected offset of the batch in the file.
    ///   - memory: an array whose memory is reused for the batch's bytes.
    package mutating func begin(series: UInt64, position: UInt64, memory: consuming [UInt8] = []) {
        self.series = series
        self.position = position
        memory.removeAll(keepingCapacity: true)
        writer.bytes = memory
        blocks.removeAll(keepingCapacity: true)
    }

    /// Appends a block.
    ///
    /// - Throws: `misuse` for samples that no block can hold, and for a block that starts before the last start of the
    ///   previous block.
    package mutating func add(_ buffer: BlockBuffer) throws(FormatError) {
        let start = writer.count
        let place = position &+ UInt64(start)
        if let last = blocks.last, buffer.count > 0, buffer.starts[0] < last.summary.lastStart {
            throw FormatError(.misuse, at: place, "a block that starts before the last start of its run")
        }
        if isEncrypted { return try draft(buffer, from: start, place) }
        let identity = BlockIdentity(store: store, segment: segment, series: series, position: place)
        let result = try encoder.encode(buffer, identity: identity, into: &writer)
        blocks.append(BlockBatch.Block(length: UInt32(writer.count - start), summary: result.summary))
    }

    /// Appends a block with free bytes for its tag and its checksum.
    private mutating func draft(_ buffer: BlockBuffer, from start: Int, _ place: UInt64) throws(FormatError) {
        let result = try encoder.draft(buffer, series: series, position: place, into: &writer)
        EncryptedUnit.reserve(&writer)
        let length = UInt32(writer.count - start)
        guard length <= SegmentFormat.maximumBlockBytes else {
            writer.bytes.removeSubrange(start...)
            throw FormatError(.misuse, at: place, "a block of \(length) bytes")
        }
        writer.patch(length, at: start + EncryptedUnit.lengthOffset)
        blocks.append(BlockBatch.Block(length: length, summary: result.summary))
    }

    /// Returns the batch.
    ///
    /// - Ordering: `begin` must follow before the next `add`.
    package mutating func finish() -> BlockBatch {
        var bytes = [UInt8]()
        swap(&bytes, &writer.bytes)
        return BlockBatch(series: series, position: position, bytes: bytes, blocks: blocks, isDraft: isEncrypted)
    }
}
