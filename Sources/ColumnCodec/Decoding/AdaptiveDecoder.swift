// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Decodes an adaptive stream. `Docs/Format/Columns.md` describes the bytes.
struct AdaptiveDecoder {
    private let bytes: [UInt8]
    private var model: AdaptiveModel
    private var code: UInt32 = 0
    private var range: UInt32 = .max
    /// The next byte of the choices, and the offset after the last one.
    private var at: Int
    private let end: Int
    /// The next byte of the plain bits, and the offset after the last one.
    private var plain: Int
    private let plainEnd: Int
    private var bits: UInt64 = 0
    private var count: UInt64 = 0
    /// Whether more bytes were needed than there are.
    private var isShort = false

    /// Decodes `n` numbers at the reader's position into the first elements of an array.
    static func decode(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ n: Int, into out: inout [Int64]
    ) throws(ByteError) {
        let offset = reader.offset
        let start = try reader.u8()
        let (choices, plain) = (try reader.varint(), try reader.varint())
        guard choices <= UInt64(reader.remaining), plain <= UInt64(reader.remaining) - choices else {
            throw ByteError(offset: offset, what: "choices run past the end")
        }
        var decoder = AdaptiveDecoder(
            bytes, AdaptiveModel(start: start), at: reader.offset, Int(choices), Int(plain))
        for place in 0..<n {
            out[place] = decoder.number()
            if decoder.isShort { break }
        }
        guard !decoder.isShort, decoder.at == decoder.end, decoder.plain == decoder.plainEnd else {
            throw ByteError(offset: offset, what: "wrong number of choices")
        }
        reader.offset = decoder.plainEnd
    }

    private init(_ bytes: [UInt8], _ model: AdaptiveModel, at: Int, _ choices: Int, _ plain: Int) {
        self.bytes = bytes
        self.model = model
        self.at = at
        end = at + choices
        self.plain = end
        plainEnd = end + plain
        for _ in 0..<4 { code = code << 8 | next() }
    }

    @inline(__always)
    private mutating func next() -> UInt32 {
        guard at < end else {
            isShort = true
            return 0
        }
        defer { at += 1 }
        return UInt32(bytes[at])
    }

    private mutating func number() -> Int64 {
        let (expected, walk) = model.expectation
        var length = expected
        if step(AdaptiveModel.up(walk, 0)) {
            length += 1
            while length < 64, step(AdaptiveModel.up(walk, length - expected)) { length += 1 }
        } else {
            while length > 0, step(AdaptiveModel.down(walk, expected - length)) { length -= 1 }
        }
        length = min(length, 64)
        if length == 0 {
            model.learn(0)
            return 0
        }
        var magnitude: UInt64 = 1
        if length >= 2 {
            let first = bit(length * 4)
            magnitude = first ? 3 : 2
            if length >= 3 {
                magnitude = magnitude << 1 | (bit(length * 4 + (first ? 2 : 1)) ? 1 : 0)
                if length > 3 { magnitude = magnitude << UInt64(length - 3) | takePlain(length - 3) }
            }
        }
        model.learn(magnitude)
        let isNegative = takePlain(1) == 1
        return Int64(bitPattern: isNegative ? 0 &- magnitude : magnitude)
    }

    @inline(__always)
    private mutating func step(_ index: Int) -> Bool {
        let isTrue = take(model.step(index))
        model.learnStep(index, isTrue)
        return isTrue
    }

    @inline(__always)
    private mutating func bit(_ index: Int) -> Bool {
        let isTrue = take(model.bit(index))
        model.learnBit(index, isTrue)
        return isTrue
    }

    @inline(__always)
    private mutating func take(_ probability: UInt32) -> Bool {
        let bound = (range >> 16) * probability
        let isTrue = code < bound
        if isTrue {
            range = bound
        } else {
            code &-= bound
            range &-= bound
        }
        while range < 1 << 24 {
            range <<= 8
            code = code << 8 | next()
        }
        return isTrue
    }

    private mutating func takePlain(_ width: Int) -> UInt64 {
        if width > 32 {
            let low = takePlain(32)
            return low | takePlain(width - 32) << 32
        }
        while count < UInt64(width) {
            if plain < plainEnd {
                bits |= UInt64(bytes[plain]) << count
                plain += 1
            } else {
                isShort = true
            }
            count += 8
        }
        let number = bits & (1 << UInt64(width) - 1)
        bits >>= UInt64(width)
        count -= UInt64(width)
        return number
    }
}
