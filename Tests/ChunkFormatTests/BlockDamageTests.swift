// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels
import TestSupport
import Testing

@Suite("Blocks: damage throws an error, and never traps or changes a number")
struct BlockDamageTests {
    /// Returns the bytes of a block with every column encoded, and the block.
    private func sample(_ seed: UInt64, count: Int) throws -> (bytes: [UInt8], block: BlockBuffer) {
        var maker = BlockMaker(seed: seed)
        let block = maker.block(count: count)
        var encoder = BlockEncoder()
        var writer = ByteWriter()
        _ = try encoder.encode(block, identity: testIdentity(), into: &writer)
        return (writer.bytes, block)
    }

    @Test("Every flipped bit of a block is detected", arguments: [1, 2, 40])
    func flips(count: Int) throws {
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        let (bytes, _) = try sample(UInt64(count), count: count)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: FormatError.self, "byte \(index), bit \(bit)") {
                    try decoder.decode(
                        changed, at: 0, length: changed.count, identity: testIdentity(), columns: [.starts],
                        into: target)
                }
                #expect(target.count == 0)
            }
        }
    }

    @Test("Every other identity is refused")
    func identities() throws {
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        let (bytes, _) = try sample(3, count: 20)
        var others = [testIdentity(series: 8), testIdentity(position: 65)]
        var other = testIdentity()
        other.store[15] ^= 1
        others.append(other)
        other = testIdentity()
        other.segment[0] ^= 0x80
        others.append(other)
        other.segment = []
        others.append(other)
        for identity in others {
            #expect(throws: FormatError.self) {
                try decoder.decode(
                    bytes, at: 0, length: bytes.count, identity: identity, columns: .all, into: target)
            }
        }
    }

    @Test("Every other length, and every position outside the array, is refused")
    func lengths() throws {
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        let (bytes, _) = try sample(4, count: 30)
        let padded = bytes + [UInt8](repeating: 0, count: 100)
        for length in 0...bytes.count + 70 where length != bytes.count {
            for array in [padded, bytes] {
                #expect(throws: FormatError.self) {
                    try decoder.decode(
                        array, at: 0, length: length, identity: testIdentity(), columns: .all, into: target)
                }
            }
        }
        for (at, length) in [(-1, 50), (0, -1), (Int.max, 1), (1, Int.max), (bytes.count, 0)] {
            #expect(throws: FormatError.self) {
                try decoder.decode(
                    bytes, at: at, length: length, identity: testIdentity(), columns: .all, into: target)
            }
        }
    }

    /// The checksum detects chance, not malice: bytes that were changed and resealed must not trap either.
    @Test("A block that is changed and resealed gives an error or samples that satisfy the rules", arguments: 0..<5)
    func resealed(part: Int) throws {
        var decoder = BlockDecoder()
        let target = BlockBuffer()
        let (bytes, _) = try sample(UInt64(part + 50), count: 3 + part * 20)
        var random = TestRandom(seed: UInt64(part))
        for index in 0..<bytes.count - 4 {
            for change: UInt8 in [0x01, 0x80, UInt8(truncatingIfNeeded: random.next()) | 2] {
                var changed = bytes
                changed[index] ^= change
                reseal(&changed)
                do throws(FormatError) {
                    try decoder.decode(
                        changed, at: 0, length: changed.count, identity: testIdentity(), columns: .all, into: target)
                } catch {
                    #expect([.malformed, .truncated, .checksum].contains(error.kind), "byte \(index): \(error)")
                    continue
                }
                let rows = Rows(target)
                let ascending = zip(rows.starts, rows.starts.dropFirst()).allSatisfy { $0 <= $1 }
                let ended = zip(rows.starts, rows.ends).allSatisfy { $0 <= $1 }
                let finite = target.values.prefix(target.count).allSatisfy(\.isFinite)
                #expect(!rows.starts.isEmpty && ascending && ended && finite, "byte \(index), change \(change)")
            }
        }
    }

    private func reseal(_ bytes: inout [UInt8]) {
        var identity = ByteWriter()
        identity.put(bytes: testStore)
        identity.put(bytes: testSegment)
        identity.put(UInt64(7))
        identity.put(UInt64(64))
        let all = identity.bytes + bytes.dropLast(4)
        let sum = Kernel.crc32c(all, 0..<all.count)
        for index in 0..<4 { bytes[bytes.count - 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    }

    @Test("The parts of a block are contiguous; changed bytes give parts or an error")
    func anatomy() throws {
        for seed in UInt64(100)..<130 {
            let (bytes, block) = try sample(seed, count: 1 + Int(seed % 7) * 9)
            let anatomy = try BlockAnatomy(bytes, at: 0)
            var next = BlockHeader.size
            for place in anatomy.columns {
                #expect(place.range.lowerBound == next && !place.range.isEmpty, "seed \(seed), \(place.name)")
                next = place.range.upperBound
            }
            #expect(next == bytes.count - 4 && anatomy.header.count == block.count)
            for index in bytes.indices {
                for change: UInt8 in [0x01, 0x80, 0xFF] {
                    var changed = bytes
                    changed[index] ^= change
                    guard let parts = try? BlockAnatomy(changed, at: 0) else { continue }
                    #expect(parts.columns.allSatisfy { bytes.indices.contains($0.range.upperBound) })
                }
            }
        }
    }

    @Test("The checksum is CRC-32C over identity and bytes, as documented")
    func definition() throws {
        let (bytes, _) = try sample(9, count: 10)
        var sealed = bytes
        reseal(&sealed)
        #expect(sealed == bytes)
    }
}
