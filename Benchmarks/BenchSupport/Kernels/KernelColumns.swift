// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Foundation

/// Generated columns that suit each encoding.
///
/// - Invariant: the columns never change.
enum KernelColumns {
    /// The number of values in a column.
    static let count = 1_024

    /// The integer columns and the encodings that they suit.
    static let integers: [(name: String, encoding: UInt8)] = [
        ("constant", Encoding.constant), ("linear", Encoding.linear), ("packed 7 bits", Encoding.packed),
        ("packed 23 bits", Encoding.packed), ("packed 52 bits", Encoding.packed), ("delta", Encoding.delta),
        ("delta, LZ4", Encoding.delta), ("delta of delta", Encoding.deltaOfDelta), ("run length", Encoding.runLength),
        ("dictionary", Encoding.dictionary), ("clock", Encoding.clock),
    ]

    static let reals: [(name: String, encoding: UInt8)] = [
        ("constant", Encoding.realConstant), ("decimal", Encoding.decimal), ("ratio", Encoding.ratio),
        ("float32", Encoding.float32), ("ordered", Encoding.ordered), ("dictionary", Encoding.realDictionary),
        ("run length", Encoding.realRunLength), ("xor", Encoding.xor), ("shuffled", Encoding.shuffled),
        ("raw", Encoding.raw),
    ]

    /// Returns column number `index` of integers for an encoding.
    static func integers(_ name: String, _ index: Int) -> [Int64] {
        var random = BenchRandom(seed: UInt64(index + 1))
        var time: Int64 = 1_767_225_600_000_000_000 + Int64(index) * 1_024_000_000_000
        return (0..<count).map { i in
            switch name {
            case "constant": return 42
            case "linear": return Int64(i) * 1_953_125
            case "packed 7 bits": return Int64(random.below(1 << 7))
            case "packed 23 bits": return Int64(random.below(1 << 23))
            case "packed 52 bits": return Int64(random.below(1 << 52))
            case "delta, LZ4": return Int64(index * count + i) * 15_625 / 8 * 1_000
            case "delta":
                time += 1_000_000_000 + Int64(random.below(80) - 40) * 1_000_000
                return time
            case "delta of delta": return Int64(i) * Int64(i) * 3 + Int64(random.below(3))
            case "run length": return Int64(i / 37) * 1_000_003 % 17
            case "dictionary": return [5, 1_000_000_007, -3, 77, 12_345, -88_888_888][random.below(6)]
            default: return clock(Double(index * count + i) + random.fraction() * 0.1)
            }
        }
    }

    /// Returns a time in nanoseconds since 1970 with the rounding of `Date()`, whose double counts seconds from 2001.
    private static func clock(_ seconds: Double) -> Int64 {
        let reference = 788_918_400 + seconds
        let whole = reference.rounded(.down)
        return (Int64(whole) + 978_307_200) * 1_000_000_000 + Int64(((reference - whole) * 1e9).rounded())
    }

    /// Returns column number `index` of reals for an encoding.
    static func reals(_ name: String, _ index: Int) -> [Double] {
        var random = BenchRandom(seed: UInt64(index + 1))
        let pool = (0..<7).map { _ in random.fraction() * 1_000 }
        return (0..<count).map { i in
            switch name {
            case "constant": return 0.1
            case "decimal": return Double(random.below(20_000) - 10_000) / 1_000
            case "ratio": return Double(60 + random.below(40)) / 60
            case "float32": return Double(Float(random.fraction() * 200 - 100))
            case "dictionary": return pool[random.below(pool.count)]
            case "run length": return Double(i / 50 % 7) * 0.5
            case "xor": return 1 + Double(i) * 1e-13
            default: return random.fraction()
            }
        }
    }
}
