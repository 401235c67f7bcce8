// SPDX-License-Identifier: Apache-2.0

import Bytes

@testable import ColumnCodec

/// Initial columns: every encoding of a few shapes.
enum ColumnSeeds {
    /// Inputs of the round trips.
    static func values(reals: Bool) -> [[UInt8]] {
        let tails: [[UInt8]] = [
            [0x05, 0x00, 0x04, 10, 0, 1, 0], [0x40, 0x00, 0x0C, 0x30, 0x00, 100, 5, 7, 3],
            [0x90, 0x01, 0x0C, 0x90, 0x01, 1, 2, 9, 9], [0xFF, 0x05, 0x0C, 0xFF, 0x05, 200, 40, 3, 1],
            [0x10, 0x00, 0x70, 1, 2, 3, 1, 2, 3, 7, 8], [0x00, 0x03, 0x0D, 0x00, 0x02, 16, 39, 0, 5, 1],
            [0x20, 0x00, 0x33] + (0..<32).map { UInt8($0 * 7) },
            [0x00, 0x01, 0x0F, 0x80, 0x00, 0, 0, 0, 0, 0, 0, 0, 64, 20, 1, 1, 0x03, 1, 2, 3, 4, 5, 6, 7, 8],
        ]
        var seeds: [[UInt8]] = []
        for way in UInt8(0)..<(reals ? 12 : 13) {
            for (number, tail) in tails.enumerated() {
                let head = [way, UInt8(number % 3)]
                seeds.append(head + (reals ? [way, UInt8(number)] : []) + tail)
            }
        }
        return seeds
    }

    /// Inputs of the decoders: the encoders' output for the round-trip inputs.
    static func columns(reals: Bool) -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for seed in values(reals: reals) {
            var input = Input(seed)
            let way = input.byte() % (reals ? 12 : 13)
            let lz4: LZ4Mode = input.byte() % 3 == 1 ? .always : .never
            var columns: [(bytes: [UInt8], count: Int)] = []
            if reals {
                var encoder = RealColumnEncoder()
                encoder.forced = way == 0 ? nil : 16 + way
                encoder.lz4 = lz4
                for values in Shapes.reals(&input) {
                    var writer = ByteWriter()
                    _ = encoder.encode(values, values.indices, into: &writer)
                    columns.append((writer.bytes, values.count))
                }
            } else {
                var encoder = IntegerColumnEncoder()
                encoder.forced = way == 0 ? nil : way
                encoder.lz4 = lz4
                for values in Shapes.integers(&input) {
                    var writer = ByteWriter()
                    _ = encoder.encode(values, values.indices, into: &writer)
                    columns.append((writer.bytes, values.count))
                }
            }
            for column in columns where column.bytes.count < 2000 { seeds += inputs(column.bytes, column.count) }
        }
        return seeds
    }

    /// Returns the whole column, and its payload for a frame that the target generates.
    private static func inputs(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
        let size = [UInt8(count & 255), count < 256 ? 0 : 0x80 | UInt8(count >> 8)]
        guard let frame = try? NaiveColumn.frame(bytes, at: 0, end: bytes.count, count: count), !frame.isLZ4 else {
            return [[0, 0] + size + bytes]
        }
        return [[3, frame.encoding] + size + bytes[frame.payload]]
    }
}
