// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import TestSupport

/// The recipe of `v1-windows.kseg`: streams of windows (9, 10, 11) and scaled reals (27). Never changes.
extension GoldenRecipe {
    static func windows() throws -> [UInt8] {
        try TestSegment.build(
            [
                (5, [pulse(0), pulse(1)]),
                (6, [bursts()]),
                (7, [gain()]),
                (8, [computed()]),
            ], store: store, segment: segment, commit: commit)
    }

    /// 2024-06-01T00:00:00Z.
    private static let june: Int64 = 1_717_200_000_000_000_000
    private static let millisecond: Int64 = 1_000_000

    /// Returns a pulse about once a second, with pauses: narrow windows, some escapes, a few distant values.
    private static func pulse(_ part: Int) -> BlockBuffer {
        var random = TestRandom(seed: UInt64(part) + 91)
        let block = BlockBuffer()
        block.count = 700
        var time = june + Int64(part) * 9_000_000 * millisecond
        var value = 60
        for row in 0..<block.count {
            time += Int64(random.within(970...1030)) * millisecond
            if random.oneIn(120) { time += Int64(random.within(1...60_000)) * millisecond }
            value += [-1, 0, 0, 0, 1, 1, 0, -1][random.below(8)] + (random.oneIn(30) ? random.within(-4...4) : 0)
            block.starts[row] = time
            block.values[row] = Double(value)
        }
        block.identityHigh = .constant(0x0123_4567_89AB_8DEF)
        block.identityLow = .sequence(first: Int64(part) * 700 - 5_000_000_000_000_000_000)
        return block
    }

    /// Returns calm and varying stretches in turn, which need groups of different widths, and times on a smooth curve,
    /// which need second differences.
    private static func bursts() -> BlockBuffer {
        var random = TestRandom(seed: 93)
        let block = BlockBuffer()
        block.count = 1_024
        for row in 0..<block.count {
            let x = Int64(row)
            block.starts[row] = june + (x * x * 31 + Int64(random.below(3))) * millisecond
            let reach = row % 128 < 96 ? 6 : 900
            block.values[row] = Double(random.within(-reach...reach)) / 1_000
        }
        return block
    }

    /// Returns values of a converter with a gain, and one value that is not a multiple of its step.
    private static func gain() -> BlockBuffer {
        var random = TestRandom(seed: 94)
        let block = BlockBuffer()
        block.count = 500
        for row in 0..<block.count {
            block.starts[row] = june + Int64(row) * 4 * millisecond
            block.values[row] = Double(random.within(-900...2_000)) / 2_281
        }
        block.values[77] = -0.0
        return block
    }

    /// Returns decimals minus a constant: corrections of a few units in the last place.
    private static func computed() -> BlockBuffer {
        var random = TestRandom(seed: 95)
        let block = BlockBuffer()
        block.count = 400
        for row in 0..<block.count {
            block.starts[row] = june + Int64(random.within(row * 50...row * 50 + 49)) * millisecond
            block.values[row] = Double(random.within(0...9_999)) / 10_000 - 0.9813
        }
        return block
    }
}
