// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import ColumnCodec
import Kernels
import TestSupport
import Testing

@Suite("Blocks: samples round-trip through bytes")
struct BlockTests {
    @Test("Every shape of every column round-trips bit by bit", arguments: 0..<12)
    func roundTrip(part: Int) throws {
        var encoder = BlockEncoder()
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        for round in 0..<20 {
            let seed = UInt64(part * 1000 + round)
            var maker = BlockMaker(seed: seed)
            let counts = [1, 2, 3, 127, 128, 129, 1024, 1535, 1536]
            let count = round < counts.count ? counts[round] : maker.random.within(1...1536)
            let block = maker.block(count: count)
            let identity = testIdentity(position: UInt64(round) * 1000)
            var writer = ByteWriter()
            writer.put(bytes: [UInt8](repeating: 0xEE, count: round % 5))
            let result = try encoder.encode(block, identity: identity, into: &writer)
            let at = round % 5
            let length = writer.count - at
            if round % 2 == 0 { writer.put(bytes: [UInt8](repeating: 0xFF, count: 64)) }
            try decoder.decode(
                writer.bytes, at: at, length: length, identity: identity, columns: .all, into: target)
            #expect(Rows(target) == Rows(block), "seed \(seed), \(count) samples")
            #expect(target.grid == block.grid, "seed \(seed)")
            #expect(bits(result.summary) == bits(oracle(block)), "seed \(seed)")
            let stored = result.choices.reduce(0) { $0 + $1.choice.storedBytes }
            #expect(stored <= length - 23, "seed \(seed)")
        }
    }

    @Test("Any subset of columns decodes to the same values as all columns", arguments: 0..<8)
    func someColumns(part: Int) throws {
        var encoder = BlockEncoder()
        var decoder = BlockDecoder()
        for round in 0..<12 {
            let seed = UInt64(part * 100 + round + 77)
            var maker = BlockMaker(seed: seed)
            let block = maker.block(count: maker.random.within(1...300))
            var writer = ByteWriter()
            _ = try encoder.encode(block, identity: testIdentity(), into: &writer)
            for _ in 0..<12 {
                let asked = ColumnSet(rawValue: UInt16(maker.random.below(256)))
                let target = BlockBuffer()
                try decoder.decode(
                    writer.bytes, at: 0, length: writer.count, identity: testIdentity(), columns: asked, into: target)
                #expect(target.count == block.count)
                #expect(target.decoded.isSuperset(of: asked))
                let (got, want) = (Rows(target), Rows(block))
                if asked.contains(.starts) { #expect(got.starts == want.starts, "seed \(seed)") }
                if asked.contains(.ends) { #expect(got.ends == want.ends, "seed \(seed)") }
                if asked.contains(.values) { #expect(got.values == want.values, "seed \(seed)") }
                let sides: [ColumnSet] = [.created, .provenance, .metadata, .identity, .identity, .born]
                for (index, side) in sides.enumerated() where asked.contains(side) {
                    #expect(got.side[index] == want.side[index], "seed \(seed), column \(index)")
                }
            }
        }
    }

    @Test("A reused buffer keeps nothing of the previous block")
    func reuse() throws {
        var encoder = BlockEncoder()
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        for seed in UInt64(0)..<60 {
            var maker = BlockMaker(seed: seed &* 7919)
            let block = maker.block(count: maker.random.within(1...64))
            var writer = ByteWriter()
            _ = try encoder.encode(block, identity: testIdentity(), into: &writer)
            let first: ColumnSet = maker.random.oneIn(2) ? [.starts, .values] : .all
            try decoder.decode(
                writer.bytes, at: 0, length: writer.count, identity: testIdentity(), columns: first, into: target)
            try decoder.decode(
                writer.bytes, at: 0, length: writer.count, identity: testIdentity(), columns: .all, into: target)
            #expect(Rows(target) == Rows(block), "seed \(seed)")
        }
    }

    @Test("Header and trailer take 23 bytes; constants and counters take a few")
    func cheapColumns() throws {
        #expect(BlockHeader.size + SegmentFormat.trailerBytes <= 24)
        let block = BlockBuffer()
        block.count = 1024
        for index in 0..<1024 { block.starts[index] = Int64(index) * 1_000_000_000 }
        var encoder = BlockEncoder()
        var plain = ByteWriter()
        _ = try encoder.encode(block, identity: testIdentity(), into: &plain)
        block.hasEnds = true
        for index in 0..<1024 { block.ends[index] = block.starts[index] + 1_000_000_000 }
        block.created = .values(block.ends.map { $0 + 3_000_000_000 })
        block.provenance = .values([Int64](repeating: 12, count: 1024))
        block.metadata = .constant(0)
        block.identityHigh = .constant(Int64.min / 3)
        block.identityLow = .values((0..<1024).map { Int64.max / 2 + $0 })
        block.born = .values([Int64](repeating: 1000, count: 1024))
        var full = ByteWriter()
        let result = try encoder.encode(block, identity: testIdentity(), into: &full)
        #expect(full.count - plain.count <= 40)
        #expect(result.choices.count == 9)
        #expect(result.summary.minBorn == 1000 && result.summary.maxBorn == 1000)
    }

    @Test("The ends of contiguous intervals of uneven length take almost no space")
    func contiguousEnds() throws {
        var random = TestRandom(seed: 5)
        let block = BlockBuffer()
        block.count = 1000
        var now: Int64 = 0
        for index in 0..<1000 {
            block.starts[index] = now
            now += Int64(random.within(1...600)) * 1_000_000_000
            block.ends[index] = now
        }
        var encoder = BlockEncoder()
        var points = ByteWriter()
        _ = try encoder.encode(block, identity: testIdentity(), into: &points)
        block.hasEnds = true
        var intervals = ByteWriter()
        _ = try encoder.encode(block, identity: testIdentity(), into: &intervals)
        #expect(intervals.count - points.count <= 10)
    }

    @Test("Samples that no block can hold are refused, and nothing is written")
    func misuse() throws {
        var encoder = BlockEncoder()
        var writer = ByteWriter()
        writer.put(UInt8(9))
        func refused(_ change: (BlockBuffer) -> Void) {
            let block = BlockBuffer()
            block.count = 3
            change(block)
            #expect(throws: FormatError.self) {
                try encoder.encode(block, identity: testIdentity(), into: &writer)
            }
            #expect(writer.count == 1)
        }
        refused { $0.count = 0 }
        refused { $0.count = 6145 }
        refused { $0.starts[0] = 5 }
        refused { $0.values[1] = .nan }
        refused { $0.values[2] = .infinity }
        refused { ($0.hasEnds, $0.ends[1]) = (true, -1) }
        refused { $0.provenance = .values([1, 2]) }
        refused { $0.identityHigh = .constant(1) }
        refused { $0.starts = [1, 2] }
        let block = BlockBuffer()
        block.count = 1
        let short = BlockIdentity(store: [1], segment: testSegment, series: 1, position: 0)
        #expect(throws: FormatError.self) { try encoder.encode(block, identity: short, into: &writer) }
        #expect(writer.count == 1)
    }

    /// Computes the summary by plain loops.
    private func oracle(_ block: BlockBuffer) -> Summary {
        let born = (0..<block.count).map { block.value(of: .born, at: $0) ?? 0 }
        var expected = Kernel.summarize(
            starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: 0..<block.count,
            minBorn: born.min() ?? 0, maxBorn: born.max() ?? 0)
        if case .sequence(let first) = block.born, first.addingReportingOverflow(Int64(block.count - 1)).overflow {
            (expected.minBorn, expected.maxBorn) = (.min, .max)
        }
        return expected
    }
}
