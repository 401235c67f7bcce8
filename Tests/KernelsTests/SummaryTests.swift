// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

@Suite("E-8 summaries of samples and their merging")
struct SummaryTests {
    /// Computes a summary by plain loops, without sums.
    static func naive(_ starts: [Int64], _ ends: [Int64], _ values: [Double], _ r: Range<Int>) -> Summary {
        var s = Summary()
        for i in r {
            if s.count == 0 {
                (s.firstStart, s.firstEnd, s.firstValue) = (starts[i], ends[i], values[i])
            }
            s.count += 1
            s.min = Swift.min(s.min, values[i])
            s.max = Swift.max(s.max, values[i])
            (s.lastStart, s.lastEnd, s.lastValue) = (starts[i], ends[i], values[i])
            s.maxEndExceptLast = s.maxEnd
            s.maxEnd = Swift.max(s.maxEnd, ends[i])
            s.durationSum += Int128(ends[i]) - Int128(starts[i])
        }
        return s
    }

    @Test("Summarizing and appending agree with plain loops for any split", arguments: [true, false])
    func cuts(points: Bool) {
        var g = TestRandom(seed: 0xc075)
        for _ in 0..<200 {
            let n = 1 + g.below(200)
            var time = Int64(g.below(1_000_000)) - 500_000
            var starts: [Int64] = []
            var ends: [Int64] = []
            for _ in 0..<n {
                time += Int64(g.below(5)) * 1_000_000_000
                starts.append(time)
                ends.append(points ? time : time + Int64(g.next() >> UInt64(2 + g.below(60))))
            }
            let values = (0..<n).map { _ in Double(g.below(2000)) / 8 }
            let expected = Self.naive(starts, ends, values, 0..<n)
            var joined = Summary()
            var from = 0
            while from < n {
                let to = min(n, from + g.below(40))
                joined.append(
                    Kernel.summarize(
                        starts: starts, ends: points ? nil : ends, values: values, range: from..<to,
                        minBorn: Int64(from), maxBorn: Int64(to)))
                from = to
            }
            #expect(joined.count == expected.count)
            #expect(joined.min == expected.min && joined.max == expected.max)
            #expect(joined.firstStart == expected.firstStart && joined.firstEnd == expected.firstEnd)
            #expect(joined.lastStart == expected.lastStart && joined.lastEnd == expected.lastEnd)
            #expect(joined.firstValue == expected.firstValue && joined.lastValue == expected.lastValue)
            #expect(joined.maxEnd == expected.maxEnd && joined.maxEndExceptLast == expected.maxEndExceptLast)
            #expect(joined.durationSum == expected.durationSum)
            #expect(joined.minBorn == 0 && joined.maxBorn == Int64(n))
            // Multiples of 1/8 and whole seconds: the sums are exact in any order.
            #expect(joined.sum.value == values.reduce(0, +))
            #expect(joined.sumOfSquares.value == values.reduce(0) { $0 + $1 * $1 })
            var area = 0.0
            for i in 0..<(n - 1) { area += values[i] * Double((starts[i + 1] - starts[i]) / 1_000_000_000) }
            #expect(joined.integral.value == area)
        }
    }

    @Test("The empty summary is neutral")
    func empty() {
        let s = Kernel.summarize(starts: [1, 5], ends: [4, 5], values: [2, 3], range: 0..<2, minBorn: 7, maxBorn: 9)
        var left = Summary()
        left.append(s)
        var right = s
        right.append(Summary())
        #expect(left == s && right == s)
        #expect(Kernel.summarize(starts: [], ends: nil, values: [], range: 0..<0, minBorn: 0, maxBorn: 0) == Summary())
        #expect(Summary().maxEnd == .min && Summary().min == .infinity)
        #expect(s.maxEndExceptLast == 4 && s.maxEnd == 5 && s.durationSum == 3)
    }

    @Test("Times at the ends of the range and long durations do not overflow")
    func extremes() {
        let starts: [Int64] = [.min, 0, .max]
        let ends: [Int64] = [.max, .max, .max]
        let s = Kernel.summarize(starts: starts, ends: ends, values: [1, 1, 1], range: 0..<3, minBorn: 0, maxBorn: 0)
        #expect(s.durationSum == Int128(Int64.max) - Int128(Int64.min) + Int128(Int64.max))
        #expect(s.integral.value == 0x1p64 / 1e9)
        let many = Kernel.summarize(
            starts: [Int64](repeating: .min, count: 1000), ends: [Int64](repeating: .max, count: 1000),
            values: [Double](repeating: 1, count: 1000), range: 0..<1000, minBorn: 0, maxBorn: 0)
        #expect(many.durationSum == 1000 * (Int128(Int64.max) - Int128(Int64.min)))
    }
}
