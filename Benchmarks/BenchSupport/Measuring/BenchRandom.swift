// SPDX-License-Identifier: Apache-2.0

/// A small pseudo-random generator with a fixed sequence for each seed (SplitMix64).
package struct BenchRandom {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number in `0 ..< bound`.
    package mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(max(1, bound))).high) }

    /// Returns a number in `0 ..< 1`.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
