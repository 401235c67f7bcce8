// SPDX-License-Identifier: Apache-2.0
// Bytes: the bits of one number. Encodes and decodes little-endian integers, doubles, varints and strings.

/// Encodes numbers and strings at the end of a byte array, little-endian.
@usableFromInline
package struct ByteWriter: Sendable {
    /// All bytes written so far.
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

    /// Appends the eight bytes of the bit pattern, which preserves every value, including -0.0 and NaN payloads.
    @inlinable
    package mutating func put(double value: Double) {
        put(value.bitPattern)
    }

    /// Appends a varint of one to ten bytes.
    @inlinable
    package mutating func put(varint value: UInt64) {
        bytes.put(varint: value)
    }

    /// Appends a varint of the zigzag form (0, -1, 1, -2 ...), which is short for numbers near zero.
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

    /// Appends the length of the UTF-8 form as a varint, then the UTF-8 bytes.
    @inlinable
    package mutating func put(string value: String) {
        put(varint: UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Overwrites four bytes at `offset`, for example with a length that is known only afterwards.
    ///
    /// - Requires: `offset + 4 <= count`.
    @inlinable
    package mutating func patch(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
        }
    }
}
