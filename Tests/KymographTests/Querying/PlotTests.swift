// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

/// Returns a store with a few overlapping runs whose values often tie.
private func filled(_ threads: Int = 1, seed: UInt64 = 3, ties: Int = 12) throws -> (TestStore, SeriesID, [Sample]) {
    let test = try TestStore { $0.threads = threads }
    let id = try test.store.series("a", kind: .discrete).id
    var oracle = Oracle(kind: .discrete)
    var random = SeededGenerator(seed: seed)
    for piece in 0..<4 {
        var at = Int64(piece * 20_000) * second
        let samples = (0..<[30_000, 8_000, 900, 40][piece]).map { _ in
            at += Int64(1 + random.below(3)) * second
            return Sample(start: at, end: at + Int64(random.below(3)), value: Double(random.below(ties)) - 3)
        }
        if piece < 2 { try test.store.load(samples, to: id) } else { try test.store.append(samples, to: id) }
        oracle.append(samples)
    }
    return (test, id, oracle.sorted)
}

@Suite("E-11 envelopes: slices with first, last, least and greatest")
struct EnvelopeTests {
    static func naive(_ samples: [Sample], _ start: Int64, _ end: Int64) -> EnvelopeSlice {
        var slice = EnvelopeSlice(start: start, end: end, count: 0)
        for sample in samples where start <= sample.start && sample.start < end {
            slice.count += 1
            slice.first = slice.first ?? sample
            slice.last = sample
            if sample.value < slice.min?.value ?? .infinity { slice.min = sample }
            if sample.value > slice.max?.value ?? -.infinity { slice.max = sample }
        }
        return slice
    }

    @Test("Envelopes of overlapping runs equal plain loops, on any number of threads", arguments: [2, 12, 100_000])
    func random(ties: Int) throws {
        for threads in [1, 3] {
            let (test, id, samples) = try filled(threads, ties: ties)
            let snapshot = test.store.snapshot()
            for (points, range) in [
                (1, TimeRange.all), (7, .all), (500, .all), (90, TimeRange(333 * second, 41_234 * second + 7)),
                (3, TimeRange(-9 * day, 9 * day)), (20, TimeRange(5 * second, 5 * second + 3)),
            ] {
                let found = try snapshot.envelope(of: id, points: points, over: range)
                let first = range.start == Int64.min ? samples[0].start : range.start
                let last = range.end == Int64.max ? samples[samples.count - 1].start + 1 : range.end
                #expect(found.first?.start == first && found.last?.end == last)
                #expect(found.count == min(points, Int(last - first)))
                let lengths = Set(found.map { $0.end - $0.start })
                #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= 1)
                #expect(zip(found, found.dropFirst()).allSatisfy { $0.end == $1.start })
                for slice in found {
                    let wanted = Self.naive(samples, slice.start, slice.end)
                    #expect(slice == wanted, "\(points) \(threads)")
                    #expect(slice.points.count <= 4 && (slice.points.first == slice.first))
                }
            }
        }
    }

    @Test("Slices are answered from summaries; only the blocks with the extremes are decoded")
    func decoded() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        // About eight days of a sample per second: a block spans a quarter of an hour, and no hour edge cuts one.
        var random = SeededGenerator(seed: 9)
        try test.store.load((0..<700_000).map { Sample(start: Int64($0) * second, value: random.normal()) }, to: id)
        let explanation = QueryExplanation()
        let range = TimeRange(0, 192 * hour)
        let found = try test.store.snapshot().envelope(of: id, points: 8, over: range, explain: explanation)
        #expect(found.allSatisfy { $0.count == 86_400 && $0.max?.value ?? 0 > 3 })
        #expect(explanation.blocksDecoded <= 16 && explanation.blocksDecoded >= 8, "\(explanation.blocksDecoded)")
        #expect(explanation.summaries >= 8)
        // If the extreme is an entry's first sample, no block is decoded.
        let rising = try test.store.series("b", kind: .discrete).id
        try test.store.load((0..<50_000).map { Sample(start: Int64($0) * second, value: 1) }, to: rising)
        let none = QueryExplanation()
        let flat = try test.store.snapshot().envelope(of: rising, points: 1, explain: none)
        #expect(none.blocksDecoded == 0 && flat[0].min == flat[0].first && flat[0].max == flat[0].first)
    }

    @Test("Calendar slices and empty series work; invalid slice counts are refused")
    func divisions() throws {
        let (test, id, samples) = try filled()
        let snapshot = test.store.snapshot()
        let hours = try snapshot.envelope(of: id, .calendar(.hours(1), zone: "Europe/Zurich"))
        for slice in hours { #expect(slice == Self.naive(samples, slice.start, slice.end)) }
        #expect(hours.map(\.count).reduce(0, +) == samples.count)
        let empty = try test.store.series("b", kind: .discrete).id
        #expect(try test.store.snapshot().envelope(of: empty, points: 9).isEmpty)
        #expect(try test.store.snapshot().envelope(of: empty, points: 2, over: TimeRange(0, 9)).map(\.count) == [0, 0])
        for points in [Int.min, 0, 2_000_001] {
            let error = #expect(throws: StoreError.self) { try snapshot.envelope(of: id, points: points) }
            #expect(error?.kind == .invalidArgument)
        }
    }
}

@Suite("E-11 downsampling by largest triangles (LTTB)")
struct DownsamplingTests {
    /// Steinarsson's algorithm over arrays, as in his thesis; means from exact sums.
    static func naive(_ samples: [Sample], _ points: Int) -> [Sample] {
        let n = samples.count
        if n <= points { return samples }
        func edge(_ bucket: Int) -> Int { bucket > points - 2 ? n : 1 + bucket * (n - 2) / (points - 2) }
        var chosen = [samples[0]]
        for bucket in 1...points - 2 {
            let a = chosen[bucket - 1]
            let next = samples[edge(bucket)..<edge(bucket + 1)]
            let count = Double(next.count)
            let base = next[next.startIndex].start
            let time = Double(base - a.start) + Double(next.reduce(0) { $0 + ($1.start - base) }) / count
            let height = Oracle.exactSum(next.map(\.value)) / count - a.value
            var best = (area: -1.0, sample: samples[edge(bucket - 1)])
            for one in samples[edge(bucket - 1)..<edge(bucket)] {
                let area = abs(time * (one.value - a.value) - Double(one.start - a.start) * height)
                if area > best.area { best = (area, one) }
            }
            chosen.append(best.sample)
        }
        return chosen + [samples[n - 1]]
    }

    @Test("The points equal those of the plain algorithm, for any runs and blocks", arguments: 0..<4)
    func plain(seed: Int) throws {
        let (test, id, samples) = try filled(seed: UInt64(seed), ties: [3, 100_000][seed % 2])
        let snapshot = test.store.snapshot()
        for points in [3, 4, 17, 1_000, 20_000, samples.count - 1, samples.count, samples.count + 1, 2_000_000] {
            #expect(try snapshot.downsample(id, to: points) == Self.naive(samples, points), "\(points)")
        }
        let range = TimeRange(1_000 * second, 30_000 * second + 1)
        let inside = samples.filter { range.contains($0.start) }
        #expect(try snapshot.downsample(id, to: 99, over: range) == Self.naive(inside, 99))
        #expect(inside.largestTriangles(50) == Self.naive(inside, 50))
    }

    @Test("Values whose areas overflow still give the requested number of points, in order")
    func huge() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let samples = (0..<3_000).map {
            Sample(start: Int64($0) * day, value: $0 % 3 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude)
        }
        try test.store.load(samples, to: id)
        let found = try test.store.snapshot().downsample(id, to: 40)
        #expect(found.count == 40 && found.first == samples.first && found.last == samples.last)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.start < $1.start })
    }

    @Test("Downsampling among extremes includes the least and greatest samples and decodes fewer blocks")
    func extremes() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        var random = SeededGenerator(seed: 6)
        var samples = (0..<300_000).map { Sample(start: Int64($0) * second, value: random.normal()) }
        samples[123_456].value = 90
        samples[222_222].value = -90
        try test.store.load(samples, to: id)
        let snapshot = test.store.snapshot()
        let (all, few) = (QueryExplanation(), QueryExplanation())
        let full = try snapshot.downsample(id, to: 20, explain: all)
        let found = try snapshot.downsample(id, to: 20, by: .extremesFirst, explain: few)
        for one in [full, found] {
            #expect(one.count == 20 && one.first == samples.first && one.last == samples.last)
            #expect(one.contains(samples[123_456]) && one.contains(samples[222_222]))
            #expect(zip(one, one.dropFirst()).allSatisfy { $0.start < $1.start })
        }
        #expect(few.blocksDecoded * 3 < all.blocksDecoded, "\(few.blocksDecoded) of \(all.blocksDecoded)")
    }

    @Test("Too few or too many points and an unknown series are refused; an empty series has no points")
    func refused() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let snapshot = test.store.snapshot()
        for method in Downsampling.allCases {
            #expect(try snapshot.downsample(id, to: 3, by: method).isEmpty)
            for points in [Int.min, 2, 2_000_001] {
                let error = #expect(throws: StoreError.self) { try snapshot.downsample(id, to: points, by: method) }
                #expect(error?.kind == .invalidArgument)
            }
            let error = #expect(throws: StoreError.self) {
                try snapshot.downsample(SeriesID(rawValue: 77), to: 3, by: method)
            }
            #expect(error?.kind == .unknownSeries)
        }
    }
}
