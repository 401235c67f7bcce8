// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// Identities and checksums: libFuzzer cannot guess a checksum, but the author of a hostile file can compute it.
enum Checksums {
    static let store = [UInt8](repeating: 0x5A, count: 16)
    static let segment = [UInt8](repeating: 0xC3, count: 16)
    static let series: UInt64 = 7
    static let position: UInt64 = 64

    private static let usual = BlockIdentity(store: store, segment: segment, series: series, position: position)

    static func identity() -> BlockIdentity { usual }

    static func identity(series: UInt64 = series, position: UInt64, segment: [UInt8] = segment) -> BlockIdentity {
        BlockIdentity(store: store, segment: segment, series: series, position: position)
    }

    /// Overwrites bytes with a number.
    static func put(_ number: UInt64, _ size: Int, into bytes: inout [UInt8], at: Int) {
        for index in 0..<size { bytes[at + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }

    static func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> UInt64 {
        (0..<size).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
    }

    /// Writes the checksum of the unit `bytes[range]` into its last four bytes.
    static func set(_ bytes: inout [UInt8], _ range: Range<Int>, _ identity: BlockIdentity) {
        guard range.count >= 4 else { return }
        var owner = identity.store + identity.segment + [UInt8](repeating: 0, count: 16)
        put(identity.series, 8, into: &owner, at: 32)
        put(identity.position, 8, into: &owner, at: 40)
        let seed = Kernel.crc32c(owner, 0..<owner.count)
        let end = range.upperBound - 4
        put(UInt64(Kernel.crc32c(bytes, range.lowerBound..<end, seed: seed)), 4, into: &bytes, at: end)
    }

    /// Returns a block of any bytes: kind, length, series and checksum overwrite the existing bytes.
    static func block(_ bytes: [UInt8], _ identity: BlockIdentity) -> [UInt8] {
        var block = bytes + [UInt8](repeating: 0, count: max(0, 25 - bytes.count))
        block[0] = 0xB1
        put(UInt64(block.count), 4, into: &block, at: 4)
        put(identity.series, 8, into: &block, at: 8)
        set(&block, 0..<block.count, identity)
        return block
    }
}
