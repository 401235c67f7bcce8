// SPDX-License-Identifier: Apache-2.0

import Bytes

/// A bit encoding for integers near the preceding ones: frames of 128 numbers, each with the best prediction and width.
/// `Docs/Format/Catalog.md` describes the bits.
enum RiceFrames {
    /// The numbers of a frame.
    private static let length = 128
    /// The number of ones after which a number is written in full.
    private static let escape = 24
    /// The maximum width of the low part.
    private static let widest = 57

    /// The two preceding numbers.
    private struct History {
        var last: Int64 = 0
        var before: Int64 = 0

        /// Returns the prediction of the next number: zero, the last number, or the extrapolation of the last two.
        func prediction(_ order: Int) -> Int64 {
            switch order {
            case 0: 0
            case 1: last
            default: last &+ (last &- before)
            }
        }

        mutating func take(_ number: Int64) { (last, before) = (number, last) }
    }

    static func encode(_ numbers: [Int64], into writer: inout ByteWriter) {
        var history = History()
        for first in stride(from: 0, to: numbers.count, by: length) {
            let frame = numbers[first..<min(first + length, numbers.count)]
            var best: (bits: Int, order: Int, width: Int, rest: [UInt64]) = (.max, 0, 0, [])
            for order in 0...2 {
                let rest = self.rest(frame, order, history)
                let mean = rest.reduce(0.0) { $0 + Double($1) } / Double(rest.count)
                let guess = mean < 1 ? 0 : min(Int(mean.exponent), widest)
                for width in max(0, guess - 1)...min(widest, guess + 1) {
                    let bits = rest.reduce(0) { $0 + cost($1, width) }
                    if bits < best.bits { best = (bits, order, width, rest) }
                }
            }
            writer.put(UInt8(truncatingIfNeeded: best.order << 6 | best.width))
            var bits = BitSink()
            for number in best.rest { write(number, best.width, &bits) }
            bits.finish()
            writer.put(bytes: bits.bytes)
            for number in frame { history.take(number) }
        }
    }

    static func decode(_ count: Int, _ reader: inout ByteReader) throws(ByteError) -> [Int64] {
        var history = History()
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        while numbers.count < count {
            let at = reader.offset
            let head = Int(try reader.u8())
            let (order, width) = (head >> 6, head & 63)
            guard order <= 2, width <= widest else { throw ByteError(offset: at, what: "invalid frame of voltages") }
            var bits = BitSource()
            for _ in 0..<min(length, count - numbers.count) {
                var ones = 0
                while ones < escape, try bits.next(1, &reader) == 1 { ones += 1 }
                let rest =
                    ones == escape
                    ? try bits.next(32, &reader) | (try bits.next(32, &reader)) << 32
                    : UInt64(ones) << UInt64(width) | (try bits.next(width, &reader))
                // Zigzag: the lowest bit is the sign.
                let difference = Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
                let number = history.prediction(order) &+ difference
                history.take(number)
                numbers.append(number)
            }
        }
        return numbers
    }

    /// Returns the differences from the predictions of a frame, with signs in the lowest bit.
    private static func rest(_ frame: ArraySlice<Int64>, _ order: Int, _ history: History) -> [UInt64] {
        var history = history
        return frame.map { number in
            let difference = number &- history.prediction(order)
            history.take(number)
            return UInt64(bitPattern: difference &<< 1 ^ difference &>> 63)
        }
    }

    private static func cost(_ rest: UInt64, _ width: Int) -> Int {
        let ones = rest >> UInt64(width)
        return ones < UInt64(escape) ? Int(ones) + 1 + width : escape + 64
    }

    private static func write(_ rest: UInt64, _ width: Int, _ bits: inout BitSink) {
        let ones = rest >> UInt64(width)
        if ones < UInt64(escape) {
            bits.put((1 << ones) - 1, Int(ones) + 1)
            bits.put(rest & ((1 << UInt64(width)) - 1), width)
        } else {
            bits.put((1 << UInt64(escape)) - 1, escape)
            bits.put(rest & 0xFFFF_FFFF, 32)
            bits.put(rest >> 32, 32)
        }
    }
}

/// A writer of bits to bytes, lowest bit first.
private struct BitSink {
    private(set) var bytes: [UInt8] = []
    private var held: UInt64 = 0
    private var count = 0

    /// Writes the lowest bits of a number, at most 57.
    ///
    /// - Requires: all higher bits are zero.
    mutating func put(_ value: UInt64, _ width: Int) {
        held |= value << UInt64(count)
        count += width
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: held))
            held >>= 8
            count -= 8
        }
    }

    /// Fills the last byte with zeros.
    mutating func finish() {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: held)) }
        (held, count) = (0, 0)
    }
}

/// A reader of bits from bytes, which are read on demand.
private struct BitSource {
    private var held: UInt64 = 0
    private var count = 0

    /// Returns the next bits, at most 57.
    mutating func next(_ width: Int, _ reader: inout ByteReader) throws(ByteError) -> UInt64 {
        while count < width {
            held |= UInt64(try reader.u8()) << UInt64(count)
            count += 8
        }
        let value = held & ((1 << UInt64(width)) - 1)
        held >>= UInt64(width)
        count -= width
        return value
    }
}
