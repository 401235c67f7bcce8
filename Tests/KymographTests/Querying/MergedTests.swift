// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-10 sources merged by priority")
struct MergedTests {
    /// Creates a store of sources with one series each.
    private func stored(_ sources: [[Sample]]) throws -> (TestStore, [SeriesID]) {
        let test = try TestStore()
        let ids = try sources.indices.map {
            try test.store.series("steps", labels: ["n": "\($0)"], kind: .cumulative).id
        }
        for (id, samples) in zip(ids, sources) where !samples.isEmpty { try test.store.append(samples, to: id) }
        return (test, ids)
    }

    private func sample(_ start: Int64, _ end: Int64, _ value: Double) -> Sample {
        Sample(start: start * second, end: end * second, value: value)
    }

    @Test("A partly covered sample counts for its visible part, a covered one not at all, and gaps are filled")
    func shares() throws {
        let (test, ids) = try stored([
            [sample(0, 100, 50), sample(200, 300, 70)],
            [sample(50, 150, 100), sample(210, 290, 1_000), sample(400, 500, 8)],
        ])
        let both = try test.store.snapshot().aggregate(of: MergedSources(ids), computing: .duration)
        #expect(both.sum == 178 && both.count == 4)
        #expect(both.duration == Double(350 * second))
        #expect(both.min == 8 && both.max == 100 && both.average == 57)
        let other = try test.store.snapshot().aggregate(of: MergedSources(ids.reversed()))
        #expect(other.sum == 1_147 && other.count == 5)
    }

    @Test("Equal intervals count once; points hide points at their instant; an interval hides nothing at its end")
    func edges() throws {
        let (test, ids) = try stored([
            [sample(10, 20, 5), sample(30, 30, 1), sample(40, 50, 3), sample(100, 100, 9)],
            [sample(10, 20, 7), sample(30, 30, 2), sample(20, 20, 4), sample(40, 40, 6), sample(95, 105, 10)],
        ])
        let found = try test.store.snapshot().aggregate(of: MergedSources(ids))
        #expect(found.sum == 32 && found.count == 6)
    }

    @Test("Samples of one source do not hide each other, and hidden samples still hide later sources")
    func within() throws {
        let (test, ids) = try stored([
            [sample(0, 10, 1), sample(0, 10, 1), sample(5, 15, 4)],
            [sample(10, 30, 40)],
            [sample(0, 40, 80)],
        ])
        let snapshot = test.store.snapshot()
        let found = try snapshot.aggregate(of: MergedSources(ids))
        #expect(found.sum == 56)
        // Two series of one source.
        let together = try snapshot.aggregate(of: MergedSources(sources: [[ids[0], ids[1]], [ids[2]]]))
        #expect(together.sum == 66)
        for (i, part) in [6.0, 30, 20].enumerated() {
            #expect(try snapshot.aggregate(of: MergedSources(ids, counting: [ids[i]])).sum == part)
        }
    }

    @Test("The visible part of a sample is counted in its bucket, the sample in the bucket of its visible start")
    func buckets() throws {
        let (test, ids) = try stored([[sample(0, 60, 6), sample(90, 100, 1)], [sample(30, 130, 100)]])
        let table = try test.store.snapshot().buckets(
            of: MergedSources(ids), .edges([0, 50 * second, 100 * second, 200 * second]))
        #expect(table.map(\.count) == [2, 1, 0])
        #expect(table.map(\.sum) == [5, 32, 30])
    }

    @Test("Deleted samples hide nothing")
    func deletions() throws {
        let (test, ids) = try stored([[sample(0, 60, 6), sample(60, 120, 7)], [sample(0, 120, 60)]])
        try test.store.delete(from: ids[0], startingIn: TimeRange(0, 1))
        #expect(try test.store.snapshot().aggregate(of: MergedSources(ids)).sum == 37)
    }

    @Test("A huge hidden value leaves no error in the sum")
    func huge() throws {
        let huge = Double.greatestFiniteMagnitude
        let (test, ids) = try stored([
            [sample(0, 60, 0.1)], [sample(0, 60, huge), sample(0, 60, huge), sample(59, 61, 2)],
        ])
        #expect(try test.store.snapshot().aggregate(of: MergedSources(ids)).sum == 1.1)
    }

    @Test("Copies count once if requested: in every bucket, over runs, and after deletions and commits")
    func copies() throws {
        let one = sample(10, 70, 6)
        let (test, ids) = try stored([[sample(0, 20, 1)], [one, one, sample(10, 70, 7), sample(80, 90, 5)]])
        let merged = MergedSources(ids, countsCopies: false)
        func sums() throws -> [Double?] {
            try test.store.snapshot().buckets(of: merged, .edges([0, 40 * second, 100 * second])).map(\.sum)
        }
        #expect(try sums() == [16 / 3.0, 11.5])
        try test.store.append([one, sample(80, 90, 5)], to: ids[1])
        #expect(try sums() == [16 / 3.0, 11.5])
        try test.store.seal()
        #expect(try sums() == [16 / 3.0, 11.5])
        let explanation = QueryExplanation()
        let all = try test.store.snapshot().aggregate(of: merged, computing: .duration, explain: explanation)
        #expect(all.count == 4 && all.average == 4.75)
        #expect(all.duration == 130e9)
        #expect(explanation.samplesCompared == 0)
        try test.store.delete(from: ids[1], startingIn: TimeRange(11 * second, 100 * second))
        try test.store.delete(from: ids[0], startingIn: .all)
        #expect(try sums() == [6.5, 6.5])
    }

    @Test("Other kinds, repeated series and options without a meaning are refused")
    func refused() throws {
        let (test, ids) = try stored([[sample(0, 1, 1)], []])
        let pulse = try test.store.series("pulse", kind: .discrete).id
        let snapshot = test.store.snapshot()
        func kind(_ merged: MergedSources, _ options: AggregateOptions = []) -> StoreError.Kind? {
            do throws(StoreError) {
                _ = try snapshot.aggregate(of: merged, computing: options)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind(MergedSources([ids[0], pulse])) == .invalidArgument)
        #expect(kind(MergedSources([ids[0], ids[0]])) == .invalidArgument)
        #expect(kind(MergedSources(ids), .standardDeviation) == .invalidArgument)
        #expect(kind(MergedSources(ids), .timeWeightedAverage) == .invalidArgument)
        #expect(kind(MergedSources([ids[0], SeriesID(rawValue: 99)])) == .unknownSeries)
        #expect(kind(MergedSources([])) == nil && kind(MergedSources([ids[1]])) == nil)
        #expect(try snapshot.buckets(of: MergedSources([ids[1]]), .fixed(nanoseconds: hour)).isEmpty)
    }
}

@Suite("E-10 merged sources decode only overlapping blocks")
struct MergedCostTests {
    private static let step = 120 * second

    /// Returns consecutive samples of two minutes, on some days.
    private func days(_ which: (Int64) -> Bool, of count: Int64, shift: Int64 = 0) -> [Sample] {
        (0..<count).filter(which).flatMap { d in
            (0..<720).map { i in
                let start = d * day + Int64(i) * Self.step + shift
                return Sample(start: start, end: start + Self.step - shift, value: Double((Int(d) * 720 + i) % 31))
            }
        }
    }

    private func stored(_ sources: [[Sample]]) throws -> (TestStore, [SeriesID]) {
        let test = try TestStore()
        let ids = try sources.indices.map { try test.store.series("s", labels: ["n": "\($0)"], kind: .cumulative).id }
        for (id, samples) in zip(ids, sources) { try test.store.load(samples, to: id) }
        return (test, ids)
    }

    @Test("Sources that alternate without overlap are answered from the same summaries as unmerged")
    func apart() throws {
        let count: Int64 = 400
        for which in [{ (d: Int64) in d < 150 }, { (d: Int64) in d % 2 == 0 }, { (d: Int64) in d % 7 < 2 }] {
            let (test, ids) = try stored([days(which, of: count), days({ !which($0) }, of: count)])
            let snapshot = test.store.snapshot()
            for order in [ids, ids.reversed()] {
                for cut in [Buckets.fixed(nanoseconds: day), .fixed(nanoseconds: 30 * day)] {
                    let (merged, plain) = (QueryExplanation(), QueryExplanation())
                    let found = try snapshot.buckets(of: MergedSources(order), cut, explain: merged)
                    let wanted = try snapshot.buckets(of: order, cut, explain: plain)
                    #expect(merged.blocksDecoded == 0 && plain.blocksDecoded == 0)
                    #expect(Array(found) == Array(wanted))
                }
            }
        }
    }

    @Test("If two sources overlap on one day, only the blocks of that day are decoded")
    func oneDay() throws {
        let (first, second) = (days({ $0 < 100 }, of: 200), days({ $0 >= 99 }, of: 200))
        let (test, ids) = try stored([first, second])
        let explanation = QueryExplanation()
        let found = try test.store.snapshot().buckets(
            of: MergedSources(ids), .fixed(nanoseconds: day), explain: explanation)
        #expect(explanation.blocksDecoded == 2)
        let wanted = MergedOracle(sources: [
            [first.filter { $0.start >= 98 * day }], [second.filter { $0.start < 102 * day }],
        ])
        for (a, b) in zip(found[98..<102], wanted.buckets((98...102).map { $0 * day })) { expectEqual(a, b, "day") }
    }

    @Test("Sources that always overlap decode each block once for counting and once for hiding")
    func always() throws {
        let (first, second) = (days({ _ in true }, of: 9), days({ _ in true }, of: 9, shift: 30 * second))
        let (test, ids) = try stored([first, second])
        let explanation = QueryExplanation()
        let found = try test.store.snapshot().buckets(
            of: MergedSources(ids.reversed()), .fixed(nanoseconds: day), explain: explanation)
        #expect(explanation.blocksDecoded == 18)
        let wanted = MergedOracle(sources: [[second], [first]]).buckets((0...9).map { $0 * day })
        for (a, b) in zip(found, wanted) { expectEqual(a, b, "day") }
    }

    @Test("A few late samples far apart decode the overlapping blocks, not those between")
    func sparse() throws {
        let first = days({ _ in true }, of: 200)
        let second = (0..<5).map { i in
            Sample(start: Int64(i) * 40 * day + 100, end: Int64(i) * 40 * day + 200, value: 1)
        }
        let (test, ids) = try stored([first, second])
        let explanation = QueryExplanation()
        let found = try test.store.snapshot().aggregate(of: MergedSources(ids), explain: explanation)
        #expect(found.count == first.count && explanation.blocksDecoded <= 6)
    }
}
