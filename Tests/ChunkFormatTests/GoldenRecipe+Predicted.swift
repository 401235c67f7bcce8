// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import TestSupport

/// The recipe of `v1-predicted.kseg`: blocks cut by count (grid 5) with predicted integers (12). Never changes.
extension GoldenRecipe {
    static func predicted() throws -> [UInt8] {
        try TestSegment.build(
            [(7, [route(0), route(1)]), (8, [route(2)])], store: store, segment: segment, commit: commit)
    }

    /// 2024-08-01T00:00:00Z.
    private static let august: Int64 = 1_722_470_400_000_000_000
    private static let second: Int64 = 1_000_000_000

    /// Returns a filtered path with a location a second: degrees with six decimals.
    private static func route(_ part: Int) -> BlockBuffer {
        var random = TestRandom(seed: UInt64(part) + 96)
        let block = BlockBuffer()
        block.grid = .count
        block.count = 1_500
        var (place, speed) = (48_137_154, 0)
        for row in 0..<block.count {
            speed += random.within(-12...12) - speed / 16
            place += speed
            block.starts[row] = august + Int64(part * 1_500 + row) * second
            block.values[row] = Double(place) / 1_000_000
        }
        block.identityHigh = .constant(0x0123_4567_89AB_8DEF)
        block.identityLow = .sequence(first: Int64(part) * 1_500 - 5_000_000_000_000_000_000)
        return block
    }
}
