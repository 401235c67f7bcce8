// SPDX-License-Identifier: Apache-2.0

/// The zigzag mapping of signed to unsigned numbers (0, -1, 1, -2, 2 ...), and the lengths of varints.
@usableFromInline
package enum Zigzag {
    @inlinable
    package static func encode(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    @inlinable
    package static func decode(_ value: UInt64) -> Int64 {
        Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }

    /// Returns the number of bytes that `put(varint:)` writes for `value`: 1 to 10.
    @inlinable
    package static func varintLength(_ value: UInt64) -> Int {
        let bits = 64 - value.leadingZeroBitCount
        return bits == 0 ? 1 : (bits + 6) / 7
    }
}
