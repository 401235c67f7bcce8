// SPDX-License-Identifier: Apache-2.0

/// A literal implementation of the adaptive stream of `Docs/Format/Columns.md`.
struct NaiveAdaptive {
    private struct Choice {
        var probability = 32_768
        var seen = 0
    }

    /// The logarithms of magnitudes below 8, in 256ths of a bit.
    private static let smallLogarithms = [-132, 196, 367, 483, 571, 643, 702, 754]

    private var choices: [Int: Choice] = [:]
    private var bytes: [UInt8]
    private var plain: [UInt8]
    private var code = 0
    private var range = 0xFFFF_FFFF
    private var used = 0
    private var usedBits = 0
    private var fast: Int
    private var slow: Int

    init(_ bytes: [UInt8], plain: [UInt8], start: UInt8) throws {
        (self.bytes, self.plain) = (bytes, plain)
        fast = Int(start) * 64
        slow = fast
        for _ in 0..<4 { code = code * 256 + (try next()) }
    }

    var isUsedUp: Bool { used == bytes.count && (usedBits + 7) / 8 == plain.count }

    private mutating func next() throws -> Int {
        guard used < bytes.count else { throw Refused("choices") }
        used += 1
        return Int(bytes[used - 1])
    }

    private mutating func choose(_ name: Int) throws -> Bool {
        var choice = choices[name] ?? Choice()
        let bound = range / 65_536 * choice.probability
        let isTrue = code < bound
        if isTrue {
            range = bound
        } else {
            code = (code - bound) & 0xFFFF_FFFF
            range -= bound
        }
        while range < 1 << 24 {
            range = range * 256
            code = (code * 256 + (try next())) & 0xFFFF_FFFF
        }
        let rate = 655_360 / (10 * choice.seen + 16)
        let moved = choice.probability + (((isTrue ? 65_536 : 0) - choice.probability) * rate) >> 16
        choice.probability = min(max(moved, 64), 65_472)
        choice.seen = min(choice.seen + 1, 48)
        choices[name] = choice
        return isTrue
    }

    private mutating func bit() throws -> UInt64 {
        guard usedBits < plain.count * 8 else { throw Refused("plain bits") }
        defer { usedBits += 1 }
        return UInt64(plain[usedBits / 8] >> UInt8(usedBits % 8) & 1)
    }

    mutating func number() throws -> Int64 {
        let halves = max(0, (fast * 154 + slow * 102) >> 8 * 2 + 128) >> 8
        let walk = (halves < 6 ? 8 + halves : halves & 1) * 64
        let expected = halves >> 1
        var length = expected
        if try choose(walk + 32) {
            length += 1
            while length < 64, try choose(walk + 32 + min(length - expected, 25)) { length += 1 }
        } else {
            while length > 0, try choose(walk + 31 - min(expected - length, 25)) { length -= 1 }
        }
        length = min(length, 64)
        var magnitude: UInt64 = length > 0 ? 1 : 0
        if length >= 2 {
            let first = try choose(10_000 + length * 4)
            magnitude = first ? 3 : 2
            if length >= 3 {
                magnitude = magnitude * 2 + (try choose(10_000 + length * 4 + (first ? 2 : 1)) ? 1 : 0)
                var low: UInt64 = 0
                for place in 0..<max(0, length - 3) { low |= try bit() << UInt64(place) }
                magnitude = magnitude << UInt64(length - 3) | low
            }
        }
        let zeros = magnitude.leadingZeroBitCount
        var logarithm: Int
        if magnitude < 8 {
            logarithm = Self.smallLogarithms[Int(magnitude)]
        } else {
            let fraction: UInt64 = (magnitude << UInt64(zeros)) >> 55
            logarithm = (63 - zeros) * 256
            logarithm += Int(fraction & 255)
        }
        fast += ((logarithm - fast) * 43) >> 8
        slow += ((logarithm - slow) * 13) >> 9
        let isNegative = length > 0 ? try bit() == 1 : false
        return Int64(bitPattern: isNegative ? 0 &- magnitude : magnitude)
    }
}

extension NaiveReader {
    /// Reads an adaptive stream.
    mutating func adaptive(_ count: Int) throws -> [Int64] {
        let start = try byte()
        let (choices, plain) = (try varint(), try varint())
        guard choices <= UInt64(left), plain <= UInt64(left) - choices else { throw Refused("lengths of a stream") }
        var bytes: [UInt8] = []
        for _ in 0..<choices { bytes.append(try byte()) }
        var bits: [UInt8] = []
        for _ in 0..<plain { bits.append(try byte()) }
        var stream = try NaiveAdaptive(bytes, plain: bits, start: start)
        let numbers = try (0..<count).map { _ in try stream.number() }
        guard stream.isUsedUp else { throw Refused("bytes after the last number") }
        return numbers
    }
}
