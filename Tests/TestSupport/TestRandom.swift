// SPDX-License-Identifier: Apache-2.0

/// SplitMix64 with draws in the value distributions that codecs encounter. Golden files depend on it, so it never
/// changes.
package struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
    package mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    package mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }
    /// Returns a number in `0 ..< 1`.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
    /// Returns mostly small numbers, sometimes large ones, and rarely extremes.
    package mutating func int64() -> Int64 {
        switch below(8) {
        case 0: Int64(bitPattern: next())
        case 1: pick([Int64.min, .max, 0, -1, 1, .min + 1, .max - 1])
        case 2: Int64(bitPattern: next()) >> Int64(below(63))
        default: Int64(below(1000)) - 200
        }
    }
}
