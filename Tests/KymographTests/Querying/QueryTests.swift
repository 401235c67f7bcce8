// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-7 range scan in time order, forward and backward, with limit")
struct ScanTests {
    @Test("Scans of any range, direction and limit are correct over overlapping runs and the tail")
    func scans() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        var oracle = Oracle(kind: .discrete)
        for piece in 0..<4 {
            let samples = (0..<4_000).map { i in
                Sample(
                    start: Int64(i * 4 + piece) * second, end: Int64(i * 4 + piece) * second + Int64(i % 3),
                    value: Double(i))
            }
            if piece < 3 { try test.store.load(samples, to: id) } else { try test.store.append(samples, to: id) }
            oracle.append(samples)
        }
        let snapshot = test.store.snapshot()
        let sorted = oracle.sorted
        #expect(try snapshot.all(id) == sorted)
        #expect(try snapshot.all(id, order: .backward) == sorted.reversed())
        for limit in [0, 1, 2, 999, 5_000] {
            #expect(try snapshot.all(id, limit: limit) == Array(sorted.prefix(limit)))
            #expect(try snapshot.all(id, order: .backward, limit: limit) == Array(sorted.reversed().prefix(limit)))
        }
        for (from, to) in [(0, 1), (17, 18), (1_000, 3_000), (15_999, 16_001), (20_000, 30_000), (5, 5), (9, 3)] {
            let range = TimeRange(Int64(from) * second, Int64(to) * second)
            #expect(try snapshot.all(id, over: range) == oracle.scan(range))
            #expect(try snapshot.all(id, over: range, order: .backward) == oracle.scan(range).reversed())
        }
        #expect(try snapshot.mostRecent(of: id) == sorted.last)
    }

    @Test("A consumer that stops gets no more batches; columns can be read without copies")
    func stop() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<10_000).map { Sample(start: Int64($0), value: 2) }, to: id)
        var batches = 0
        try test.store.snapshot().scan(id) { batch in
            batches += 1
            let sum = batch.withColumns { starts, ends, values in
                var sum = 0.0
                for i in values.indices where starts[i] == ends[i] { sum += values[i] }
                return sum
            }
            #expect(sum == Double(2 * batch.count))
            return false
        }
        #expect(batches == 1)
    }

    @Test("An empty series has no samples, an unknown one is an error")
    func empty() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let snapshot = test.store.snapshot()
        #expect(try snapshot.all(id).isEmpty)
        #expect(try snapshot.mostRecent(of: id) == nil)
        #expect(try snapshot.extent(of: id) == nil)
        #expect(throws: StoreError.self) { try snapshot.all(SeriesID(rawValue: 77)) }
    }
}

@Suite("E-8 aggregate over any range")
struct AggregateTests {
    @Test("Aggregates of one sample, of none, and of points at the edges are correct")
    func small() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let empty = try test.store.snapshot().aggregate(of: id, computing: .all)
        #expect(empty.count == 0 && empty.isEmpty && empty.sum == nil && empty.min == nil && empty.average == nil)
        #expect(empty.first == nil && empty.last == nil && empty.standardDeviation == nil && empty.duration == nil)
        try test.store.append(to: id, [Sample(start: 10, end: 14, value: 3)])
        let one = try test.store.snapshot().aggregate(of: id, computing: .all)
        #expect(one.count == 1 && one.sum == 3 && one.min == 3 && one.max == 3 && one.average == 3)
        #expect(one.standardDeviation == 0 && one.timeWeightedAverage == 3 && one.duration == 4)
        #expect(one.first == Sample(start: 10, end: 14, value: 3) && one.last == one.first)
        #expect(try test.store.snapshot().aggregate(of: id, over: TimeRange(10, 11)).count == 1)
        #expect(try test.store.snapshot().aggregate(of: id, over: TimeRange(0, 10)).count == 0)
        #expect(try test.store.snapshot().aggregate(of: id, over: TimeRange(11, 20)).isEmpty)
        #expect(try test.store.snapshot().aggregate(of: id, over: TimeRange(10, 10)).isEmpty)
    }

    @Test("A standard deviation is accurate for a mean a billion times as large")
    func deviation() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load(
            (0..<10_000).map { Sample(start: Int64($0), value: 1e9 + ($0 % 2 == 0 ? 0.5 : -0.5)) }, to: id)
        let result = try test.store.snapshot().aggregate(of: id, computing: .standardDeviation)
        #expect(abs(try #require(result.standardDeviation) - 0.5) < 1e-9)
    }

    @Test("The sum is exact, for any order and division of the samples")
    func exactSums() throws {
        var random = SeededGenerator(seed: 7)
        let values = (0..<6_000).map { _ in
            (Double(random.below(1_000_000)) - 3e5) * (random.below(2) == 0 ? 1e-9 : 1e7)
        }
        let exact = Oracle.exactSum(values)
        for pieces in [1, 3, 11] {
            let test = try TestStore()
            let id = try test.store.series("a", kind: .discrete).id
            var samples = values.enumerated().map { Sample(start: Int64($0.offset) * second, value: $0.element) }
            samples.shuffle(using: &random)
            let size = samples.count / pieces + 1
            for at in stride(from: 0, to: samples.count, by: size) {
                try test.store.load(Array(samples[at..<min(samples.count, at + size)]), to: id)
            }
            let sum = try #require(try test.store.snapshot().aggregate(of: id).sum)
            #expect(abs(sum - exact) <= exact.ulp)
        }
    }
}

@Suite("E-9 buckets: fixed width, calendar with anchor and time zone, explicit edges; apportioned sums")
struct BucketTests {
    @Test("A sample over several buckets is shared by overlap, and the shares add up to its value")
    func sharing() throws {
        let test = try TestStore()
        let id = try test.store.series("steps", kind: .cumulative).id
        // 100 steps from 13:57 to 14:02: 60 before the full hour, 40 after.
        let minute = 60 * second
        try test.store.append(to: id, [Sample(start: 13 * hour + 57 * minute, end: 14 * hour + 2 * minute, value: 100)])
        let hours = try test.store.snapshot().buckets(
            of: id, .fixed(nanoseconds: hour), over: TimeRange(12 * hour, 16 * hour), computing: .duration)
        #expect(hours.map(\.sum) == [nil, 60, 40, nil])
        #expect(hours.map(\.count) == [0, 1, 0, 0])
        #expect(hours[1].duration == Double(3 * minute) && hours[2].duration == Double(2 * minute))
        let clipped = try test.store.snapshot().aggregate(
            of: id, over: TimeRange(13 * hour + 58 * minute, 14 * hour + minute))
        #expect(clipped.sum == 60 && clipped.count == 0)
        let thirds = try test.store.snapshot().buckets(
            of: id, .edges([0, 13 * hour + 58 * minute + 40 * second, 14 * hour, day]))
        #expect(thirds.reduce(0) { $0 + ($1.sum ?? 0) } == 100)
    }

    @Test("Civil days of 23 and 25 hours, and months with an anchor, have the right edges")
    func calendar() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        // One sample an hour through 2024 in UTC.
        let start: Int64 = 1_704_067_200 * second
        try test.store.load((0..<8_784).map { Sample(start: start + Int64($0) * hour, value: 1) }, to: id)
        let snapshot = test.store.snapshot()
        let range = TimeRange(start + 31 * day, start + 330 * day)
        let days = try snapshot.buckets(of: id, .calendar(.days(1), zone: "Europe/Zurich"), over: range)
        #expect(days.map(\.count).filter { $0 == 23 }.count == 1)
        #expect(days.map(\.count).filter { $0 == 25 }.count == 1)
        #expect(days.map(\.count).filter { $0 == 24 }.count == days.count - 2)
        let months = try snapshot.buckets(
            of: id, .calendar(.months(1), anchor: start, zone: "UTC"), over: TimeRange(start, start + 366 * day))
        #expect(months.map { $0.count / 24 } == [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
        do {
            _ = try snapshot.buckets(of: id, .calendar(.days(1), zone: "Mars/Olympus"))
            Issue.record("unknown zone accepted")
        } catch { #expect(error.kind == .invalidArgument) }
        do {
            _ = try snapshot.buckets(of: id, .edges([1, 3, 3]))
            Issue.record("edges")
        } catch { #expect(error.kind == .invalidArgument) }
        do {
            _ = try snapshot.buckets(of: id, .fixed(nanoseconds: 1))
            Issue.record("too many buckets accepted")
        } catch { #expect(error.kind == .invalidArgument) }
        #expect(try snapshot.buckets(of: id, .edges([])).isEmpty)
        #expect(
            try snapshot.buckets(of: id, .fixed(nanoseconds: hour, anchor: 1), over: TimeRange(start, start + 1)).count
                == 1)
    }

    @Test("Steps, anchors and ranges at the limits give an answer or an error")
    func extremes() throws {
        let test = try TestStore { $0.segmentBytes = -5 }
        let id = try test.store.series("a", kind: .cumulative).id
        try test.store.load([Sample(start: TimeLimits.earliest, value: 1)], to: id)
        try test.store.append(to: id, [Sample(start: 5, end: TimeLimits.latest, value: 2)])
        let snapshot = test.store.snapshot()
        let ends = [Int64.min, TimeLimits.earliest, -1, 0, 1, TimeLimits.latest, Int64.max]
        for unit in [
            CalendarUnit.minutes, CalendarUnit.hours, CalendarUnit.days, CalendarUnit.weeks, CalendarUnit.months,
            CalendarUnit.years,
        ] {
            for n in [Int.min, -1, 0, 1, 9_000, Int.max] {
                for anchor in ends {
                    for zone in ["UTC", "America/Santiago"] {
                        _ = try? snapshot.buckets(
                            of: id, .calendar(unit(n), anchor: anchor, zone: zone), over: TimeRange(-day, day))
                    }
                }
            }
        }
        for width in [Int64.min, -1, 0, 1, Int64.max] {
            for anchor in ends { _ = try? snapshot.buckets(of: id, .fixed(nanoseconds: width, anchor: anchor)) }
        }
        for start in ends {
            for end in ends { _ = try snapshot.aggregate(of: id, over: TimeRange(start, end), computing: .all) }
        }
        #expect(try snapshot.buckets(of: id, .edges([Int64.min, 0, Int64.max])).map(\.count) == [1, 1])
        #expect(try snapshot.buckets(of: id, .calendar(.years(1), zone: "UTC")).count == 584)
    }

    @Test("Random data, divisions and edges give the oracle's answers", arguments: 1...12)
    func random(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let kind: SeriesKind = seed % 2 == 0 ? .cumulative : .discrete
        let test = try TestStore {
            $0.homeZone = "Asia/Kolkata"
            $0.sealSamples = 300
        }
        let id = try test.store.series("a", kind: kind).id
        var oracle = Oracle(kind: kind)
        let span = [3_000, 400_000, 5_000_000][seed % 3]
        for _ in 0..<6 {
            let samples = Self.samples(&random, count: 1 + random.below(900), span: span)
            oracle.append(samples)
            if random.below(2) == 0 {
                try test.store.load(samples, to: id)
            } else {
                try test.store.append(samples, to: id)
            }
            if random.below(4) == 0 { try test.store.seal() }
            if random.below(4) == 0 { try test.reopen() }
        }
        let snapshot = test.store.snapshot()
        for _ in 0..<5 {
            var cuts = Set((0...(1 + random.below(40))).map { _ in Int64(random.below(span * 2) - span / 2) * second })
            cuts.insert(Int64(random.below(span)) * second + Int64(random.below(1_000_000)))
            if cuts.count < 2 { continue }
            let edges = cuts.sorted()
            let explanation = QueryExplanation()
            let found = try snapshot.buckets(of: id, .edges(edges), computing: .all, explain: explanation)
            for (i, (a, b)) in zip(found, oracle.buckets(edges)).enumerated() {
                expectEqual(a, b, "seed \(seed) bucket \(i)")
            }
            let range = TimeRange(edges[0], edges[edges.count - 1])
            #expect(try snapshot.all(id, over: range).map(\.start) == oracle.scan(range).map(\.start))
        }
        #expect(try test.store.verify().problems.isEmpty)
    }

    /// Returns unsorted points, adjacent intervals, overlapping ones and a few very long ones.
    static func samples(_ random: inout SeededGenerator, count: Int, span: Int) -> [Sample] {
        var at = Int64(random.below(span)) * second
        return (0..<count).map { _ in
            let jump = random.below(100)
            if jump == 0 { at = Int64(random.below(span)) * second }
            let length: Int64
            switch random.below(10) {
            case 0...3: length = 0
            case 4...8: length = Int64(random.below(120)) * second
            default: length = Int64(random.below(span / 2)) * second
            }
            defer { at += random.below(3) == 0 ? length : Int64(random.below(30)) * second }
            let value = random.below(20) == 0 ? -0.1 * Double(random.below(100)) : Double(random.below(10_000)) / 100
            return Sample(start: at, end: at + length, value: value)
        }
    }
}

@Suite("E-12 snapshots: a query sees one commit")
struct SnapshotTests {
    @Test("A held snapshot does not change during appends, loads and seals")
    func held() throws {
        let test = try TestStore { $0.sealSamples = 100 }
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.append((0..<50).map { Sample(start: Int64($0), value: 1) }, to: id)
        let held = test.store.snapshot()
        for i in 1...20 {
            try test.store.append((0..<50).map { Sample(start: Int64($0 + i * 50), value: 1) }, to: id)
            if i % 5 == 0 { try test.store.load([Sample(start: 9, value: 5)], to: id) }
        }
        #expect(held.count(of: id) == 50)
        #expect(try held.aggregate(of: id).sum == 50)
        #expect(test.store.snapshot().count(of: id) == 21 * 50 + 4)
        #expect(test.store.snapshot().sequence > held.sequence)
    }
}

@Suite("E-9 the number of blocks that a query decodes")
struct ExplanationTests {
    @Test("Daily and hourly buckets of dense data decode nothing; a range decodes the blocks its edges cut")
    func summariesSuffice() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        // Ten days at about 0.8 Hz, with a gap each day.
        var samples = [Sample]()
        for i in 0..<864_000 where i % 5 != 0 && i % 86_400 > 9_000 {
            samples.append(Sample(start: Int64(i) * second + Int64(i % 13) * 1_000_000, value: Double(60 + i % 40)))
        }
        try test.store.load(samples, to: id)
        let snapshot = test.store.snapshot()
        let range = TimeRange(0, 10 * day)
        let days = QueryExplanation()
        #expect(try snapshot.buckets(of: id, .calendar(.days(1), zone: "UTC"), over: range, explain: days).count == 10)
        #expect(days.blocksDecoded == 0)
        #expect(days.summaries > 0 && days.runs == 1)
        #expect(days.indexPages > 1)
        let hours = QueryExplanation()
        #expect(try snapshot.buckets(of: id, .fixed(nanoseconds: hour), over: range, explain: hours).count == 240)
        #expect(hours.blocksDecoded == 0)
        let one = QueryExplanation()
        let found = try snapshot.aggregate(
            of: id, over: TimeRange(30_000 * second + 1, 725_000 * second + 1), explain: one)
        #expect(found.count == samples.filter { $0.start > 30_000 * second && $0.start <= 725_000 * second }.count)
        #expect(one.blocksDecoded == 2)
        let all = QueryExplanation()
        #expect(try snapshot.aggregate(of: id, explain: all).count == samples.count)
        #expect(all.blocksDecoded == 0)
        let minutes = QueryExplanation()
        _ = try snapshot.buckets(of: id, .fixed(nanoseconds: 60 * second), over: range, explain: minutes)
        #expect(minutes.blocksDecoded == (try test.store.info()).blocks)
    }

    @Test("Adjacent intervals are shared between days from the summaries alone")
    func straddlers() throws {
        let test = try TestStore()
        let id = try test.store.series("energy", kind: .cumulative).id
        let samples = (0..<60_000).map {
            Sample(start: Int64($0) * 61 * second, end: Int64($0 + 1) * 61 * second, value: 0.25)
        }
        try test.store.load(samples, to: id)
        let explanation = QueryExplanation()
        let days = try test.store.snapshot().buckets(
            of: id, .calendar(.days(1), zone: "UTC"), over: TimeRange(0, 42 * day), explain: explanation)
        #expect(explanation.blocksDecoded == 0)
        var oracle = Oracle(kind: .cumulative)
        oracle.append(samples)
        for (a, b) in zip(days, oracle.buckets((0...42).map { Int64($0) * day })) { expectEqual(a, b) }
        #expect(days[1].sum != days[1].average.map { $0 * Double(days[1].count) }, "nothing was shared")
    }

    @Test("Hourly buckets of 512 samples per second decode nothing")
    func wave() throws {
        let test = try TestStore()
        let id = try test.store.series("wave", kind: .discrete).id
        // Two minutes before and after two full hours, whose edges fall on no sample.
        let first = hour - 20 * second + 7
        let starts = (0..<512 * 40).map { first + Int64($0) * second / 512 }
        let values = (0..<512 * 40).map { Double($0 % 700) / 1_000 }
        try test.store.bulkLoad { loader in
            try loader.append(to: id, starts: starts.span, values: values.span)
        }
        let explanation = QueryExplanation()
        let hours = try test.store.snapshot().buckets(
            of: id, .fixed(nanoseconds: hour), over: TimeRange(0, 2 * hour), explain: explanation)
        #expect(explanation.blocksDecoded == 0 && explanation.summaries > 0)
        #expect(hours.map(\.count) == [starts.filter { $0 < hour }.count, starts.filter { $0 >= hour }.count])
    }
}

@Suite("X-2 ten years of daily totals")
struct TenYearsTests {
    @Test("Daily totals of ten years of two-minute samples decode no block, also by civil days")
    func decodesNothing() throws {
        let test = try TestStore { $0.homeZone = "Europe/Zurich" }
        let id = try test.store.series("steps", kind: .cumulative).id
        let count = 10 * 365 * 720
        let step = 120 * second
        try test.store.bulkLoad { loader in
            // Loads one year at a time.
            for year in 0..<10 {
                let range = count / 10 * year..<count / 10 * (year + 1)
                let starts = range.map { Int64($0) * step }
                let ends = range.map { Int64($0 + 1) * step }
                let values = range.map { Double($0 % 31) }
                try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
            }
        }
        let whole = TimeRange(0, Int64(count) * step)
        for cut in [Buckets.calendar(.days(1), zone: "Europe/Zurich"), .calendar(.months(1), zone: "Europe/Zurich")] {
            let explanation = QueryExplanation()
            let table = try test.store.snapshot().buckets(of: id, cut, over: whole, explain: explanation)
            #expect(explanation.blocksDecoded == 0)
            #expect(table.reduce(0) { $0 + $1.count } == count)
            let sum = table.reduce(0.0) { $0 + ($1.sum ?? 0) }
            #expect(sum == (0..<count).reduce(0.0) { $0 + Double($1 % 31) })
        }
    }
}
