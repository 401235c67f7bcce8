// SPDX-License-Identifier: Apache-2.0

import Bytes
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("Columns of damaged bytes decode to values or throw an error")
struct FuzzTests {
    static let seed: UInt64 = 0xf022

    /// Mutates encoded columns of every kind: flips, truncations, wrong counts, splices.
    @Test("Mutated columns: 24,000 cases")
    func mutated() {
        var g = TestRandom(seed: Self.seed)
        var corpus: [(bytes: [UInt8], count: Int)] = []
        for name in Shapes.integerNames {
            for encoding in [0] + RoundTripTests.integerEncodings {
                var encoder = IntegerColumnEncoder()
                encoder.forced = encoding == 0 ? nil : encoding
                encoder.lz4 = g.below(3) == 0 ? .always : .never
                var w = ByteWriter()
                let values = Shapes.integers(name, 1 + g.below(300), &g)
                _ = encoder.encode(values, values.indices, into: &w)
                corpus.append((w.bytes, values.count))
            }
        }
        for name in Shapes.realNames {
            for encoding in [0] + RoundTripTests.realEncodings {
                var encoder = RealColumnEncoder()
                encoder.forced = encoding == 0 ? nil : encoding
                encoder.lz4 = g.below(3) == 0 ? .always : .never
                var w = ByteWriter()
                let values = Shapes.reals(name, 1 + g.below(300), &g)
                _ = encoder.encode(values, values.indices, into: &w)
                corpus.append((w.bytes, values.count))
            }
        }
        var target = Target()
        for _ in 0..<12_000 {
            var (bytes, count) = corpus[g.below(corpus.count)]
            if g.below(6) == 0 { count = g.below(2) == 0 ? g.below(310) : g.below(1600) }
            for _ in 0...g.below(3) where !bytes.isEmpty {
                switch g.below(6) {
                case 0: bytes[g.below(bytes.count)] = UInt8(truncatingIfNeeded: g.next())
                case 1: bytes[g.below(bytes.count)] ^= 1 << UInt8(g.below(8))
                case 2: bytes.removeLast(g.below(min(bytes.count, 20)))
                case 3: bytes[min(g.below(8), bytes.count - 1)] = UInt8(truncatingIfNeeded: g.next())
                case 4: bytes.insert(UInt8(truncatingIfNeeded: g.next()), at: g.below(bytes.count + 1))
                default:
                    let other = corpus[g.below(corpus.count)].bytes
                    bytes = Array(bytes.prefix(g.below(bytes.count + 1))) + other.suffix(g.below(other.count + 1))
                }
            }
            target.decode(bytes, count)
        }
        let (errors, values) = (target.errors, target.values)
        #expect(errors > 2000 && values > 1000, "seed \(Self.seed)")
    }

    /// Uses random payloads after a plausible frame and plausible first fields.
    @Test("Random payloads: 24,000 cases")
    func random() {
        var g = TestRandom(seed: Self.seed &+ 1)
        var target = Target()
        for _ in 0..<12_000 {
            var payload = ByteWriter()
            for _ in 0..<g.below(12) {
                switch g.below(4) {
                case 0: payload.put(UInt8(truncatingIfNeeded: g.below(66)))
                case 1: payload.put(zigzag: Int64(bitPattern: g.next() >> UInt64(g.below(64))))
                case 2: payload.put(varint: UInt64(g.below(5)))
                default: payload.put(UInt8(truncatingIfNeeded: 1 + g.below(6)))
                }
            }
            for _ in 0..<g.below(400) { payload.put(UInt8(truncatingIfNeeded: g.next() & g.next())) }
            var w = ByteWriter()
            w.put(UInt8(truncatingIfNeeded: g.below(28)))
            w.put(UInt8(truncatingIfNeeded: g.below(8) == 0 ? 1 : 0))
            w.put(varint: UInt64(payload.count))
            w.put(bytes: payload.bytes)
            target.decode(w.bytes, g.below(200))
        }
        let errors = target.errors
        #expect(errors > 2000, "seed \(Self.seed)")
    }

    /// The column has five doubles: eight bytes, a match of twelve, twenty bytes. The LZ4 library accepts a distance of
    /// 0 and leaves the previous bytes of its output in place, so that each decoding gives other values.
    @Test("An LZ4 match at distance 0 is refused")
    func matchAtItself() throws {
        func column(distance: UInt8) -> [UInt8] {
            [26, 1, 33, 40, 0x88, 1, 2, 3, 4, 5, 6, 7, 8, distance, 0, 0xF0, 5] + [UInt8](repeating: 7, count: 20)
        }
        var decoder = ColumnDecoder()
        var out = [Double](repeating: 0, count: 5 + Encoding.spare)
        let (sound, damaged) = (column(distance: 8), column(distance: 0))
        let next = try decoder.reals(sound, at: 0, end: sound.count, count: 5, into: &out)
        #expect(next == sound.count && out[0] == out[1])
        #expect(throws: ByteError.self) {
            try decoder.reals(damaged, at: 0, end: damaged.count, count: 5, into: &out)
        }
    }

    @Test("Invalid bounds of a caller are refused")
    func bounds() {
        var decoder = ColumnDecoder()
        var out = [Int64](repeating: 0, count: 100)
        let bytes: [UInt8] = [1, 0, 1, 4]
        for (at, end, count) in [(-1, 4, 1), (5, 4, 1), (0, 5, 1), (0, 4, -1), (0, 4, 37), (0, 4, 1537)] {
            #expect(throws: ByteError.self) {
                try decoder.integers(bytes, at: at, end: end, count: count, into: &out)
            }
        }
        #expect(throws: Never.self) { try decoder.integers(bytes, at: 0, end: 4, count: 36, into: &out) }
        #expect(throws: ByteError.self) { try ColumnDecoder.skip(bytes, at: 0, end: 3) }
    }

    /// Decodes in every way and checks the invariants of each result.
    struct Target {
        var errors = 0
        var values = 0
        var decoder = ColumnDecoder()
        var integers = [Int64](repeating: 0, count: 1600)
        var reals = [Double](repeating: 0, count: 1600)

        mutating func decode(_ bytes: [UInt8], _ count: Int) {
            do {
                let next = try decoder.integers(bytes, at: 0, end: bytes.count, count: count, into: &integers)
                values += 1
                if next > bytes.count { Issue.record("past the end") }
            } catch {
                errors += 1
                if error.offset < 0 || error.offset > bytes.count { Issue.record("offset \(error)") }
            }
            do {
                let next = try decoder.reals(bytes, at: 0, end: bytes.count, count: count, into: &reals)
                values += 1
                if next > bytes.count { Issue.record("past the end") }
            } catch {
                errors += 1
                if error.offset < 0 || error.offset > bytes.count { Issue.record("offset \(error)") }
            }
            let notes = ColumnDecoder.describe(bytes, at: 0, end: bytes.count, count: count)
            if notes.contains(where: { $0.range.lowerBound < 0 }) { Issue.record("note before the start") }
        }
    }
}
