// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("Summaries are encoded as columns")
struct SummaryCodecTests {
    static func summaries(_ n: Int, _ g: inout TestRandom) -> [Summary] {
        var time: Int64 = 1_767_225_600_000_000_000
        return (0..<n).map { _ in
            let count = 1 + g.below(300)
            let starts = (0..<count).map { _ -> Int64 in
                time += 1_000_000_000 + Int64(g.below(1_000_000_000))
                return time
            }
            let values = starts.map { _ in Double(60 + g.below(100)) }
            return Kernel.summarize(
                starts: starts, ends: nil, values: values, range: 0..<count, minBorn: Int64(n), maxBorn: Int64(n) + 3)
        }
    }

    static func decode(_ bytes: [UInt8], _ count: Int) throws -> [Summary] {
        let (all, next) = try SummaryCodec.decode(columns: bytes, at: 0, end: bytes.count, count: count)
        #expect(next == bytes.count)
        return all
    }

    @Test("0 to 64 summaries of typical blocks round-trip and are small")
    func typical() throws {
        var g = TestRandom(seed: 21)
        for n in [0, 1, 2, 3, 17, 63, 64] {
            let all = Self.summaries(n, &g)
            var w = ByteWriter()
            var encoder = SummaryColumnsEncoder()
            encoder.encode(all, into: &w)
            #expect(try Self.decode(w.bytes, n) == all)
            if n == 64 { #expect(w.count < 64 * 60, "\(w.count) bytes for 64") }
        }
    }

    @Test("Arbitrary summaries round-trip, including empty ones and extremes")
    func anything() throws {
        var g = TestRandom(seed: 22)
        for n in 1...40 {
            let all = (0..<n).map { i -> Summary in
                var w = ByteWriter()
                for _ in 0..<21 { w.put(Int64(bitPattern: g.next() >> UInt64(g.below(64)))) }
                var r = ByteReader(w.bytes)
                return i % 5 == 0 ? Summary() : (try? SummaryCodec.decode(&r)) ?? Summary()
            }
            var w = ByteWriter()
            var encoder = SummaryColumnsEncoder()
            encoder.encode(all, into: &w)
            let back = try Self.decode(w.bytes, n)
            for (a, b) in zip(all, back) {
                // Compares bits: some of the doubles are NaN.
                var (x, y) = (ByteWriter(), ByteWriter())
                SummaryCodec.encode(a, into: &x)
                SummaryCodec.encode(b, into: &y)
                #expect(x.bytes == y.bytes)
            }
        }
    }

    @Test("Consecutive pages round-trip with the encoder's memory")
    func pages() throws {
        var g = TestRandom(seed: 25)
        var encoder = SummaryColumnsEncoder()
        for _ in 0..<20 {
            let all = Self.summaries(1 + g.below(64), &g)
            var w = ByteWriter()
            encoder.encode(all, into: &w)
            #expect(try Self.decode(w.bytes, all.count) == all)
        }
    }

    @Test("Truncated and mutated bytes give errors or summaries")
    func damaged() {
        var g = TestRandom(seed: 23)
        let all = Self.summaries(20, &g)
        var w = ByteWriter()
        var encoder = SummaryColumnsEncoder()
        encoder.encode(all, into: &w)
        for length in 0..<w.count {
            #expect(throws: ByteError.self) {
                try SummaryCodec.decode(columns: w.bytes, at: 0, end: length, count: 20)
            }
        }
        for _ in 0..<2000 {
            var bytes = w.bytes
            bytes[g.below(bytes.count)] ^= UInt8(truncatingIfNeeded: 1 + g.below(255))
            _ = try? SummaryCodec.decode(columns: bytes, at: 0, end: bytes.count, count: 20)
        }
        #expect(throws: ByteError.self) { try SummaryCodec.decode(columns: w.bytes, at: 0, end: w.count, count: -1) }
        var short = ByteReader([UInt8](repeating: 0, count: 167))
        #expect(throws: ByteError.self) { try SummaryCodec.decode(&short) }
    }

    @Test("The description of a column lists every byte once, in order")
    func describe() {
        var g = TestRandom(seed: 24)
        for encoding in RoundTripTests.integerEncodings + RoundTripTests.realEncodings {
            for lz4 in [LZ4Mode.never, .always] {
                var w = ByteWriter()
                if encoding < 16 {
                    var encoder = IntegerColumnEncoder()
                    encoder.forced = encoding
                    encoder.lz4 = lz4
                    let shape = [Encoding.linear: "ramp", Encoding.clock: "clock"][encoding] ?? "few"
                    let values = Shapes.integers(shape, 300, &g)
                    _ = encoder.encode(encoding == 1 ? [3, 3] : values, 0..<(encoding == 1 ? 2 : 300), into: &w)
                } else {
                    var encoder = RealColumnEncoder()
                    encoder.forced = encoding
                    encoder.lz4 = lz4
                    let shape = [Encoding.realConstant: "constant", Encoding.scaled: "gain"][encoding]
                    let values = Shapes.reals(shape ?? "decimals with outliers", 200, &g)
                    let few = Shapes.reals("few", 200, &g)
                    _ = encoder.encode(encoding == 22 ? few : values, 0..<200, into: &w)
                }
                let count = encoding == 1 ? 2 : encoding < 16 ? 300 : 200
                let notes = ColumnDecoder.describe(w.bytes, at: 0, end: w.count, count: count)
                #expect(notes.allSatisfy { $0.name != "error" }, "\(encoding): \(notes.last as Any)")
                #expect(notes[0].meaning.hasPrefix("\(encoding): "))
                for inPlain in lz4 == .always ? [false, true] : [false] {
                    var next = 0
                    for note in notes where note.inPlain == inPlain {
                        #expect(note.range.lowerBound == next, "\(encoding) \(note)")
                        next = note.range.upperBound
                    }
                    if !inPlain { #expect(next == w.count, "\(encoding)") }
                }
            }
        }
        #expect(ColumnDecoder.describe([99, 0, 0], at: 0, end: 3, count: 1).last?.name == "error")
        #expect(ColumnDecoder.describe([], at: 0, end: 0, count: 1).last?.what == nil)
    }
}

extension ByteNote {
    fileprivate var what: String? { name == "error" ? nil : name }
}
