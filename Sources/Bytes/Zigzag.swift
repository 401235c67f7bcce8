// SPDX-License-Identifier: Apache-2.0

/// The zigzag mapping of signed to unsigned numbers (0, -1, 1, -2, 2 ...).
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
}
