// SPDX-License-Identifier: Apache-2.0

/// SplitMix64: a seed means the same numbers for ever.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }
    /// Small numbers mostly, great ones sometimes, extremes now and then.
    mutating func int64() -> Int64 {
        switch below(8) {
        case 0: Int64(bitPattern: next())
        case 1: pick([Int64.min, .max, 0, -1, 1, .min + 1, .max - 1])
        case 2: Int64(bitPattern: next()) >> Int64(below(63))
        default: Int64(below(1000)) - 200
        }
    }
}
