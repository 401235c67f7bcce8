// SPDX-License-Identifier: Apache-2.0
// TestSupport: simulated disks, sample streams and random numbers for the tests of every room.

/// A pseudo-random generator whose sequence never changes, so that a seed in a bug report stays valid.
///
/// The algorithm is xoshiro256** with its state filled by SplitMix64 (Blackman and Vigna). The sequences of the derived
/// draws below are fixed too: never change the result of an existing one, add another.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)
    /// The seed; print it when a test fails.
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

    /// Returns a number in `0 ..< bound`; 0 if the bound is not positive.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a number in a closed range.
    package mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        if width == .max { return Int64(bitPattern: next()) }
        return range.lowerBound &+ Int64(bitPattern: next().multipliedFullWidth(by: width + 1).high)
    }

    /// Returns a number in `0 ..< 1` with 53 random bits.
    package mutating func fraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Returns true with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        fraction() < probability
    }

    /// Returns one element.
    ///
    /// - Requires: the array is not empty.
    package mutating func pick<T>(_ array: [T]) -> T {
        array[below(array.count)]
    }

    /// Returns random bytes.
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

    /// Returns an approximately normal number of mean 0 and deviation 1 (a sum of twelve uniform ones), without a
    /// logarithm that may differ between C libraries.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += fraction() }
        return sum
    }

    /// Returns an independent generator for a part of a test, so that the draws of one part do not shift those of
    /// another.
    package mutating func split() -> SeededGenerator {
        SeededGenerator(seed: next())
    }
}

/// Fills the state of a generator from a seed; also serves as a hash of small numbers.
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
