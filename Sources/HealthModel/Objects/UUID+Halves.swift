// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UUID {
    /// Creates the UUID with these two numbers as bytes, the highest byte first.
    @inlinable
    package init(high: UInt64, low: UInt64) {
        func byte(_ half: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> shift) }
        self.init(
            uuid: (
                byte(high, 56), byte(high, 48), byte(high, 40), byte(high, 32), byte(high, 24), byte(high, 16),
                byte(high, 8), byte(high, 0), byte(low, 56), byte(low, 48), byte(low, 40), byte(low, 32),
                byte(low, 24), byte(low, 16), byte(low, 8), byte(low, 0)
            ))
    }

    /// The first and the last eight bytes, as big-endian numbers.
    @inlinable
    package var halves: (high: UInt64, low: UInt64) {
        func number(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt64 {
            UInt64(a) << 24 | UInt64(b) << 16 | UInt64(c) << 8 | UInt64(d)
        }
        let all = uuid
        return (
            number(all.0, all.1, all.2, all.3) << 32 | number(all.4, all.5, all.6, all.7),
            number(all.8, all.9, all.10, all.11) << 32 | number(all.12, all.13, all.14, all.15)
        )
    }
}
