// SPDX-License-Identifier: Apache-2.0
// Bytes: the bits of one number; little-endian integers, doubles, varints and strings, written and read back.

/// Appends numbers to an array of bytes, little-endian.
@usableFromInline
package struct ByteWriter: Sendable {
    /// Everything written so far.
    @usableFromInline package var bytes: [UInt8]

    @inlinable
    package init(capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Number of bytes written so far.
    @inlinable package var count: Int { bytes.count }

    @inlinable
    package mutating func put(_ value: UInt8) {
        bytes.append(value)
    }

    @inlinable
    package mutating func put(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }

    @inlinable
    package mutating func put(_ value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    @inlinable
    package mutating func put(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    @inlinable
    package mutating func put(_ value: Int64) {
        put(UInt64(bitPattern: value))
    }

    /// The eight bytes of the bit pattern, so that every value, -0.0 and NaN payloads included, comes back.
    @inlinable
    package mutating func put(double value: Double) {
        put(value.bitPattern)
    }

    /// Seven bits a byte, lowest first; the high bit says that another byte follows. One to ten bytes.
    @inlinable
    package mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A varint of the zigzag form 0, -1, 1, -2 ... so that numbers near zero are short.
    @inlinable
    package mutating func put(zigzag value: Int64) {
        put(varint: Zigzag.encode(value))
    }

    @inlinable
    package mutating func put(bytes other: [UInt8]) {
        bytes.append(contentsOf: other)
    }

    @inlinable
    package mutating func put(bytes other: ArraySlice<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// The length of the UTF-8 form as a varint, then the UTF-8 bytes.
    @inlinable
    package mutating func put(string value: String) {
        put(varint: UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes over four bytes at `offset`, which must lie inside what is written: for lengths known afterwards.
    @inlinable
    package mutating func patch(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
        }
    }
}
