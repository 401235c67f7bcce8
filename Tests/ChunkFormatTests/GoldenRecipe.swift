// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import TestSupport

/// The recipe of the golden files of format version 1. Never changes, because it describes existing files.
enum GoldenRecipe {
    static let store: [UInt8] = (0..<16).map { 0xA0 + $0 }
    static let segment: [UInt8] = (0..<16).map { 0x10 + $0 * 3 }
    static let commit: UInt64 = 4711

    /// 2024-01-01T00:00:00Z.
    private static let newYear: Int64 = 1_704_067_200_000_000_000
    private static let second: Int64 = 1_000_000_000

    static func columns() throws -> [UInt8] {
        try build([
            (2, [points(0), points(1), points(2)]),
            (3, [contiguous()]),
            (40, [extremes()]),
            (41, [single()]),
            (5_000_000_000, [stages()]),
        ])
    }

    static func tree() throws -> [UInt8] {
        var blocks: [BlockBuffer] = []
        for index in 0..<70 {
            let block = BlockBuffer()
            block.count = 3
            for row in 0..<3 {
                block.starts[row] = newYear + Int64(index * 3 + row) * second
                block.values[row] = Double((index * 7 + row * 5) % 31) / 4
            }
            blocks.append(block)
        }
        return try build([(9, blocks)])
    }

    private static func build(_ runs: [(series: UInt64, blocks: [BlockBuffer])]) throws -> [UInt8] {
        try TestSegment.build(runs, store: store, segment: segment, commit: commit)
    }

    /// Returns about one value a second, with jitter in milliseconds.
    private static func points(_ part: Int) -> BlockBuffer {
        var random = TestRandom(seed: UInt64(part) + 1)
        let block = BlockBuffer()
        block.count = 200
        block.grid = .quarterHours
        for row in 0..<block.count {
            block.starts[row] = newYear + Int64(part * 200 + row) * second + Int64(random.below(40)) * 1_000_000
            block.values[row] = Double(60 + random.below(9))
        }
        block.born = .constant(12)
        block.identityHigh = .constant(0x0123_4567_89AB_8DEF)
        block.identityLow = .sequence(first: Int64(part) * 200 - 5_000_000_000_000_000_000)
        return block
    }

    /// Returns steps: each interval begins at the end of the previous one.
    private static func contiguous() -> BlockBuffer {
        var random = TestRandom(seed: 77)
        let block = BlockBuffer()
        block.count = 130
        block.hasEnds = true
        var created: [Int64] = []
        var provenance: [Int64] = []
        var metadata: [Int64] = []
        var now = newYear
        for row in 0..<block.count {
            block.starts[row] = now
            now += Int64(random.within(5...600)) * second
            block.ends[row] = now
            block.values[row] = Double(random.within(1...180))
            created.append(now + Int64(random.within(1...30)) * second)
            provenance.append(row < 100 ? 3 : 4)
            metadata.append(random.oneIn(10) ? 2 : 0)
        }
        block.created = .values(created)
        block.provenance = .values(provenance)
        block.metadata = .values(metadata)
        block.identityHigh = .values((0..<130).map { _ in Int64(bitPattern: random.next()) })
        block.identityLow = .values((0..<130).map { _ in Int64(bitPattern: random.next()) })
        block.born = .values((0..<130).map { Int64(20 + $0 / 50) })
        return block
    }

    /// Returns the ends of the time range, and doubles that rounding would lose.
    private static func extremes() -> BlockBuffer {
        let block = BlockBuffer()
        let values: [Double] = [
            -0.0, 0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            0.1, 1.0 / 3, 1e15 + 0.5, -1e-300,
        ]
        block.count = values.count
        block.hasEnds = true
        for row in 0..<block.count {
            block.starts[row] = row < 5 ? .min + Int64(row) : .max - Int64(10 - row)
            block.ends[row] = row == 0 ? .max : block.starts[row]
            block.values[row] = values[row]
        }
        block.created = .values((0..<10).map { $0 % 2 == 0 ? .min : .max })
        block.metadata = .constant(.max)
        return block
    }

    private static func single() -> BlockBuffer {
        let block = BlockBuffer()
        block.count = 1
        block.starts[0] = newYear
        block.values[0] = 36.6
        return block
    }

    /// Returns a category with long runs.
    private static func stages() -> BlockBuffer {
        let block = BlockBuffer()
        block.count = 300
        block.hasEnds = true
        block.grid = .days
        for row in 0..<block.count {
            block.starts[row] = newYear + Int64(row) * 30 * second
            block.ends[row] = block.starts[row] + 30 * second
            block.values[row] = Double([1, 3, 3, 4, 3, 5, 3, 2][row / 40])
        }
        block.created = .constant(newYear + 40_000 * second)
        block.provenance = .constant(1)
        block.metadata = .constant(0)
        block.born = .constant(2)
        return block
    }
}
