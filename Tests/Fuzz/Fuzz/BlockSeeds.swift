// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat

/// Blocks of samples from an input.
enum BlockSeeds {
    /// Returns starts, ends and values in some shape, with side columns chosen by the bits of two bytes.
    static func buffer(_ input: inout Input) -> BlockBuffer {
        let buffer = BlockBuffer()
        let shape = input.byte()
        let sides = input.byte()
        var starts = Shapes.integers(&input)[0]
        // Unsorted starts are mostly refused, sorted ones mostly accepted.
        if shape & 1 == 0 { starts.sort() }
        buffer.count = min(starts.count, BlockBuffer.capacity)
        let rows = 0..<buffer.count
        for row in rows { buffer.starts[row] = starts[row] }
        let reals = Shapes.reals(&input)[0]
        for row in rows {
            let value = reals[row % reals.count]
            buffer.values[row] = value.isFinite || shape & 2 == 2 ? value : 1
        }
        if shape & 4 == 4 {
            buffer.hasEnds = true
            let lengths = Shapes.integers(&input)[0]
            for row in rows { buffer.ends[row] = end(shape, buffer, row, lengths[row % lengths.count]) }
        }
        buffer.created = side(sides & 3, &input, rows, shape & 64 == 64 ? buffer.starts : nil)
        buffer.provenance = side(sides >> 2 & 3, &input, rows, nil)
        buffer.metadata = side(sides >> 4 & 3, &input, rows, nil)
        buffer.identityHigh = side(sides >> 6, &input, rows, nil)
        buffer.identityLow = shape & 128 == 0 && sides >> 6 == 0 ? .absent : side(3, &input, rows, nil)
        if shape & 128 == 0, sides >> 6 == 0 { buffer.identityLow = .absent }
        buffer.born = side(shape >> 5 & 1, &input, rows, nil)
        return buffer
    }

    private static func end(_ shape: UInt8, _ buffer: BlockBuffer, _ row: Int, _ length: Int64) -> Int64 {
        let start = buffer.starts[row]
        switch shape >> 3 & 3 {
        case 0: return row + 1 < buffer.count ? buffer.starts[row + 1] : start
        case 1: return start.addingReportingOverflow(length & 0xFFFF_FFFF).overflow ? start : start + length & 0xFF
        case 2: return max(start, start &+ length)
        default: return start &+ length
        }
    }

    private static func side(_ kind: UInt8, _ input: inout Input, _ rows: Range<Int>, _ base: [Int64]?) -> IntColumn {
        switch kind {
        case 0: return .absent
        case 1: return .constant(Int64(truncatingIfNeeded: input.number(4)))
        case 2: return .sequence(first: Int64(truncatingIfNeeded: input.number(8)))
        default:
            let values = Shapes.integers(&input)[0]
            return .values(rows.map { values[$0 % values.count] &+ (base?[$0] ?? 0) })
        }
    }

    /// Inputs of the round trip.
    static let samples: [[UInt8]] = [
        [0, 0, 9, 0, 0x04, 10, 0, 1, 0, 2, 1, 9, 0, 0x04, 1, 20, 1, 0],
        [4, 0xFF, 100, 0, 0x0C, 100, 0, 60, 9, 3, 1, 1, 2, 100, 0, 0x0C, 100, 0, 1, 5, 7, 7, 50, 0, 0x0C, 50, 0, 2, 8],
        [12, 0x55, 200, 0, 0x0E, 200, 0, 0, 0, 1, 0, 20, 1, 2, 5, 3, 200, 0, 0x0C, 200, 0, 1, 12, 9, 1, 9, 9, 9, 9],
        [44, 0xAA, 60, 0, 0x0C, 60, 0, 1, 30, 1, 1, 6, 9, 60, 0, 0x0C, 60, 0, 3, 9, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ]

    /// Inputs of the decoder: small blocks written by the encoder.
    static var blocks: [[UInt8]] {
        var encoder = BlockEncoder()
        return samples.compactMap { seed in
            var input = Input(seed)
            var writer = ByteWriter()
            let result = try? encoder.encode(buffer(&input), identity: Checksums.identity(), into: &writer)
            return result == nil ? nil : writer.bytes
        }
    }
}
