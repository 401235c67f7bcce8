// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Testing

@Suite("E-3 blocks encoded in separate batches")
struct BlockBatchTests {
    /// Returns a block with samples from `first` on.
    private func block(_ first: Int64, _ count: Int = 300) -> BlockBuffer {
        let block = BlockBuffer()
        block.count = count
        for i in 0..<count {
            block.starts[i] = first + Int64(i) * 1_000 + Int64(i % 7)
            block.values[i] = Double((first + Int64(i)) % 50) / 10
        }
        return block
    }

    private func encoder() -> BlockBatchEncoder { BlockBatchEncoder(store: testStore, segment: testSegment) }

    private func builder() throws -> SegmentBuilder {
        var builder = SegmentBuilder(store: testStore, segment: testSegment)
        try builder.begin()
        return builder
    }

    @Test("Batches encoded for another position give the bytes of blocks added one by one")
    func sameBytes() throws {
        let blocks = (0..<20).map { block(Int64($0) * 1_000_000) }
        var plain = try builder()
        for one in blocks { try plain.add(one, series: 7) }
        let wanted = plain.takePending()
        var apart = try builder()
        var bytes = apart.takePending()
        var encoder = encoder()
        var at = 0
        for count in [1, 7, 2, 10] {
            // The third position is the right one.
            encoder.begin(series: 7, position: count == 2 ? apart.offset : UInt64(count) * 99, memory: [1, 2, 3])
            for one in blocks[at..<at + count] { try encoder.add(one) }
            var batch = encoder.finish()
            let place = apart.offset
            try apart.add(&batch)
            #expect(batch.position == place && batch.blocks.count == count)
            #expect(batch.blocks.reduce(0) { $0 + Int($1.length) } == batch.bytes.count)
            #expect(apart.offset == place + UInt64(batch.bytes.count) && apart.pendingBytes == 0)
            bytes += batch.bytes
            at += count
        }
        #expect(bytes == wanted)
    }

    @Test("After forgetting, an encoder gives the bytes of a new one")
    func forgets() throws {
        var used = encoder()
        used.begin(series: 1, position: 0)
        for i in 0..<30 { try used.add(block(Int64(i) * 977_777, 200 + i)) }
        _ = used.finish()
        used.forget()
        var fresh = encoder()
        used.begin(series: 2, position: 64)
        fresh.begin(series: 2, position: 64)
        for i in 0..<20 {
            try used.add(block(Int64(i) * 1_000_000))
            try fresh.add(block(Int64(i) * 1_000_000))
        }
        #expect(used.finish().bytes == fresh.finish().bytes)
    }

    @Test("Calls that would produce an invalid file are refused")
    func misuse() throws {
        var encoder = encoder()
        encoder.begin(series: 5, position: 64)
        try encoder.add(block(1_000_000))
        #expect(throws: FormatError.self) { try encoder.add(block(0)) }
        #expect(throws: FormatError.self) { try encoder.add(BlockBuffer()) }
        let batch = encoder.finish()
        var waiting = try builder()
        // The header is still buffered; the batch would precede it.
        var first = batch
        #expect(throws: FormatError.self) { try waiting.add(&first) }
        _ = waiting.takePending()
        try waiting.add(&first)
        var again = batch
        #expect(throws: FormatError.self, "begins before the last start") { try waiting.add(&again) }
        encoder.begin(series: 4, position: 0)
        try encoder.add(block(9_000_000))
        var lower = encoder.finish()
        #expect(throws: FormatError.self) { try waiting.add(&lower) }
        encoder.begin(series: 6, position: 0)
        var empty = encoder.finish()
        let offset = waiting.offset
        try waiting.add(&empty)
        #expect(waiting.offset == offset)
        var early = SegmentBuilder(store: testStore, segment: testSegment)
        var late = batch
        #expect(throws: FormatError.self) { try early.add(&late) }
        var crooked = BlockBatchEncoder(store: [], segment: testSegment)
        crooked.begin(series: 5, position: 0)
        #expect(throws: FormatError.self) { try crooked.add(block(0)) }
    }
}
