// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("Columns round-trip bit by bit")
struct RoundTripTests {
    static let seed: UInt64 = 0x6b79_6d6f

    static let integerEncodings: [UInt8] = [
        Encoding.constant, Encoding.linear, Encoding.packed, Encoding.delta, Encoding.deltaOfDelta, Encoding.runLength,
        Encoding.dictionary, Encoding.clock, Encoding.packedWindows, Encoding.deltaWindows,
        Encoding.deltaOfDeltaWindows, Encoding.predicted,
    ]

    static let realEncodings: [UInt8] = [
        Encoding.realConstant, Encoding.decimal, Encoding.ratio, Encoding.float32, Encoding.ordered,
        Encoding.realDictionary, Encoding.realRunLength, Encoding.xor, Encoding.shuffled, Encoding.raw, Encoding.scaled,
    ]

    @Test("Integers round-trip with every forced encoding, with and without LZ4", arguments: integerEncodings)
    func integers(encoding: UInt8) throws {
        var g = TestRandom(seed: Self.seed &+ UInt64(encoding))
        var used = 0
        for name in Shapes.integerNames {
            for n in Shapes.counts {
                let values = Shapes.integers(name, n, &g)
                for mode in [LZ4Mode.never, .always] {
                    var encoder = IntegerColumnEncoder()
                    encoder.forced = encoding
                    encoder.lz4 = mode
                    let choice = try Self.check(values, &encoder, "\(name) \(n) seed \(Self.seed)")
                    #expect(choice.lz4 == (mode == .always))
                    if choice.encoding == encoding { used += 1 }
                }
            }
        }
        #expect(used >= 2 * Shapes.counts.count, "the encoding was used too rarely")
    }

    @Test("Predicted columns with long runs of zeros round-trip")
    func zeros() throws {
        var g = TestRandom(seed: Self.seed)
        for n in [1, 300, 700, 2_000, 6_144] {
            for jumps in 0..<12 {
                var (values, number) = ([Int64](repeating: 0, count: n), Int64(0))
                let places = Set((0..<jumps).map { _ in g.below(n) })
                for place in 0..<n {
                    if places.contains(place) { number = Int64(bitPattern: g.next()) >> Int64(g.below(64)) }
                    values[place] = number
                }
                var encoder = IntegerColumnEncoder()
                encoder.forced = Encoding.predicted
                _ = try Self.check(values, &encoder, "\(n) values with \(jumps) jumps, seed \(Self.seed)")
            }
        }
    }

    @Test("Predictions have the same bytes on every level, also after other columns")
    func levels() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: Self.seed)
        var reused = IntegerColumnEncoder()
        reused.forced = Encoding.predicted
        for n in [300, 1_001, 6_144] {
            let values = Shapes.integers("filtered", n, &g)
            var forms: Set<[UInt8]> = []
            for level in 0...3 {
                Kernel.force(level: level)
                var encoder = IntegerColumnEncoder()
                encoder.forced = Encoding.predicted
                var (w, again) = (ByteWriter(), ByteWriter())
                _ = encoder.encode(values, values.indices, into: &w)
                _ = reused.encode(values, values.indices, into: &again)
                forms.formUnion([w.bytes, again.bytes])
            }
            #expect(forms.count == 1)
        }
    }

    @Test("Reals round-trip with every forced encoding, with and without LZ4", arguments: realEncodings)
    func reals(encoding: UInt8) throws {
        var g = TestRandom(seed: Self.seed &+ UInt64(encoding))
        var used = 0
        for name in Shapes.realNames {
            for n in Shapes.counts {
                let values = Shapes.reals(name, n, &g)
                for mode in [LZ4Mode.never, .always] {
                    var encoder = RealColumnEncoder()
                    encoder.forced = encoding
                    encoder.lz4 = mode
                    let choice = try Self.check(values, &encoder, "\(name) \(n) seed \(Self.seed)")
                    #expect(choice.lz4 == (mode == .always))
                    if choice.encoding == encoding { used += 1 }
                }
            }
        }
        #expect(used >= 2 * Shapes.counts.count, "the encoding was used too rarely")
    }

    @Test("Columns of the maximum length round-trip with every encoding")
    func longest() throws {
        var g = TestRandom(seed: Self.seed)
        let n = Encoding.maximumCount
        for encoding in Self.integerEncodings {
            for name in ["filtered", "outliers", "few", "clock"] {
                var encoder = IntegerColumnEncoder()
                encoder.forced = encoding
                _ = try Self.check(Shapes.integers(name, n, &g), &encoder, "\(name) \(encoding)")
            }
        }
        for encoding in Self.realEncodings {
            for name in ["decimals with outliers", "smooth", "random bits"] {
                var encoder = RealColumnEncoder()
                encoder.forced = encoding
                _ = try Self.check(Shapes.reals(name, n, &g), &encoder, "\(name) \(encoding)")
            }
        }
    }

    @Test("One encoder handles columns of changing kinds, with all counts to 1,536")
    func mixed() throws {
        var g = TestRandom(seed: Self.seed)
        var integers = IntegerColumnEncoder()
        var reals = RealColumnEncoder()
        for n in stride(from: 1, through: 1536, by: 7) {
            let repeats = 1 + g.below(3)
            let (a, b) = (
                Shapes.integerNames[g.below(Shapes.integerNames.count)],
                Shapes.realNames[g.below(Shapes.realNames.count)]
            )
            for _ in 0..<repeats {
                _ = try Self.check(Shapes.integers(a, n, &g), &integers, "\(a) \(n) seed \(Self.seed)")
                _ = try Self.check(Shapes.reals(b, n, &g), &reals, "\(b) \(n) seed \(Self.seed)")
            }
        }
    }

    @Test("The same calls give the same bytes")
    func deterministic() {
        func run() -> [UInt8] {
            var g = TestRandom(seed: Self.seed)
            var integers = IntegerColumnEncoder()
            var reals = RealColumnEncoder()
            var w = ByteWriter()
            for _ in 0..<40 {
                let n = 1 + g.below(1536)
                let a = Shapes.integers(Shapes.integerNames[g.below(4)], n, &g)
                let b = Shapes.reals(Shapes.realNames[g.below(4)], n, &g)
                _ = integers.encode(a, a.indices, into: &w)
                _ = reals.encode(b, b.indices, into: &w)
            }
            return w.bytes
        }
        #expect(run() == run())
    }

    @Test("An empty column and a range inside an array round-trip")
    func ranges() throws {
        var encoder = IntegerColumnEncoder()
        var w = ByteWriter()
        _ = encoder.encode([], 0..<0, into: &w)
        _ = encoder.encode([9, 1, 2, 4, 9], 1..<4, into: &w)
        var reals = RealColumnEncoder()
        _ = reals.encode([], 0..<0, into: &w)
        _ = reals.encode([9, 1.5, 2.5, 4, 9], 1..<4, into: &w)
        var decoder = ColumnDecoder()
        var out = [Int64](repeating: 0, count: 67)
        var realOut = [Double](repeating: 0, count: 67)
        var at = try decoder.integers(w.bytes, at: 0, end: w.count, count: 0, into: &out)
        at = try decoder.integers(w.bytes, at: at, end: w.count, count: 3, into: &out)
        #expect(out[0..<3] == [1, 2, 4])
        at = try decoder.reals(w.bytes, at: at, end: w.count, count: 0, into: &realOut)
        at = try decoder.reals(w.bytes, at: at, end: w.count, count: 3, into: &realOut)
        #expect(realOut[0..<3] == [1.5, 2.5, 4])
        #expect(at == w.count)
    }

    /// Encodes between other bytes, decodes with and without spare bytes after the end, and compares.
    static func check(
        _ values: [Int64], _ encoder: inout IntegerColumnEncoder, _ what: String
    ) throws -> ColumnChoice {
        var w = ByteWriter()
        w.put(bytes: [1, 2, 3])
        let choice = encoder.encode(values, values.indices, into: &w)
        let end = w.count
        #expect(choice.storedBytes == end - 3)
        var out = [Int64](repeating: -7, count: values.count + Encoding.spare)
        var decoder = ColumnDecoder()
        for spare in [0, 64] {
            let bytes = w.bytes + [UInt8](repeating: 0xa5, count: spare)
            let next = try decoder.integers(bytes, at: 3, end: end, count: values.count, into: &out)
            #expect(next == end, "\(what)")
            #expect(out.prefix(values.count).elementsEqual(values), "\(choice.name) \(choice.note): \(what)")
            #expect(try ColumnDecoder.skip(bytes, at: 3, end: end) == end)
        }
        return choice
    }

    static func check(
        _ values: [Double], _ encoder: inout RealColumnEncoder, _ what: String
    ) throws -> ColumnChoice {
        var w = ByteWriter()
        w.put(bytes: [1, 2, 3])
        let choice = encoder.encode(values, values.indices, into: &w)
        let end = w.count
        #expect(choice.storedBytes == end - 3)
        var out = [Double](repeating: -7, count: values.count + Encoding.spare)
        var decoder = ColumnDecoder()
        for spare in [0, 64] {
            let bytes = w.bytes + [UInt8](repeating: 0xa5, count: spare)
            let next = try decoder.reals(bytes, at: 3, end: end, count: values.count, into: &out)
            #expect(next == end, "\(what)")
            let same = out.prefix(values.count).elementsEqual(values) { $0.bitPattern == $1.bitPattern }
            #expect(same, "\(choice.name) \(choice.note): \(what)")
            #expect(try ColumnDecoder.skip(bytes, at: 3, end: end) == end)
        }
        return choice
    }
}
