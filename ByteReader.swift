// SPDX-License-Identifier: Apache-2.0

/// An error in encoded bytes and its offset.
@usableFromInline
package struct ByteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Offset in the array from which the value was read.
    @usableFromInline package let offset: Int
    /// The cause, for example "ran past the end".
    @usableFromInline package let what: String

    @inlinable
    package init(offset: Int, what: String) {
        self.offset = offset
        self.what = what
    }

    @usableFromInline package var description: String { "byte \(offset): \(what)" }
}

/// Decodes values that a `ByteWriter` encoded. Every read is checked against `end`; no read traps.
@usableFromInline
package struct ByteReader: Sendable {
    @usableFromInline let bytes: [UInt8]
    /// Offset of the next byte in the array given to `init`.
    @usableFromInline package var offset: Int
    /// Offset after the last readable byte.
    @usableFromInline package let end: Int

    /// Reads `bytes[at..<end]`; clamps both bounds to the array.
    @inlinable
    package init(_ bytes: [UInt8], at: Int = 0, end: Int? = nil) {
        self.bytes = bytes
        let last = max(0, min(end ?? bytes.count, bytes.count))
        self.end = last
        self.offset = max(0, min(at, last))
    }

    /// Number of bytes left to read.
    @inlinable package var remaining: Int { end - offset }

    @inlinable
    mutating func take(_ count: Int) throws(ByteError) -> Int {
        guard count >= 0, count <= end - offset else { throw ByteError(offset: offset, what: "ran past the end") }
        let start = offset
        offset = start + count
        return start
    }

    @inlinable
    package mutating func u8() throws(ByteError) -> UInt8 {
        bytes[try take(1)]
    }

    @inlinable
    package mutating func u16() throws(ByteError) -> UInt16 {
        let start = try take(2)
        return UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
    }

    @inlinable
    package mutating func u32() throws(ByteError) -> UInt32 {
        let start = try take(4)
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(bytes[start + index]) << UInt32(8 * index) }
        return value
    }

    @inlinable
    package mutating func u64() throws(ByteError) -> UInt64 {
        let start = try take(8)
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[start + index]) << UInt64(8 * index) }
        return value
    }

    @inlinable
    package mutating func i64() throws(ByteError) -> Int64 {
        Int64(bitPattern: try u64())
    }

    @inlinable
    package mutating func double() throws(ByteError) -> Double {
        Double(bitPattern: try u64())
    }

    /// Decodes a varint of one to ten bytes; throws if the value needs more than 64 bits.
    @inlinable
    package mutating func varint() throws(ByteError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var at = offset
        while at < end {
            let byte = bytes[at]
            at += 1
            if shift == 63, byte > 1 { throw ByteError(offset: offset, what: "varint too long") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                offset = at
                return value
            }
            shift += 7
        }
        throw ByteError(offset: offset, what: "ran past the end")
    }

    @inlinable
    package mutating func zigzag() throws(ByteError) -> Int64 {
        Zigzag.decode(try varint())
    }

    @inlinable
    package mutating func bytes(_ count: Int) throws(ByteError) -> ArraySlice<UInt8> {
        let start = try take(count)
        return bytes[start..<(start + count)]
    }

    /// Decodes a varint length and that many bytes of UTF-8; throws if the bytes are not valid UTF-8.
    @inlinable
    package mutating func string() throws(ByteError) -> String {
        let start = offset
        let length = try varint()
        guard length <= UInt64(remaining) else {
            offset = start
            throw ByteError(offset: start, what: "string runs past the end")
        }
        let slice = try bytes(Int(length))
        guard let value = String(validating: slice, as: UTF8.self) else {
            throw ByteError(offset: start, what: "string is not UTF-8")
        }
        return value
    }

    @inlinable
    package mutating func skip(_ count: Int) throws(ByteError) {
        _ = try take(count)
    }
}
