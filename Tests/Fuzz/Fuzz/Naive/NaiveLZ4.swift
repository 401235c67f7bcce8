// SPDX-License-Identifier: Apache-2.0

/// The block format of LZ4: a token, literals, a distance back, a match; again, until literals end it.
enum NaiveLZ4 {
    /// Returns exactly `count` bytes, or nil.
    static func expand(_ stored: ArraySlice<UInt8>, to count: Int) -> [UInt8]? {
        var reader = NaiveReader(Array(stored))
        var plain: [UInt8] = []
        while let token = try? reader.byte() {
            guard let literals = length(Int(token >> 4), &reader), literals <= reader.left,
                plain.count + literals <= count
            else { return nil }
            plain.append(contentsOf: reader.bytes[reader.at..<reader.at + literals])
            reader.at += literals
            if reader.left == 0 { break }
            guard let distance = (try? reader.number(2)).map({ Int($0) }), distance >= 1, distance <= plain.count,
                let match = length(Int(token & 15), &reader), plain.count + match + 4 <= count
            else { return nil }
            for _ in 0..<match + 4 { plain.append(plain[plain.count - distance]) }
        }
        return plain.count == count ? plain : nil
    }

    /// True if the library was stricter. It also requires a block to end in five literals or more.
    static func isRefusal(_ what: String) -> Bool { what.contains("LZ4 block is damaged") }

    private static func length(_ nibble: Int, _ reader: inout NaiveReader) -> Int? {
        var length = nibble
        if nibble < 15 { return length }
        while let more = try? reader.byte() {
            length += Int(more)
            if more < 255 { return length }
        }
        return nil
    }

    /// Returns a valid block of literals only, for any bytes.
    static func literals(_ plain: [UInt8]) -> [UInt8] {
        var stored = [UInt8(min(plain.count, 15) << 4)]
        if plain.count >= 15 {
            var rest = plain.count - 15
            while rest >= 255 {
                stored.append(255)
                rest -= 255
            }
            stored.append(UInt8(rest))
        }
        return stored + plain
    }
}
