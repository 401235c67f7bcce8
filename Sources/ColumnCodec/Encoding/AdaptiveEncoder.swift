// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Encodes an adaptive stream. `Docs/Format/Columns.md` describes the bytes.
struct AdaptiveEncoder {
    private var model = AdaptiveModel(start: 0)
    /// The bytes of the choices.
    private var choices: [UInt8] = []
    private var low: UInt64 = 0
    private var range: UInt32 = .max
    /// The last byte, which a carry may still change, and the number of 255s after it.
    private var cache: UInt8 = 0
    private var pending = 0
    private var isFirst = true
    /// The bits that have no probability.
    private var plain: [UInt8] = []
    private var bits: UInt64 = 0
    private var count: UInt64 = 0

    /// Encodes the first `n` numbers and appends them to `out` at an offset; returns the number of bytes written, which
    /// are at most `bound(n)`.
    mutating func encode(_ v: [Int64], _ n: Int, into out: inout [UInt8], at offset: Int) -> Int {
        choices.removeAll(keepingCapacity: true)
        plain.removeAll(keepingCapacity: true)
        (low, range, cache, pending, isFirst) = (0, .max, 0, 0, true)
        (bits, count) = (0, 0)
        let start = AdaptiveModel.start(v, n)
        model = AdaptiveModel(start: start)
        for place in 0..<n { put(v[place]) }
        for _ in 0..<5 { shift() }
        while count > 0 {
            plain.append(UInt8(truncatingIfNeeded: bits))
            (bits, count) = (bits >> 8, count > 8 ? count - 8 : 0)
        }
        var at = offset
        func write(_ byte: UInt8, _ out: inout [UInt8]) {
            out[at] = byte
            at += 1
        }
        write(start, &out)
        Varint.write(UInt64(choices.count)) { write($0, &out) }
        Varint.write(UInt64(plain.count)) { write($0, &out) }
        for byte in choices { write(byte, &out) }
        for byte in plain { write(byte, &out) }
        return at - offset
    }

    static func bound(_ n: Int) -> Int { 64 + 24 * n }

    private mutating func put(_ number: Int64) {
        let magnitude = number.magnitude
        let length = 64 - magnitude.leadingZeroBitCount
        let (expected, walk) = model.expectation
        if step(AdaptiveModel.up(walk, 0), length > expected) {
            var distance = 1
            while expected + distance < 64, step(AdaptiveModel.up(walk, distance), length > expected + distance) {
                distance += 1
            }
        } else {
            var distance = 0
            while expected - distance > 0, step(AdaptiveModel.down(walk, distance), length < expected - distance) {
                distance += 1
            }
        }
        if length >= 2 {
            let first = magnitude >> UInt64(length - 2) & 1 == 1
            bit(length * 4, first)
            if length >= 3 {
                bit(length * 4 + (first ? 2 : 1), magnitude >> UInt64(length - 3) & 1 == 1)
                if length > 3 { putPlain(magnitude & (1 << UInt64(length - 3) - 1), length - 3) }
            }
        }
        if length > 0 { putPlain(number < 0 ? 1 : 0, 1) }
        model.learn(magnitude)
    }

    /// Encodes a choice of a walk and returns it.
    private mutating func step(_ index: Int, _ isTrue: Bool) -> Bool {
        put(isTrue, model.step(index))
        model.learnStep(index, isTrue)
        return isTrue
    }

    private mutating func bit(_ index: Int, _ isTrue: Bool) {
        put(isTrue, model.bit(index))
        model.learnBit(index, isTrue)
    }

    private mutating func put(_ isTrue: Bool, _ probability: UInt32) {
        let bound = (range >> 16) * probability
        if isTrue {
            range = bound
        } else {
            low += UInt64(bound)
            range -= bound
        }
        while range < 1 << 24 {
            range <<= 8
            shift()
        }
    }

    /// Writes the highest byte of `low`, once no carry can change it.
    private mutating func shift() {
        if low < 0xFF00_0000 || low > 0xFFFF_FFFF {
            let carry = UInt8(truncatingIfNeeded: low >> 32)
            if isFirst { isFirst = false } else { choices.append(cache &+ carry) }
            for _ in 0..<pending { choices.append(0xFF &+ carry) }
            pending = 0
            cache = UInt8(truncatingIfNeeded: low >> 24)
        } else {
            pending += 1
        }
        low = (low & 0x00FF_FFFF) << 8
    }

    private mutating func putPlain(_ number: UInt64, _ width: Int) {
        // At most 32 bits at once, so that the buffer does not overflow.
        if width > 32 {
            putPlain(number & 0xFFFF_FFFF, 32)
            putPlain(number >> 32, width - 32)
            return
        }
        bits |= number << count
        count += UInt64(width)
        while count >= 8 {
            plain.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
    }
}
