// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("Every processor level gives the same bytes and the same values", .serialized)
struct LevelTests {
    @Test("Columns of every shape are the same on every level")
    func columns() throws {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        for name in Shapes.integerNames {
            for n in [1, 5, 130, 1000] {
                var expected: [UInt8]?
                for level in 0...3 {
                    Kernel.force(level: level)
                    var g = TestRandom(seed: 11)
                    let values = Shapes.integers(name, n, &g)
                    var encoder = IntegerColumnEncoder()
                    _ = try RoundTripTests.check(values, &encoder, "\(name) \(n) level \(level)")
                    var w = ByteWriter()
                    encoder.forget()
                    _ = encoder.encode(values, values.indices, into: &w)
                    #expect(w.bytes == expected ?? w.bytes, "\(name) \(n) level \(level)")
                    expected = w.bytes
                }
            }
        }
        for name in Shapes.realNames {
            for n in [1, 5, 130, 1000] {
                var expected: [UInt8]?
                for level in 0...3 {
                    Kernel.force(level: level)
                    var g = TestRandom(seed: 12)
                    let values = Shapes.reals(name, n, &g)
                    var encoder = RealColumnEncoder()
                    _ = try RoundTripTests.check(values, &encoder, "\(name) \(n) level \(level)")
                    var w = ByteWriter()
                    encoder.forget()
                    _ = encoder.encode(values, values.indices, into: &w)
                    #expect(w.bytes == expected ?? w.bytes, "\(name) \(n) level \(level)")
                    expected = w.bytes
                }
            }
        }
    }

    @Test("Streams of every width and count, with patches, are the same on every level")
    func streams() throws {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 13)
        for width in 0...64 {
            for n in [1, 7, 8, 9, 127, 128, 129, 300] {
                let values = (0..<n).map { _ -> Int64 in
                    let bits = g.below(30) == 0 ? g.below(65) : width
                    return bits == 0 ? 0 : Int64(bitPattern: g.next() >> UInt64(64 - bits))
                }
                for wholeBytes in [false, true] {
                    var expected: [UInt8]?
                    for level in 0...3 {
                        Kernel.force(level: level)
                        var bytes = [UInt8](repeating: 0, count: ColumnKernels.streamBound(n) + Encoding.spare)
                        let used = ColumnKernels.encodeStream(values, n, wholeBytes: wholeBytes, into: &bytes, at: 0)
                        #expect(used == ColumnKernels.streamCost(values, n, wholeBytes: wholeBytes))
                        #expect(used <= ColumnKernels.streamBound(n) - Encoding.spare)
                        var out = [Int64](repeating: 1, count: n + Encoding.spare)
                        #expect(try ColumnKernels.decodeStream(bytes, at: 0, end: used, n, into: &out) == used)
                        #expect(out.prefix(n).elementsEqual(values), "width \(width) n \(n) level \(level)")
                        let written = Array(bytes.prefix(used))
                        #expect(written == expected ?? written, "width \(width) n \(n) level \(level)")
                        expected = written
                    }
                }
            }
        }
    }

    @Test("Window streams of every width, group and count, with escapes, are the same on every level")
    func windows() throws {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 16)
        for width in Array(0...12) + [17, 31, 32, 33, 53, 56, 57, 58, 63, 64] {
            for n in [1, 31, 33, 127, 130, 300, 1536] {
                let often = 2 + g.below(40)
                let centre = g.below(3) == 0 ? Int64(bitPattern: g.next()) : 0
                let values = (0..<n).map { _ -> Int64 in
                    let bits = g.below(often) == 0 ? g.below(65) : width
                    let number = bits == 0 ? 0 : Int64(bitPattern: g.next() >> UInt64(64 - bits))
                    return centre &+ (g.below(2) == 0 ? number : 0 &- number)
                }
                for group: UInt8 in n < 200 ? [0, 5, 11] : [0, 5, 6, 7, 9] {
                    var expected: [UInt8]?
                    for level in 0...3 {
                        Kernel.force(level: level)
                        var chosen = group
                        var bytes = [UInt8](repeating: 0, count: ColumnKernels.windowsBound(n))
                        let used = ColumnKernels.encodeWindows(values, n, group: &chosen, into: &bytes, at: 0)
                        let what = "width \(width) n \(n) group \(group) level \(level)"
                        #expect(group == 0 ? Encoding.groups ~= chosen : group == chosen)
                        #expect(used <= ColumnKernels.windowsBound(n) - Encoding.spare)
                        bytes += [UInt8](repeating: 0xa5, count: Encoding.spare)
                        var out = [Int64](repeating: 1, count: n + Encoding.spare)
                        #expect(
                            try ColumnKernels.decodeWindows(bytes, at: 0, end: used, n, into: &out) == used, "\(what)")
                        #expect(out.prefix(n).elementsEqual(values), "\(what)")
                        let written = Array(bytes.prefix(used))
                        #expect(written == expected ?? written, "\(what)")
                        expected = written
                    }
                }
            }
        }
    }

    @Test("The quotient of an integer and a divisor is rounded correctly")
    func quotients() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 14)
        for divisor in Encoding.powersOfTen + Encoding.divisors.dropFirst() {
            let integers = (0..<512).map { i -> Int64 in
                i < 64 ? Int64(i) - 32 : Int64(bitPattern: g.next()) >> Int64(g.below(64))
            }
            let padded = integers + [Int64](repeating: 0, count: Encoding.spare)
            for level in 0...3 {
                Kernel.force(level: level)
                var reals = [Double](repeating: 0, count: padded.count)
                ColumnKernels.fromScaled(padded, integers.count, divisor: divisor, into: &reals)
                for (integer, real) in zip(integers, reals) {
                    #expect(real.bitPattern == (Double(integer) / divisor).bitPattern, "\(integer) / \(divisor)")
                }
            }
        }
    }

    @Test("Division is exact for any greatest divisor and at the ends of the range")
    func division() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 15)
        for _ in 0..<300 {
            let unit = max(1, g.next() >> UInt64(g.below(64)))
            let limit = Int64(bitPattern: UInt64(Int64.max) / unit)
            let values = (0..<20).map { _ -> Int64 in
                let factor = limit == 0 ? 0 : Int64(bitPattern: g.next()) % limit
                return factor &* Int64(bitPattern: unit)
            }
            for level in 0...3 {
                Kernel.force(level: level)
                var out = [Int64](repeating: 0, count: 20)
                #expect(ColumnKernels.divideExactly(values, 20, unit: unit, into: &out))
                for (value, quotient) in zip(values, out) { #expect(quotient &* Int64(bitPattern: unit) == value) }
                if unit > 1 {
                    var wrong = values
                    wrong[g.below(20)] &+= 1
                    #expect(!ColumnKernels.divideExactly(wrong, 20, unit: unit, into: &out))
                }
            }
        }
        var out = [Int64](repeating: 0, count: 8)
        #expect(ColumnKernels.divideExactly([.min, 0], 2, unit: 1 << 63, into: &out) && out[0] == -1)
        #expect(ColumnKernels.divideExactly([.min, .max], 2, unit: 1, into: &out) && out[0] == .min)
        #expect(!ColumnKernels.divideExactly([.max], 1, unit: 1 << 63, into: &out))
        #expect(ColumnKernels.gcd([.min, 0, 1 << 62], 3, scratch: &out) == 1 << 62)
        #expect(ColumnKernels.gcd([.min, .min], 2, scratch: &out) == 1 << 63)
        #expect(ColumnKernels.gcd([-12, 18, 0], 3, scratch: &out) == 6)
    }
}
