// SPDX-License-Identifier: Apache-2.0

/// Numbers of one to ten bytes: seven bits a byte, lowest first; the high bit marks that a byte follows.
@usableFromInline
package enum Varint {
    /// Calls `put` with each byte of a number.
    @inlinable
    package static func write(_ value: UInt64, _ put: (UInt8) -> Void) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    /// Returns the number of bytes of a number, 1 to 10.
    @inlinable
    package static func length(_ value: UInt64) -> Int {
        let bits = 64 - value.leadingZeroBitCount
        return bits == 0 ? 1 : (bits + 6) / 7
    }
}

extension [UInt8] {
    @inlinable
    package mutating func put(varint value: UInt64) { Varint.write(value) { append($0) } }

    /// Appends a varint of the zigzag form, which is short for numbers near zero.
    @inlinable
    package mutating func put(zigzag value: Int64) { put(varint: Zigzag.encode(value)) }
}

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
