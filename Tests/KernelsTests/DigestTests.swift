// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

@Suite("CRC-32 and FNV-1a in groups of bytes")
struct DigestTests {
    private static func slowCRC(_ bytes: some Sequence<UInt8>, _ seed: UInt32) -> UInt32 {
        var crc = ~seed
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~crc
    }

    private static func slowFNV(_ bytes: some Sequence<UInt8>, _ hash: UInt64) -> UInt64 {
        bytes.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    @Test("every level gives the bits of the definition", arguments: [0, 1, 2, 3])
    func definition(level: Int) {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        Kernel.force(level: level)
        var dice = SeededGenerator(seed: 3)
        var bytes = (0..<6_000).map { _ in UInt8(dice.below(256)) }
        for place in 2_000..<3_000 { bytes[place] = 0 }
        for place in 3_000..<4_000 { bytes[place] = 255 }
        let lengths = Array(0..<200) + [511, 512, 513, 575, 576, 1_023, 1_024, 5_999]
        for length in lengths {
            let first = dice.below(bytes.count - length + 1)
            let range = first..<first + length
            let (seed, hash) = (UInt32(truncatingIfNeeded: dice.next()), dice.next())
            var crc = seed
            let count = Kernel.crc32(bytes, range, continuing: &crc)
            #expect(count <= length && count % 64 == 0 && (count == 0) == (Kernel.level == 0 || length < 64))
            #expect(crc == Self.slowCRC(bytes[range].prefix(count), seed))
            #expect(Kernel.fnv(bytes, range, continuing: hash) == Self.slowFNV(bytes[range], hash))
        }
        #expect(Kernel.fnv(Array("foobar".utf8), 0..<6, continuing: 0xCBF2_9CE4_8422_2325) == 0x8594_4171_F739_67E8)
    }
}
