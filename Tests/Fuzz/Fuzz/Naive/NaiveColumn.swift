// SPDX-License-Identifier: Apache-2.0

/// A literal implementation of `Docs/Format/Columns.md`, without optimization.
enum NaiveColumn {
    /// Encoding, stored payload, whether it is LZ4, length before compression, offset after the column.
    struct Frame {
        var encoding: UInt8
        var payload: Range<Int>
        var isLZ4: Bool
        var plain: Int
    }

    static func frame(_ bytes: [UInt8], at: Int, end: Int, count: Int) throws -> Frame {
        var reader = NaiveReader(bytes, at: at, end: end)
        let encoding = try reader.byte()
        let flags = try reader.byte()
        guard flags <= 1 else { throw Refused("flags") }
        let stored = try reader.varint()
        let plain = flags == 1 ? try reader.varint() : stored
        guard stored <= UInt64(reader.left), plain <= UInt64(16 * count + 4096) else { throw Refused("lengths") }
        return Frame(
            encoding: encoding, payload: reader.at..<reader.at + Int(stored), isLZ4: flags == 1, plain: Int(plain))
    }

    /// Returns a reader of a frame's payload, or nil for invalid LZ4, where the two decoders may differ: the library
    /// refuses some endings that the naive decoder accepts.
    static func payload(_ bytes: [UInt8], _ frame: Frame) -> NaiveReader? {
        if !frame.isLZ4 { return NaiveReader(bytes, at: frame.payload.lowerBound, end: frame.payload.upperBound) }
        guard let plain = NaiveLZ4.expand(bytes[frame.payload], to: frame.plain) else { return nil }
        return NaiveReader(plain)
    }

    // MARK: integers

    static func integers(_ encoding: UInt8, _ reader: inout NaiveReader, _ count: Int) throws -> [Int64] {
        switch encoding {
        case 6:
            let runs = try entries(&reader, atMost: count)
            let values = try reader.sequence(runs)
            return try spread(values, try reader.sequence(runs), count)
        case 7:
            let size = try entries(&reader, atMost: min(256, count))
            let values = try reader.sequence(size)
            return try codes(&reader, count, below: size).map { values[$0] }
        case 8:
            let second = try reader.zigzag()
            return try reader.sequence(count).map { tick in
                let whole = second &+ (tick >> 23)
                return whole &* 1_000_000_000 &+ ((tick & 0x7f_ffff) * 1_953_125 + 8192) / 16384
            }
        default: return try reader.sequence(encoding, count)
        }
    }

    private static func entries(_ reader: inout NaiveReader, atMost most: Int) throws -> Int {
        let number = try reader.varint()
        guard number >= 1, number <= UInt64(most) else { throw Refused("number of entries") }
        return Int(number)
    }

    /// Expands runs of equal values.
    private static func spread<T>(_ values: [T], _ lengths: [Int64], _ count: Int) throws -> [T] {
        var all: [T] = []
        for (value, length) in zip(values, lengths) {
            guard length >= 1, length <= Int64(count - all.count) else { throw Refused("length of a run") }
            for _ in 0..<length { all.append(value) }
        }
        guard all.count == count else { throw Refused("runs shorter than the column") }
        return all
    }

    private static func codes(_ reader: inout NaiveReader, _ count: Int, below limit: Int) throws -> [Int] {
        let width = Int(try reader.byte())
        guard width <= 8 else { throw Refused("width of codes") }
        return try reader.bits(count, width).map { code in
            guard code < UInt64(limit) else { throw Refused("code without an entry") }
            return Int(code)
        }
    }

    // MARK: reals, as their bits

    static func reals(_ encoding: UInt8, _ reader: inout NaiveReader, _ count: Int) throws -> [UInt64] {
        switch encoding {
        case 17:
            let value = try reader.number(8)
            return [UInt64](repeating: value, count: count)
        case 22:
            let size = try entries(&reader, atMost: min(256, count))
            let values = try scalars(try reader.byte(), &reader, size)
            return try codes(&reader, count, below: size).map { values[$0] }
        case 23:
            let runs = try entries(&reader, atMost: count)
            let values = try scalars(try reader.byte(), &reader, runs)
            return try spread(values, try reader.sequence(runs), count)
        case 24:
            var last = try reader.number(8)
            return try planes(&reader, count).map { change in
                last ^= change
                return last
            }
        case 25: return try planes(&reader, count)
        case 27:
            let divisor = Double(bitPattern: try reader.number(8))
            let offset = Double(bitPattern: try reader.number(8))
            guard divisor.isFinite, offset.isFinite, divisor != 0 else { throw Refused("divisor or offset") }
            let numbers = try reader.sequence(count)
            return zip(numbers, try reader.sequence(count)).map { number, correction in
                unordered(ordered((Double(number) / divisor + offset).bitPattern) &+ correction)
            }
        default: return try scalars(encoding, &reader, count)
        }
    }

    private static func planes(_ reader: inout NaiveReader, _ count: Int) throws -> [UInt64] {
        let mask = try reader.byte()
        guard reader.left >= mask.nonzeroBitCount * count else { throw Refused("planes run past the end") }
        var values = [UInt64](repeating: 0, count: count)
        for plane in 0..<8 where mask >> UInt8(plane) & 1 == 1 {
            for index in 0..<count { values[index] |= UInt64(try reader.byte()) << UInt64(8 * plane) }
        }
        return values
    }

    private static func scalars(_ encoding: UInt8, _ reader: inout NaiveReader, _ count: Int) throws -> [UInt64] {
        switch encoding {
        case 18, 19:
            let divisor = try divisor(encoding, try reader.byte())
            let exceptions = try exceptions(&reader, count)
            return apply(exceptions, try reader.sequence(count).map { (Double($0) / divisor).bitPattern })
        case 20:
            let exceptions = try exceptions(&reader, count)
            return apply(
                exceptions,
                try reader.sequence(count).map { number in
                    let order = UInt32(truncatingIfNeeded: number)
                    let bits = order >> 31 == 1 ? order ^ 0x8000_0000 : ~order
                    return Double(Float(bitPattern: bits)).bitPattern
                })
        case 21: return try reader.sequence(count).map(unordered)
        case 26: return try (0..<count).map { _ in try reader.number(8) }
        default: throw Refused("encoding \(encoding)")
        }
    }

    private static func divisor(_ encoding: UInt8, _ number: UInt8) throws -> Double {
        if encoding == 18 {
            guard number <= 15 else { throw Refused("exponent") }
            return (0..<number).reduce(1) { power, _ in power * 10 }
        }
        let divisors = [
            60, 600, 6000, 3600, 86400, 1440, 3, 7, 24, 3.6, 4.184, 1.609344, 0.45359237, 65536, 16_777_216,
        ]
        guard number >= 1, number <= divisors.count else { throw Refused("divisor") }
        return divisors[Int(number) - 1]
    }

    private static func exceptions(_ reader: inout NaiveReader, _ count: Int) throws -> [(Int, UInt64)] {
        let number = try reader.varint()
        guard number <= UInt64(count) else { throw Refused("more exceptions than values") }
        var positions: [Int] = []
        for _ in 0..<number {
            let first = (positions.last ?? -1) + 1
            let gap = try reader.varint()
            guard gap < UInt64(count - first) else { throw Refused("place of an exception") }
            positions.append(first + Int(gap))
        }
        return try positions.map { ($0, try reader.number(8)) }
    }

    private static func apply(_ exceptions: [(Int, UInt64)], _ values: [UInt64]) -> [UInt64] {
        var values = values
        for (position, value) in exceptions { values[position] = value }
        return values
    }

    /// Maps the bits of a double to an integer of the same order, and back.
    static func ordered(_ bits: UInt64) -> Int64 {
        let number = Int64(bitPattern: bits)
        return number < 0 ? number ^ Int64.max : number
    }

    static func unordered(_ order: Int64) -> UInt64 { UInt64(bitPattern: order < 0 ? order ^ Int64.max : order) }
}
