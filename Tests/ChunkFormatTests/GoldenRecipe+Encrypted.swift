// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Cipher
import TestSupport

/// The recipe of `v2-encrypted.kseg`: a segment of format version 2, with the keys of `v2-KEYS`. Never changes.
extension GoldenRecipe {
    /// Keys that the key of 32 bytes with the value 1 opens.
    static func keys() throws -> KeyRing { try EncryptedSegment.keys() }

    static func encrypted() throws -> [UInt8] {
        let leaves = (0..<70).map { pulse(Int64($0) * 3_600, 3) }
        return try EncryptedSegment.build(
            [(2, [pulse(0, 200), pulse(3_600, 120)]), (9, leaves)], keys: keys(), random: .seeded(2), segment: segment)
    }

    /// 2025-01-01T00:00:00Z.
    private static let january: Int64 = 1_735_689_600_000_000_000

    /// Returns about one value a second.
    private static func pulse(_ seconds: Int64, _ count: Int) -> BlockBuffer {
        var random = TestRandom(seed: UInt64(seconds) + 3)
        let block = BlockBuffer()
        block.count = count
        block.grid = .hours
        for row in 0..<count {
            block.starts[row] = january + (seconds + Int64(row)) * 1_000_000_000 + Int64(random.below(40)) * 1_000_000
            block.values[row] = Double(60 + random.below(9))
        }
        block.born = .constant(12)
        return block
    }
}
