// SPDX-License-Identifier: Apache-2.0

/// The error for bytes that violate a rule of a format page.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ why: String) { description = why }
}

/// Reads numbers byte by byte, as the pages in `Docs/Format` define them. It shares no code with the rooms, so that an
/// error goes unnoticed only if both implementations make it.
struct NaiveReader {
    let bytes: [UInt8]
    var at: Int
    let end: Int

    init(_ bytes: [UInt8], at: Int = 0, end: Int? = nil) {
        self.bytes = bytes
        self.at = at
        self.end = end ?? bytes.count
    }

    var left: Int { end - at }

    mutating func byte() throws -> UInt8 {
        guard at < end else { throw Refused("cut off") }
        at += 1
        return bytes[at - 1]
    }

    /// Reads a little-endian number.
    mutating func number(_ size: Int) throws -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<size { value |= UInt64(try byte()) << UInt64(8 * index) }
        return value
    }

    mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        for place in 0..<10 {
            let byte = try byte()
            if place == 9, byte > 1 { throw Refused("a varint of more than 64 bits") }
            value |= UInt64(byte & 0x7f) << UInt64(7 * place)
            if byte < 0x80 { return value }
        }
        throw Refused("a varint of more than 10 bytes")
    }

    mutating func zigzag() throws -> Int64 {
        let code = try varint()
        return Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1)
    }

    /// Reads `count` consecutive values of `width` bits, padded to whole bytes.
    mutating func bits(_ count: Int, _ width: Int) throws -> [UInt64] {
        let size = (count * width + 7) / 8
        guard size <= left else { throw Refused("bits run past the end") }
        var values = [UInt64](repeating: 0, count: count)
        for index in 0..<count {
            var value: UInt64 = 0
            var taken = 0
            while taken < width {
                let place = index * width + taken
                let take = min(8 - place % 8, width - taken)
                let part = UInt64(bytes[at + place / 8] >> UInt8(place % 8)) & ((1 << UInt64(take)) - 1)
                value |= part << UInt64(taken)
                taken += take
            }
            values[index] = value
        }
        at += size
        return values
    }
}
