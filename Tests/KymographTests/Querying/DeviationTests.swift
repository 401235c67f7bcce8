// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-8 variance and standard deviation, of a population and of a sample")
struct DeviationTests {
    /// Returns the exact population variance of whole numbers, rounded once or twice.
    static func exact(_ values: [Int64]) -> Double {
        let first = values[0]
        var (sum, squares) = (Int128(0), Int128(0))
        for value in values {
            let d = Int128(value) - Int128(first)
            sum += d
            squares += d * d
        }
        let n = Int128(values.count)
        return Double(n * squares - sum * sum) / (Double(n) * Double(n))
    }

    @Test("Small noise on any mean gives the exact deviation", arguments: [0, 72, 1 << 30, 1 << 45, 1 << 52])
    func noise(mean: Int64) throws {
        var random = SeededGenerator(seed: UInt64(mean) + 5)
        let numbers = (0..<5_000).map { _ in mean + random.number(in: -2...2) }
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        // Values in quarters, so that 1e15 has a fraction, in two overlapping runs.
        let samples = numbers.enumerated().map { Sample(start: Int64($0) * second, value: Double($1) / 4) }
        try test.store.load(samples.enumerated().filter { $0.offset % 3 != 0 }.map(\.element), to: id)
        try test.store.append(samples.enumerated().filter { $0.offset % 3 == 0 }.map(\.element), to: id)
        let explanation = QueryExplanation()
        let answer = try test.store.snapshot().buckets(
            of: id, .fixed(nanoseconds: 700 * second), computing: .standardDeviation, explain: explanation)
        for bucket in answer {
            let wanted = Self.exact(Array(numbers[Int(bucket.start / second)...].prefix(bucket.count))) / 16
            let variance = try #require(bucket.variance)
            #expect(abs(variance - wanted) <= 2 * wanted.ulp, "\(variance) \(wanted)")
            let deviation = try #require(bucket.standardDeviation)
            #expect(abs(deviation - wanted.squareRoot()) <= 2 * wanted.squareRoot().ulp)
            let n = Double(bucket.count)
            let sample = try #require(bucket.sampleVariance)
            #expect(abs(sample - wanted * n / (n - 1)) <= 4 * sample.ulp)
            let root = try #require(bucket.sampleStandardDeviation)
            #expect(abs(root - sample.squareRoot()) <= 4 * root.ulp)
        }
        if mean == 72 { #expect(explanation.blocksDecoded < 40, "only edges are decoded, summaries answer the rest") }
    }

    @Test("Huge, tiny and equal values have a deviation that is as exact as a double allows")
    func ranges() throws {
        let tiny = Double.leastNonzeroMagnitude
        let cases: [(values: [Double], deviation: Double)] = [
            ([1e300, -1e300], 1e300), ([3e-200, 5e-200], 1e-200), ([tiny * 2, tiny * 6], tiny * 2),
            ([0, tiny], tiny), ([7, 7, 7], 0), ([-0.0, 0], 0), ([1e15, 1e15 + 0.25], 0.125),
            ([.greatestFiniteMagnitude, -.greatestFiniteMagnitude], .greatestFiniteMagnitude),
            ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], 0), ([1e308, 1e308, 1.5e308, 1.5e308], 0.25e308),
        ]
        for (values, deviation) in cases {
            let test = try TestStore()
            let id = try test.store.series("a", kind: .discrete).id
            try test.store.load(values.enumerated().map { Sample(start: Int64($0), value: $1) }, to: id)
            let answer = try test.store.snapshot().aggregate(of: id, computing: .standardDeviation)
            let found = try #require(answer.standardDeviation)
            #expect(abs(found - deviation) <= 4 * deviation.ulp, "\(values): \(found)")
        }
    }

    @Test("The deviation is nil without samples, for one sample of a sample deviation, and unless requested")
    func few() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        #expect(try test.store.snapshot().aggregate(of: id, computing: .standardDeviation).variance == nil)
        try test.store.append([Sample(start: 1, value: 4)], to: id)
        let one = try test.store.snapshot().aggregate(of: id, computing: .standardDeviation)
        #expect(one.variance == 0 && one.sampleVariance == nil && one.sampleStandardDeviation == nil)
        #expect(try test.store.snapshot().aggregate(of: id).variance == nil)
    }

    @Test("Deviations have the same bits for one run or many overlapping ones, any thread count and level")
    func reproducible() throws {
        var random = SeededGenerator(seed: 77)
        let samples = (0..<150_000).map {
            Sample(start: Int64($0) * second, value: 1e12 + Double(random.below(1_000)) / 1_024)
        }
        var answers = [[Double?]]()
        for (threads, pieces) in [(1, 1), (3, 1), (1, 2)] {
            let test = try TestStore { $0.threads = threads }
            let id = try test.store.series("a", kind: .discrete).id
            for piece in 0..<pieces {
                try test.store.load(samples.enumerated().filter { $0.offset % pieces == piece }.map(\.element), to: id)
            }
            let snapshot = test.store.snapshot()
            let cut = Buckets.fixed(nanoseconds: 200 * second)
            answers.append(try snapshot.buckets(of: id, cut, computing: .standardDeviation).map(\.standardDeviation))
        }
        #expect(answers[0] == answers[1])
        // Other blocks give other roundings, but almost the same result.
        for (a, b) in zip(answers[0], answers[2]) {
            let (a, b) = (try #require(a), try #require(b))
            #expect(abs(a - b) <= 2 * a.ulp)
        }
    }

    @Test("An average lies between the least and the greatest value; that of equal values is the value")
    func bounds() throws {
        let test = try TestStore()
        var random = SeededGenerator(seed: 11)
        for (i, value) in [0.1, 0.7, 70.3, .leastNormalMagnitude / 64, -98.6, 1e308].enumerated() {
            for count in 1...30 {
                let id = try test.store.series("\(i).\(count)", kind: .discrete).id
                var start: Int64 = 0
                try test.store.append(
                    (0..<count).map { _ in
                        start += Int64(1 + random.below(1_000_000_000))
                        return Sample(start: start, value: value)
                    }, to: id)
                let found = try test.store.snapshot().aggregate(of: id, computing: .all)
                #expect(found.average == value && found.timeWeightedAverage == value, "\(count) of \(value)")
            }
        }
    }
}
