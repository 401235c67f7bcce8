// SPDX-License-Identifier: Apache-2.0

import Campaigns
import ChunkFormat
import TestSupport
import Testing

@testable import Kymograph

/// A store with three series and random deletions, compared with arrays that have the same deletions.
///
/// All samples of a series start at different times, so that their order does not depend on runs. The values of the
/// third series lie close together and far from 0, so that sums alone do not give its deviations, and are so many that
/// quantiles are not exact.
final class DeletedLife {
    let test: TestStore
    private let reader: TimeSeriesStore
    var random: SeededGenerator
    let ids: [SeriesID]
    var oracles: [Oracle]
    private var free: [[Int64]]
    private var held: [(Snapshot, [Oracle])] = []
    /// True if segments are merged at random.
    private let compacts: Bool

    static let slot: Int64 = 10 * second
    static let slots: Int64 = 40_000

    init(seed: UInt64, compacts: Bool = false, _ change: (inout StoreOptions) -> Void = { _ in }) throws {
        self.compacts = compacts
        let test = try TestStore { options in
            options.sealSamples = 400
            options.sealBatches = 12
            options.compacts = false
            options.compaction.tiers = [.init(bytes: 20_000, count: 3), .init(bytes: 200_000, count: 3)]
            change(&options)
        }
        self.test = test
        random = SeededGenerator(seed: seed)
        let kinds: [SeriesKind] = [.discrete, .cumulative, .discrete]
        ids = try kinds.indices.map { try test.store.series("\($0)", kind: kinds[$0]).id }
        oracles = kinds.map { Oracle(kind: $0) }
        free = kinds.map { _ in Array(0..<Self.slots) }
        reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
    }

    deinit { reader.close() }

    /// Runs random steps, compares after every sixth, and finally compares a backup and a repair.
    func live(steps: Int, last: (DeletedLife) throws -> Void = { _ in }) throws {
        for number in 0..<steps {
            try step()
            if number % 6 == 5 { try compare() }
        }
        try last(self)
        try compare()
        #expect(try test.store.verify().problems.isEmpty)
        let copy = test.directory.file("copy")
        try test.store.backup(to: copy)
        try TimeSeriesStore.restore(from: copy, to: test.directory.file("restored"))
        test.store.close()
        try TimeSeriesStore.repair(from: test.path, to: test.directory.file("repaired"))
        for name in ["restored", "repaired"] {
            let store = try TimeSeriesStore.open(at: test.directory.file(name))
            defer { store.close() }
            try compare(store.snapshot(), oracles, name)
            #expect(try store.verify().problems.isEmpty)
        }
    }

    private func take(_ series: Int, _ places: [Int]) -> [Sample] {
        let taken = Set(places)
        let samples = places.map { place in
            let start = free[series][place] * Self.slot
            let length = random.below(3) == 0 ? 0 : Int64(random.below(Int(3 * Self.slot)))
            return Sample(start: start, end: start + length, value: value(series))
        }
        free[series] = free[series].enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        return samples
    }

    private static let base = 0x1p40

    private func value(_ series: Int) -> Double {
        series < 2 ? Double(random.below(200) - 50) / 4 : Self.base + Double(random.below(1 << 30)) / 1_024
    }

    func range() -> TimeRange {
        let from = Int64(random.below(Int(Self.slots))) * Self.slot + Int64(random.below(7))
        let length = Int64(random.below([50, 2_000, 30_000][random.below(3)])) * Self.slot
        return TimeRange(from, from + length)
    }

    /// Runs one random operation on the store.
    func step() throws {
        let series = random.below(ids.count)
        let id = ids[series]
        switch random.below(compacts ? 22 : 16) {
        case 16...20: try compactOnce()
        case 21:
            let report = try test.store.compact()
            #expect(report.sequence == test.store.snapshot().sequence)
            #expect(try test.store.info().deletedSamples == 0)
        case 0...3:
            let places = Set((0..<1 + random.below(60)).map { _ in random.below(free[series].count) })
            let samples = take(series, places.sorted().shuffled(using: &random))
            try test.store.append(samples, to: id)
            oracles[series].append(samples)
        case 4...5:
            let first = random.below(free[series].count)
            let count = min(free[series].count - first, 1 + random.below(4_000))
            let samples = take(series, Array(first..<first + count))
            try test.store.load(samples, to: id)
            oracles[series].append(samples)
        case 6: try test.store.seal()
        case 7...9: try deleteRange(series)
        case 10...11: try deleteIdentities(series)
        case 12: try deleteMatching(series)
        case 13: try retain(series)
        case 14: try test.reopen()
        default: held.append((test.store.snapshot(), oracles))
        }
    }

    /// Runs one merge that is due.
    private func compactOnce() throws {
        var report = CompactionReport()
        let before = test.store.snapshot().sequence
        let done = try test.store.compactor.mergeIfDue(&report)
        #expect(report.steps == (done ? 1 : 0))
        #expect(test.store.snapshot().sequence == before + Int64(report.steps))
    }

    private func deleteRange(_ series: Int) throws {
        let range = random.below(30) == 0 ? TimeRange.all : range()
        let receipt = try test.store.delete(from: ids[series], startingIn: range)
        #expect(receipt.count == oracles[series].remove { range.contains($0.start) })
    }

    private func deleteIdentities(_ series: Int) throws {
        var chosen = [SampleIdentity: Sample]()
        let every = 1 + random.below(40)
        try test.store.snapshot().scan(ids[series], over: range(), including: .identity) { batch in
            for i in 0..<batch.count where random.below(every) == 0 {
                chosen[try #require(batch.identity(at: i))] = batch[i]
            }
            return true
        }
        let unknown = SampleIdentity(high: 1, low: Int64(random.below(1_000)))
        let receipt = try test.store.delete(Array(chosen.keys) + [unknown], from: ids[series])
        #expect(receipt.unknown == [unknown] && receipt.count == chosen.count)
        let starts = Set(chosen.values.map(\.start))
        #expect(oracles[series].remove { starts.contains($0.start) } == chosen.count)
    }

    private func deleteMatching(_ series: Int) throws {
        let range = range()
        let value = value(series)
        let receipt = try test.store.delete(from: ids[series], startingIn: range) { $0.sample.value < value }
        #expect(receipt.count == oracles[series].remove { range.contains($0.start) && $0.value < value })
    }

    private func retain(_ series: Int) throws {
        let sorted = oracles[series].sorted
        if sorted.isEmpty { return }
        if random.below(2) == 0 {
            let kept = sorted.count - random.below(sorted.count / 4 + 1)
            let receipt = try test.store.retain(.count(kept), in: ids[series])
            let first = sorted[sorted.count - kept].start
            #expect(receipt.count == oracles[series].remove { $0.start < first })
        } else {
            let age = Self.slots * Self.slot - Int64(random.below(2_000)) * Self.slot
            let now = Self.slots * Self.slot
            let receipt = try test.store.retain(.age(nanoseconds: age, now: now), in: ids[series])
            #expect(receipt.count == oracles[series].remove { $0.start < now - age })
        }
    }

    /// Compares the current snapshot, all held snapshots, and the view of another opening.
    func compare() throws {
        try compare(test.store.snapshot(), oracles, "now")
        try reader.refresh()
        try compare(reader.snapshot(), oracles, "reader")
        if let (snapshot, oracles) = held.randomElement(using: &random) { try compare(snapshot, oracles, "held") }
        #expect(try test.store.info().samples == oracles.reduce(0) { $0 + $1.samples.count })
        #expect(try test.store.usage().map { $0.samples - $0.deletedSamples } == oracles.map(\.samples.count))
    }

    func compare(_ snapshot: Snapshot, _ oracles: [Oracle], _ note: String) throws {
        for (id, oracle) in zip(ids, oracles) {
            let sorted = oracle.sorted
            #expect(snapshot.count(of: id) == sorted.count, "\(note)")
            let extent = sorted.first.map { TimeRange($0.start, sorted.map(\.end).max() ?? 0) }
            #expect(try snapshot.extent(of: id) == extent, "\(note)")
            #expect(try snapshot.mostRecent(of: id) == sorted.last, "\(note)")
            for range in [TimeRange.all, range()] {
                let wanted = oracle.scan(range)
                #expect(try snapshot.all(id, over: range) == wanted, "\(note)")
                let limit = 1 + random.below(100)
                let back = try snapshot.all(id, over: range, order: .backward, limit: limit)
                #expect(back == Array(wanted.reversed().prefix(limit)), "\(note)")
                var (starts, values) = ([Int64(5)], [5.0])
                try snapshot.read(id, over: range, starts: &starts, values: &values)
                #expect(starts == [5] + wanted.map(\.start) && values == [5] + wanted.map(\.value), "\(note)")
            }
            try compareStatistics(snapshot, id, oracle, note)
            try compareDeviations(snapshot, id, oracle, note)
            try compareQuantiles(snapshot, id, oracle, note)
            try comparePlots(snapshot, id, oracle, note)
            var starts = [Int64]()
            try snapshot.forEachBlock(of: id, columns: .starts) { _, batch in
                starts += (0..<batch.count).map { batch.start(at: $0) }
            }
            #expect(starts.sorted() == sorted.map(\.start), "\(note)")
        }
    }

    private func compareStatistics(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ note: String) throws {
        let edges = Set((0..<2 + random.below(12)).map { _ in Int64(random.below(Int(Self.slots * Self.slot))) })
        for edges in [[-1, Self.slots * Self.slot * 2], edges.sorted()] where edges.count > 1 {
            let wanted = oracle.buckets(edges)
            // The second query uses the cached summary of the remaining samples.
            for _ in 0..<2 {
                let found = try snapshot.buckets(of: id, .edges(edges), computing: .all)
                for (a, b) in zip(found, wanted) { expectEqual(a, b, "\(note) seed \(random.seed)") }
            }
        }
    }
}

// Deviations, quantiles and plots.
extension DeletedLife {
    /// Compares deviations of values so close together that they are wrong unless a base is subtracted first.
    private func compareDeviations(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ note: String) throws {
        for range in [TimeRange.all, range()] {
            let values = oracle.scan(range).map { $0.value - Self.base }
            let found = try snapshot.aggregate(of: id, over: range, computing: .standardDeviation).standardDeviation
            guard !values.isEmpty, id == ids[2] else { continue }
            let mean = Oracle.exactSum(values) / Double(values.count)
            let wanted = (Oracle.exactSum(values.map { ($0 - mean) * ($0 - mean) }) / Double(values.count)).squareRoot()
            let deviation = try #require(found)
            #expect(abs(deviation - wanted) <= 1e-9 * wanted, "\(note) \(deviation) \(wanted)")
        }
    }

    private func compareQuantiles(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ note: String) throws {
        let probabilities = [0, 0.05, 0.5, 0.9, 1]
        let range = random.below(3) == 0 ? TimeRange.all : range()
        if range.isEmpty { return }
        let middle = range == .all ? Self.slots * Self.slot / 3 : range.start + (range.end - range.start) / 3
        let parts = try snapshot.quantiles(
            of: id, .edges([range.start, middle, range.end]), at: probabilities)
        for found in try [snapshot.quantiles(of: id, over: range, at: probabilities)] + parts {
            let sorted = oracle.scan(TimeRange(found.start, found.end)).map(\.value).sorted()
            #expect(found.count == sorted.count, "\(note)")
            if Set(sorted).count <= QuantileSketch.defaultCapacity { #expect(found.relativeError == 0) }
            for (answer, probability) in zip(found.values, probabilities) {
                let wanted = sorted[max(1, Int((probability * Double(sorted.count)).rounded(.up))) - 1]
                #expect(abs(answer - wanted) <= found.relativeError * abs(wanted), "\(note) \(probability)")
            }
            if let least = found.values.first { #expect(least == sorted[0] && found.values[4] == sorted.last) }
        }
    }

    private func comparePlots(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ note: String) throws {
        let range = random.below(3) == 0 ? TimeRange.all : range()
        if range.isEmpty { return }
        let points = 3 + random.below(60)
        let samples = oracle.scan(range)
        // The second query uses the cached summary of the remaining samples.
        for _ in 0..<2 {
            let slices = try snapshot.envelope(of: id, points: points, over: range)
            #expect(slices.isEmpty == (range == .all && samples.isEmpty), "\(note)")
            if range == .all, let first = samples.first { #expect(slices.first?.start == first.start, "\(note)") }
            var left = samples[...]
            for slice in slices {
                let inside = left.prefix { $0.start < slice.end }
                left = left.dropFirst(inside.count)
                #expect(slice == EnvelopeTests.naive(Array(inside), slice.start, slice.end), "\(note)")
            }
            #expect(left.isEmpty, "\(note)")
        }
        let found = try snapshot.downsample(id, to: points, over: range)
        if id == ids[2] {
            // Areas of values so large round differently in a plain loop.
            #expect(found.count == min(points, samples.count) && found.first == samples.first, "\(note)")
            #expect(found.last == samples.last && Set(found).isSubset(of: samples), "\(note)")
        } else {
            #expect(found == DownsamplingTests.naive(samples, points), "\(note)")
        }
    }
}
