// SPDX-License-Identifier: Apache-2.0

/// A synthetic electrocardiogram at 512 Hz with known values.
///
/// Values are multiples of an eighth of a microvolt, so that sums are exact and the program can check results bit by
/// bit.
struct Signal {
    /// The sampling interval, 1/512 s, in nanoseconds: an integer.
    static let step: Int64 = 1_953_125
    /// The start of the signal, 2026-01-01T00:00:00Z.
    static let begin: Int64 = 1_767_225_600_000_000_000

    /// One beat of 440 steps: rest, a P wave, a QRS complex, a T wave.
    private let beat: [Int64] = {
        var shape = [Int64](repeating: 0, count: 440)
        func bump(at centre: Int, width: Int, height: Int64) {
            for offset in -width...width {
                shape[centre + offset] += height * Int64(width - abs(offset)) / Int64(width)
            }
        }
        bump(at: 80, width: 20, height: 900)
        bump(at: 140, width: 5, height: -900)
        bump(at: 148, width: 6, height: 9_200)
        bump(at: 156, width: 6, height: -1_900)
        bump(at: 270, width: 45, height: 2_400)
        return shape
    }()

    static func time(_ index: Int) -> Int64 { begin + Int64(index) * step }

    /// Returns the value of sample `index` in eighths of a microvolt: beat, slow drift, and noise hashed from the
    /// index.
    func eighths(_ index: Int) -> Int64 {
        var hash = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
        let noise = Int64(hash % 97) - 48
        let drift = Int64(abs(index % 8_192 - 4_096)) / 8
        return beat[index % beat.count] + drift + noise
    }

    func value(_ index: Int) -> Double { Double(eighths(index)) / 8 }

    /// Returns the exact sum of the samples in a range of indices.
    func sum(_ range: Range<Int>) -> Double {
        var total: Int64 = 0
        for index in range { total += eighths(index) }
        return Double(total) / 8
    }
}
