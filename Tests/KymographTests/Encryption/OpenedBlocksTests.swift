// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("Decrypted blocks that are kept in memory (S-3)")
struct OpenedBlocksTests {
    private func block(_ number: Int, _ count: Int = 100) -> OpenedBlocks.Block {
        OpenedBlocks.Block(bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count), length: count)
    }

    @Test("a block is found by segment and offset only, and the bytes stay within the limit")
    func limits() throws {
        let blocks = OpenedBlocks(bytes: 1 << 16)
        var random = TestRandom(seed: 3)
        var found = 0
        for _ in 0..<20_000 {
            let (segment, offset) = (Int64(random.below(20)), UInt64(random.below(200)) * 1_000)
            let number = Int(segment) * 1_000 + Int(offset / 1_000)
            if let block = blocks.find(segment, offset) {
                found += 1
                #expect(block.bytes.count == 100 && block.bytes[0] == UInt8(truncatingIfNeeded: number))
            } else {
                blocks.keep(block(number), segment, offset)
            }
        }
        #expect(found > 200)
        blocks.keep(block(1, 1 << 16), 1, 1)
        #expect(blocks.find(1, 1) == nil, "larger than a shard")
        blocks.removeAll()
        for segment in 0..<20 {
            for place in 0..<200 { #expect(blocks.find(Int64(segment), UInt64(place) * 1_000) == nil) }
        }
        let none = OpenedBlocks(bytes: 0)
        none.keep(block(1), 1, 1)
        #expect(none.find(1, 1) == nil)
        #expect(OpenedBlocks(bytes: .min).find(0, 0) == nil)
    }

    @Test(
        "queries answer the same with and without kept blocks, and after closing none is kept", arguments: [0, 1 << 20])
    func queries(bytes: Int) throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(50_000)
        var options = test.options()
        options.openedBlockBytes = bytes
        let store = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: options)
        let series = try #require(store.snapshot().series.first)
        for _ in 0..<3 { #expect(try store.snapshot().all(series.id) == samples) }
        let keys = try #require(store.context.options.keys)
        let file = try #require(store.snapshot().version.segments.values.first)
        #expect((keys.blocks.find(file.number, 128) != nil) == (bytes > 0))
        store.close()
        #expect(keys.blocks.find(file.number, 128) == nil)
    }

    @Test("a caller that has seen a later commit gets an error for an older store")
    func olderStore() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        var options = test.options()
        options.atLeastCommit = 2
        try TimeSeriesStore.open(at: test.path, options: options).close()
        options.atLeastCommit = 100
        for mode in [OpenMode.readOnly, .shared, .readWrite] {
            #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: test.path, mode: mode, options: options) }
        }
        options.acceptsLostCommits = true
        try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: options).close()
    }
}
