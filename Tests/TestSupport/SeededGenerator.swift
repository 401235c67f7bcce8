// SPDX-License-Identifier: Apache-2.0
// TestSupport: what fakes a disk, a stream of samples or a die for the tests of every room.

/// A pseudo-random generator of our own, so that a seed in a bug report means the same for ever.
///
/// xoshiro256** with its state filled by SplitMix64 (Blackman and Vigna). The derived draws below are part of the
/// promise: never change what an existing one returns, add another.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)
    /// What it was made from; print it when a test fails.
    package let seed: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        var mix = SplitMix64(state: seed)
        state = (mix.next(), mix.next(), mix.next(), mix.next())
    }

    package mutating func next() -> UInt64 {
        let result = Self.rotate(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotate(state.3, 45)
        return result
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }

    /// A number in `0 ..< bound`; 0 if the bound is not positive.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in a closed range.
    package mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        if width == .max { return Int64(bitPattern: next()) }
        return range.lowerBound &+ Int64(bitPattern: next().multipliedFullWidth(by: width + 1).high)
    }

    /// A number in `0 ..< 1` with 53 random bits.
    package mutating func fraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// True with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        fraction() < probability
    }

    /// One element; the array must not be empty.
    package mutating func pick<T>(_ array: [T]) -> T {
        array[below(array.count)]
    }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            var word = next()
            for _ in 0..<min(8, count - result.count) {
                result.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return result
    }

    /// A roughly normal number of mean 0 and deviation 1 (sum of twelve), without a library's idea of a logarithm.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += fraction() }
        return sum
    }

    /// A generator of its own for a part of a test, so that one part's draws do not shift another's.
    package mutating func split() -> SeededGenerator {
        SeededGenerator(seed: next())
    }
}

/// Fills state from a seed; also a hash of small numbers.
package struct SplitMix64: Sendable {
    package var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
