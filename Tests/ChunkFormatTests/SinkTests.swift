// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels
import TestSupport
import Testing

@Suite("Blocks are decoded directly into a caller's arrays")
struct SinkTests {
    private func blocks(_ seed: UInt64) throws -> [(bytes: [UInt8], block: BlockBuffer)] {
        var maker = BlockMaker(seed: seed)
        return try (0..<6).map { index in
            let count = index == 0 ? BlockBuffer.capacity : 1 + maker.random.below(900)
            let block = maker.block(count: count)
            var encoder = BlockEncoder()
            var writer = ByteWriter()
            _ = try encoder.encode(block, identity: testIdentity(), into: &writer)
            return (writer.bytes, block)
        }
    }

    @Test("Whole blocks are appended at any row after existing content, with or without spare bytes")
    func whole() throws {
        for seed in UInt64(1)...20 {
            let blocks = try blocks(seed)
            let total = blocks.reduce(0) { $0 + $1.block.count }
            var starts: [Int64] = [7]
            var values: [Double] = [7.5]
            var decoder = BlockDecoder()
            try SampleSink.append(total, to: &starts, &values) { sink in
                var row = total
                for (index, (bytes, block)) in blocks.enumerated().reversed() {
                    row -= block.count
                    let padded = index % 2 == 0 ? bytes : bytes + [UInt8](repeating: 9, count: 64)
                    try decoder.decode(
                        padded, at: 0, length: bytes.count, identity: testIdentity(),
                        into: sink.rows(from: row, block.count))
                }
                return total
            }
            #expect(starts == [7] + blocks.flatMap { $0.block.starts.prefix($0.block.count) }, "seed \(seed)")
            let expected = blocks.flatMap { $0.block.values.prefix($0.block.count).map(\.bitPattern) }
            #expect(values.map(\.bitPattern) == [Double(7.5).bitPattern] + expected, "seed \(seed)")
        }
    }

    @Test("Only the samples that start in a range are decoded")
    func ranges() throws {
        var g = TestRandom(seed: 21)
        for seed in UInt64(30)...60 {
            let (bytes, block) = try blocks(seed)[1]
            let all = block.starts.prefix(block.count)
            for _ in 0..<8 {
                let some = [all[g.below(block.count)], all[g.below(block.count)] &+ Int64(g.below(3) - 1)].sorted()
                let range = g.below(6) == 0 ? Int64.min..<Int64.max : some[0]..<some[1]
                let rows = all.indices.filter { range.contains(all[$0]) }
                var starts = [Int64]()
                var values = [Double]()
                var decoder = BlockDecoder()
                try SampleSink.append(block.count, to: &starts, &values) { sink in
                    try decoder.decode(
                        bytes, at: 0, length: bytes.count, identity: testIdentity(), startingIn: range,
                        into: sink.rows(from: 0, block.count))
                }
                #expect(starts == rows.map { all[$0] })
                #expect(values.map(\.bitPattern) == rows.map { block.values[$0].bitPattern })
                if rows.count > 1 {
                    #expect(throws: FormatError.self) {
                        try SampleSink.append(block.count, to: &starts, &values) { sink in
                            try decoder.decode(
                                bytes, at: 0, length: bytes.count, identity: testIdentity(), startingIn: range,
                                into: sink.rows(from: 0, rows.count - 1))
                        }
                    }
                    #expect(starts.count == rows.count && values.count == rows.count)
                }
            }
        }
    }

    @Test("Parts of blocks are appended; an empty array gets the requested capacity, others keep their memory")
    func parts() throws {
        let (_, block) = try blocks(75)[1]
        for (held, kept) in [(0, 0), (3, 0), (0, 5_000), (3, 5_000)] {
            var starts = [Int64](repeating: 1, count: held)
            var values = [Double](repeating: 2, count: held)
            starts.reserveCapacity(kept)
            values.reserveCapacity(kept)
            var rooms = [(UInt, Int)]()
            SampleSink.append(
                block.count, reserving: 4_000, to: &starts, &values, preparing: { rooms.append(($0, $1)) }
            ) { sink in
                #expect(sink.room == block.count)
                sink.put(block, block.count / 2..<block.count, row: 0)
                sink.put(block, 0..<block.count / 2, row: block.count - block.count / 2)
                sink.put(block, 5..<5, row: sink.room)
                return block.count
            }
            let order = Array(block.count / 2..<block.count) + Array(0..<block.count / 2)
            #expect(starts == [Int64](repeating: 1, count: held) + order.map { block.starts[$0] })
            #expect(values.dropFirst(held).map(\.bitPattern) == order.map { block.values[$0].bitPattern })
            #expect(held > 0 || starts.capacity >= max(4_000, kept) || kept > 0)
            #expect(rooms.count == 2 && rooms.allSatisfy { $0.0 != 0 && $0.1 >= 8 * block.count })
        }
    }

    @Test("A wrong count in the index or damaged bytes throw an error and leave the arrays unchanged")
    func damage() throws {
        let (bytes, block) = try blocks(70)[1]
        var starts: [Int64] = [1, 2]
        var values: [Double] = [3, 4]
        var decoder = BlockDecoder()
        func read(_ bytes: [UInt8], _ expected: Int) throws(FormatError) {
            try SampleSink.append(2000, to: &starts, &values) { (sink) throws(FormatError) in
                try decoder.decode(
                    bytes, at: 0, length: bytes.count, identity: testIdentity(), into: sink.rows(from: 0, expected))
                return expected
            }
        }
        for expected in [0, block.count - 1, block.count + 1] {
            #expect(throws: FormatError.self) { try read(bytes, expected) }
        }
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(throws: FormatError.self) { try read(changed, block.count) }
        }
        #expect(throws: FormatError.self) { try read(Array(bytes.dropLast()), block.count) }
        #expect(starts == [1, 2] && values == [3, 4])
        try read(bytes, block.count)
        #expect(starts.count == 2 + block.count && values.count == 2 + block.count)
    }
}
