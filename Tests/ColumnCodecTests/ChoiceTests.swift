// SPDX-License-Identifier: Apache-2.0

import Bytes
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("The encoder chooses the cheapest encoding")
struct ChoiceTests {
    static func choose(_ values: [Int64]) -> ColumnChoice {
        var encoder = IntegerColumnEncoder()
        var w = ByteWriter()
        return encoder.encode(values, values.indices, into: &w)
    }

    static func choose(_ values: [Double]) -> ColumnChoice {
        var encoder = RealColumnEncoder()
        var w = ByteWriter()
        return encoder.encode(values, values.indices, into: &w)
    }

    @Test("Each encoding of integers is chosen for a column of its kind")
    func integers() {
        var g = TestRandom(seed: 3)
        let n = 1024
        var time: Int64 = 1_767_225_600_000_000_000
        #expect(Self.choose([Int64](repeating: 9, count: n)).encoding == Encoding.constant)
        #expect(Self.choose((0..<n).map { time + Int64($0) * 1_953_125 }).encoding == Encoding.linear)
        let uniform = (0..<n).map { _ in Int64(g.below(1000)) }
        #expect(Self.choose(uniform).encoding == Encoding.packedWindows)
        #expect(Self.choose(Array(uniform.prefix(100))).encoding == Encoding.packed)
        let jitter = (0..<n).map { _ -> Int64 in
            time += 1_000_000_000 + Int64(g.below(20)) * 1_000_000
            return time
        }
        let times = Self.choose(jitter)
        #expect(times.encoding == Encoding.deltaWindows && times.details.unit == 1_000_000 && times.storedBytes < 1000)
        // The height of a thrown ball, sampled.
        let smooth = (0..<n).map { i -> Int64 in
            let time = Int64(i)
            return (9_000_000 - time * 490) * time + Int64(g.below(3))
        }
        #expect(Self.choose(smooth).encoding == Encoding.deltaOfDeltaWindows)
        #expect(Self.choose(Array(smooth.prefix(100))).encoding == Encoding.deltaOfDelta)
        let filtered = Shapes.integers("filtered", n, &g)
        #expect(Self.choose(filtered).encoding != Encoding.predicted)
        var small = IntegerColumnEncoder()
        small.favorsSize = true
        var w = ByteWriter()
        let predicted = small.encode(filtered, filtered.indices, into: &w)
        #expect(predicted.encoding == Encoding.predicted && predicted.storedBytes < Self.choose(filtered).storedBytes)
        #expect(Self.choose(Array(jitter.prefix(100))).encoding == Encoding.delta)
        // Numbers of interned sources: long runs of the same few numbers.
        var runs: [Int64] = []
        while runs.count < n { runs += [Int64](repeating: Int64(g.next() >> 30), count: 20 + g.below(90)) }
        #expect(Self.choose(runs).encoding == Encoding.runLength)
        let clock = Self.choose((0..<n).map { Shapes.clockTime(Double($0) + g.unit() * 0.01) })
        // 10 ms take 17 bits in ticks and 24 in nanoseconds.
        #expect(clock.encoding == Encoding.clock && clock.storedBytes < n * 5 / 2)
        let pool = (0..<12).map { _ in Int64(bitPattern: g.next()) }
        #expect(Self.choose((0..<n).map { _ in pool[g.below(12)] }).encoding == Encoding.dictionary)
    }

    @Test("Each encoding of reals is chosen for a column of its kind")
    func reals() {
        var g = TestRandom(seed: 4)
        let n = 1024
        #expect(Self.choose([Double](repeating: 0.1, count: n)).encoding == Encoding.realConstant)
        let rates = Self.choose((0..<n).map { _ in Double(60 + g.below(40)) })
        #expect(rates.encoding == Encoding.decimal && rates.details.divisor == 1)
        let steps = Self.choose((0..<n).map { _ in Double(g.below(2000)) * 5 / 1000 })
        #expect(steps.details.divisor == 1000 && steps.details.unit == 5)
        // Heart rates in counts per second, as a health store keeps them.
        let ratio = Self.choose((0..<n).map { _ in Double(50 + g.below(120)) / 60 })
        #expect(ratio.encoding == Encoding.ratio && ratio.details.divisor == 60 && ratio.storedBytes < n)
        #expect(Self.choose((0..<n).map { _ in Double(Float(g.unit())) }).encoding == Encoding.float32)
        #expect(Self.choose((0..<n).map { _ in 100 + g.unit() }).encoding == Encoding.ordered)
        // Values of a converter with a gain; decimals minus a constant.
        let gain = Self.choose((0..<n).map { _ in Double(g.below(3000) - 1000) / 2281 })
        #expect(gain.encoding == Encoding.scaled && gain.details.divisor == 2281 && gain.details.exceptions == 0)
        let computed = Self.choose((0..<n).map { _ in Double(g.below(9000)) / 1000 - 0.9813 })
        #expect(computed.encoding == Encoding.scaled && computed.storedBytes < 3 * n)
        let pool = (0..<40).map { _ in g.unit() * 1e6 }
        #expect(Self.choose((0..<n).map { _ in pool[g.below(40)] }).encoding == Encoding.realDictionary)
        var runs: [Double] = []
        while runs.count < n { runs += [Double](repeating: g.unit(), count: 20 + g.below(90)) }
        #expect(Self.choose(runs).encoding == Encoding.realRunLength)
        // Bit patterns that share bytes, but not the upper ones.
        let xor = (0..<n).map { i -> Double in
            let upper = UInt64(g.below(1 << 16)) << 48
            return Double(bitPattern: upper | UInt64(i / 256) << 20 | 0x5a5a)
        }
        let planes = Self.choose(xor)
        #expect(planes.encoding == Encoding.xor || planes.encoding == Encoding.shuffled)
        #expect(Self.choose((0..<n).map { _ in Double(bitPattern: g.next()) }).encoding == Encoding.raw)
    }

    @Test("LZ4 is chosen for repeating bytes and not for others")
    func lz4() {
        var g = TestRandom(seed: 5)
        // 512 Hz in whole microseconds: the differences repeat every eight samples.
        let clock = Self.choose((0..<1024).map { Int64($0) * 15_625 / 8 * 1000 })
        #expect(clock.lz4 && clock.storedBytes < 60)
        #expect(!Self.choose((0..<1024).map { _ in Int64(g.below(1 << 20)) }).lz4)
    }

    @Test("The decimal exponent is chosen by cost: rare values of full precision become exceptions")
    func outliers() {
        var g = TestRandom(seed: 6)
        let choice = Self.choose((0..<1024).map { i in i % 60 == 0 ? g.unit() : Double(g.below(1000)) / 10 })
        #expect(choice.encoding == Encoding.decimal && choice.details.divisor == 10 && choice.details.exceptions == 18)
    }

    @Test("The plan of the previous block is reused, and dropped when it no longer fits")
    func memory() {
        var g = TestRandom(seed: 7)
        var encoder = RealColumnEncoder()
        var w = ByteWriter()
        for _ in 0..<5 {
            let values = (0..<500).map { _ in Double(g.below(50)) / 10 }
            #expect(encoder.encode(values, values.indices, into: &w).details.divisor == 10)
        }
        let changed = (0..<500).map { _ in Double(g.below(50)) / 60 }
        #expect(encoder.encode(changed, changed.indices, into: &w).encoding == Encoding.ratio)
        encoder.forget()
        let values = (0..<500).map { _ in Double(g.below(50)) / 10 }
        var fresh = ByteWriter()
        var again = ByteWriter()
        var new = RealColumnEncoder()
        _ = encoder.encode(values, values.indices, into: &fresh)
        _ = new.encode(values, values.indices, into: &again)
        #expect(fresh.bytes == again.bytes)
    }

    @Test("LZ4 is skipped after sixteen failures, and tried again later")
    func patience() {
        var frame = ColumnFrame()
        var w = ByteWriter()
        var g = TestRandom(seed: 8)
        var tried = 0
        for _ in 0..<(16 + 64) {
            frame.stage.reset(100)
            for _ in 0..<100 { frame.stage.put(UInt8(truncatingIfNeeded: g.next())) }
            let turn = frame.turn()
            tried += turn ? 1 : 0
            _ = frame.write(1, ColumnDetails(), turn: turn, into: &w)
        }
        #expect(tried == 16 + 4)
    }

    @Test("Candidates explain the choice")
    func candidates() {
        var g = TestRandom(seed: 9)
        let integers = (0..<1000).map { _ in Int64(g.below(1000)) }
        let reals = integers.map { Double($0) / 4 }
        let found = IntegerColumnEncoder.candidates(integers, 0..<1000)
        #expect(Set(found.map(\.encoding)).isSuperset(of: [Encoding.packed, Encoding.delta, Encoding.deltaOfDelta]))
        #expect(found[0].storedBytes == Self.choose(integers).storedBytes)
        let realFound = RealColumnEncoder.candidates(reals, 0..<1000)
        #expect(Set(realFound.map(\.encoding)).isSuperset(of: [Encoding.decimal, Encoding.raw, Encoding.xor]))
        #expect(realFound[0].storedBytes == Self.choose(reals).storedBytes)
        #expect(realFound[0].note == "k / 100.0, packed windows, unit 25")
        #expect(RealColumnEncoder.candidates([], 0..<0).isEmpty == false)
        #expect(IntegerColumnEncoder.candidates([5], 0..<1)[0].name == "constant")
    }
}
