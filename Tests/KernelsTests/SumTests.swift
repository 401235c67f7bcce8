// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

/// The kernel level is global to the process, so tests that force it run serially.
@Suite("Kernels on every level", .serialized)
enum LevelledTests {}

extension LevelledTests {
    @Suite("X-3 sums: exact where promised, the same bits on every level") struct SumTests {}
}

extension LevelledTests.SumTests {
    static let seed: UInt64 = 0x5eed

    static let shapes = [
        "integers", "decimals", "uniform", "log-uniform", "signed", "cancelling", "huge", "tiny", "zeros",
    ]

    static func values(_ shape: String, _ n: Int, _ g: inout TestRandom) -> [Double] {
        var result: [Double] = (0..<n).map { _ in
            let u = g.unit()
            switch shape {
            case "integers": return Double(60 + g.below(120))
            case "decimals": return Double(g.below(100_000)) / 1000
            case "uniform": return u
            case "log-uniform": return u * pow2(g.below(54) - 27)
            case "signed": return (g.below(2) == 0 ? -u : u) * pow2(g.below(54) - 27)
            case "cancelling": return (g.below(2) == 0 ? -u : u) * 1e15
            case "huge": return (u - 0.5) * 0x1p1000
            case "tiny": return (u - 0.5) * 0x1p-1010
            default: return g.below(2) == 0 ? 0.0 : -0.0
            }
        }
        if shape == "cancelling" {
            for index in stride(from: 1, to: n, by: 2) { result[index] = -result[index - 1] + 0.1 }
        }
        return result
    }

    static func pow2(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }

    @Test("Every level equals the lane model", arguments: 0...3)
    func levels(level: Int) {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        Kernel.force(level: level)
        var g = TestRandom(seed: Self.seed)
        for shape in Self.shapes {
            for n in [0, 1, 2, 7, 8, 9, 15, 16, 17, 60, 100, 1023, 1024, 1025] {
                let all = Self.values(shape, n + 11, &g)
                let from = g.below(11)
                let range = from..<(from + n)
                let expected = LaneModel.sum(all[range])
                let sums = Kernel.sums(all, range)
                #expect(same(sums.sum, expected), "\(shape) \(n) seed \(Self.seed)")
                #expect(sums.min.bitPattern == (all[range].min() ?? .infinity).bitPattern & ~zeroSign(all[range].min()))
                #expect(
                    sums.max.bitPattern == (all[range].max() ?? -.infinity).bitPattern & ~zeroSign(all[range].max()))
                #expect(same(Kernel.sumOfSquares(all, range), LaneModel.sumOfSquares(all[range])), "\(shape) \(n)")
                var time = Int64(g.next() >> 8)
                let starts = all.map { _ -> Int64 in
                    time += Int64(g.next() >> UInt64(20 + g.below(40)))
                    return time
                }
                let summary = Kernel.summarize(
                    starts: starts, ends: nil, values: all, range: range, minBorn: 1, maxBorn: 2)
                let area = LaneModel.integral(all[range], starts[range]).divided(by: 1e9)
                #expect(same(summary.integral, area), "\(shape) \(n) seed \(Self.seed)")
            }
        }
    }

    /// The sign bit if the value is a zero: results have +0.0.
    func zeroSign(_ x: Double?) -> UInt64 { x == 0 ? 1 << 63 : 0 }

    func same(_ a: DoubleDouble, _ b: DoubleDouble) -> Bool {
        if a.hi.isNaN { return b.hi.isNaN }
        return a.hi.bitPattern == b.hi.bitPattern && a.lo.bitPattern == b.lo.bitPattern
    }

    @Test("Sums are the rounded exact sums, for any order and any division into blocks")
    func exact() {
        var g = TestRandom(seed: Self.seed &+ 7)
        for shape in Self.shapes {
            let values = Self.values(shape, 2500, &g)
            var oracle = ExactSum()
            for value in values { oracle.add(value) }
            for round in 0..<5 {
                let shuffled = round == 0 ? values : values.shuffled(using: &g)
                var total = DoubleDouble.zero
                var from = 0
                while from < shuffled.count {
                    let to = min(shuffled.count, from + 1 + g.below(1536))
                    total.add(Kernel.sums(shuffled, from..<to).sum)
                    from = to
                }
                #expect(total.value == oracle.value, "\(shape) round \(round) seed \(Self.seed)")
            }
        }
    }

    @Test("Squares and areas are the rounded exact ones")
    func exactProducts() {
        var g = TestRandom(seed: Self.seed &+ 8)
        for shape in ["integers", "decimals", "uniform", "log-uniform", "signed"] {
            let values = Self.values(shape, 1500, &g)
            var squares = ExactSum()
            for value in values { squares.add(value, times: value) }
            #expect(Kernel.sumOfSquares(values, 0..<1500).value == squares.value, "\(shape)")
            var area = ExactSum()
            var time: Int64 = 1_767_225_600_000_000_000
            let starts = values.map { _ -> Int64 in
                time += 1_000_000_000 + Int64(g.below(1_000_000))
                return time
            }
            for index in 0..<1499 { area.add(values[index], times: Double(starts[index + 1] - starts[index])) }
            let summary = Kernel.summarize(
                starts: starts, ends: nil, values: values, range: 0..<1500, minBorn: 0, maxBorn: 0)
            let expected = area.value / 1e9
            #expect(abs(summary.integral.value - expected) <= expected.ulp, "\(shape)")
        }
    }

    @Test("Overflow gives infinity, NaN gives NaN, zeros are positive")
    func special() {
        let big = [Double](repeating: .greatestFiniteMagnitude, count: 20)
        #expect(Kernel.sums(big, 0..<20).sum == DoubleDouble(hi: .infinity, lo: 0))
        #expect(Kernel.sumOfSquares(big, 0..<1) == DoubleDouble(hi: .infinity, lo: 0))
        #expect(Kernel.sums([1, .nan, 2], 0..<3).sum.value.isNaN)
        #expect(Kernel.sums([.infinity, -.infinity], 0..<2).sum.value.isNaN)
        #expect(Kernel.sums([-0.0, -0.0], 0..<2).sum.hi.sign == .plus)
        var sum = DoubleDouble.zero
        sum.add(.infinity)
        sum.add(1)
        #expect(sum.value == .infinity)
    }

    @Test("Double-double arithmetic equals the exact sum")
    func doubleDouble() {
        var g = TestRandom(seed: Self.seed &+ 9)
        for _ in 0..<800 {
            let terms = Self.values("signed", 1 + g.below(30), &g)
            var one = DoubleDouble.zero
            var oracle = ExactSum()
            for term in terms {
                one.add(term)
                oracle.add(term)
            }
            #expect(one.value == oracle.value)
            let (a, b) = (terms[0], g.unit())
            var product = ExactSum()
            product.add(a, times: b)
            let exact = DoubleDouble.product(a, b)
            #expect(exact.hi == product.value)
            product.add(-exact.hi)
            #expect(exact.lo == product.value)
        }
        #expect(DoubleDouble.product(0x1p1000, 0x1p-100) == DoubleDouble(hi: 0x1p900, lo: 0))
        #expect(DoubleDouble.product(0x1.fffffffffffffp1000, 0x1.8p-60).lo != 0)
        #expect(DoubleDouble(hi: 1, lo: 0).divided(by: 3).lo != 0)
    }
}
