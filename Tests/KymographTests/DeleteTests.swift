// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Catalog
import TestSupport
import Testing

@testable import Kymograph

/// A store with two series in which anything may be deleted, beside arrays from which the same is removed.
///
/// All samples of a series start at different times, so that their order is the same however runs were cut.
final class DeletedLife {
    let test: TestStore
    private let reader: TimeSeriesStore
    var random: SeededGenerator
    let ids: [SeriesID]
    var oracles: [Oracle]
    private var free: [[Int64]]
    private var held: [(Snapshot, [Oracle])] = []

    static let slot: Int64 = 10 * second
    static let slots: Int64 = 40_000

    init(seed: UInt64) throws {
        let test = try TestStore { options in
            options.sealSamples = 400
            options.sealBatches = 12
        }
        self.test = test
        random = SeededGenerator(seed: seed)
        let kinds: [SeriesKind] = [.discrete, .cumulative]
        ids = try kinds.map { try test.store.series("\($0)", kind: $0).id }
        oracles = kinds.map { Oracle(kind: $0) }
        free = kinds.map { _ in Array(0..<Self.slots) }
        reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
    }

    deinit { reader.close() }

    private func take(_ series: Int, _ places: [Int]) -> [Sample] {
        let taken = Set(places)
        let samples = places.map { place in
            let start = free[series][place] * Self.slot
            let length = random.below(3) == 0 ? 0 : Int64(random.below(Int(3 * Self.slot)))
            return Sample(start: start, end: start + length, value: Double(random.below(200) - 50) / 4)
        }
        free[series] = free[series].enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        return samples
    }

    func range() -> TimeRange {
        let from = Int64(random.below(Int(Self.slots))) * Self.slot + Int64(random.below(7))
        let length = Int64(random.below([50, 2_000, 30_000][random.below(3)])) * Self.slot
        return TimeRange(from, from + length)
    }

    /// One thing that may happen to a store.
    func step() throws {
        let series = random.below(2)
        let id = ids[series]
        switch random.below(16) {
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
        let value = Double(random.below(200) - 50) / 4
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

    /// Compares the present, everything that is held, and what another opening sees.
    func compare() throws {
        try compare(test.store.snapshot(), oracles, "now")
        try reader.refresh()
        try compare(reader.snapshot(), oracles, "reader")
        if let (snapshot, oracles) = held.randomElement(using: &random) { try compare(snapshot, oracles, "held") }
        #expect(try test.store.info().samples == oracles.reduce(0) { $0 + $1.samples.count })
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
        }
    }

    private func compareStatistics(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ note: String) throws {
        let edges = Set((0..<2 + random.below(12)).map { _ in Int64(random.below(Int(Self.slots * Self.slot))) })
        for edges in [[-1, Self.slots * Self.slot * 2], edges.sorted()] where edges.count > 1 {
            let wanted = oracle.buckets(edges)
            // What is left of a block is known the second time.
            for _ in 0..<2 {
                let found = try snapshot.buckets(of: id, .edges(edges), computing: .all)
                for (a, b) in zip(found, wanted) { expectEqual(a, b, "\(note) seed \(random.seed)") }
            }
        }
    }
}

@Suite("E-6 deletion by identity, range, series and predicate; retention by age and count")
struct DeleteTests {
    @Test(
        "Whatever is written, deleted, sealed, held and reopened, every query gives what an array would",
        arguments: 1...6)
    func random(seed: UInt64) throws {
        let life = try DeletedLife(seed: seed)
        for step in 0..<60 {
            try life.step()
            if step % 6 == 5 { try life.compare() }
        }
        try life.compare()
        #expect(try life.test.store.verify().problems.isEmpty)
        let copy = life.test.directory.file("copy")
        try life.test.store.backup(to: copy)
        try TimeSeriesStore.restore(from: copy, to: life.test.directory.file("restored"))
        life.test.store.close()
        try TimeSeriesStore.repair(from: life.test.path, to: life.test.directory.file("repaired"))
        for name in ["restored", "repaired"] {
            let store = try TimeSeriesStore.open(at: life.test.directory.file(name))
            defer { store.close() }
            try life.compare(store.snapshot(), life.oracles, name)
            #expect(try store.verify().problems.isEmpty)
        }
    }

    private func filled(_ count: Int = 100_000) throws -> (TestStore, SeriesID) {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<count).map { Sample(start: Int64($0) * second, value: Double($0 % 10)) }, to: id)
        return (test, id)
    }

    @Test(
        "Blocks that no deletion cuts are answered from their summaries, and cut ones from the second time on"
    )
    func summaries() throws {
        let (test, id) = try filled()
        let gone = TimeRange(20_000 * second + 1, 50_000 * second + 1)
        #expect(try test.store.delete(from: id, startingIn: gone).count == 30_000)
        let snapshot = test.store.snapshot()
        for decoded in [1...2, 0...0] {
            let explanation = QueryExplanation()
            #expect(try snapshot.aggregate(of: id, explain: explanation).count == 70_000)
            #expect(decoded.contains(explanation.blocksDecoded), "\(explanation.blocksDecoded)")
            #expect(explanation.blocksMasked == explanation.blocksDecoded)
            #expect(explanation.summaries > 20)
        }
        let untouched = QueryExplanation()
        #expect(
            try snapshot.aggregate(of: id, over: TimeRange(60_000 * second, 90_000 * second), explain: untouched).count
                == 30_000)
        #expect(untouched.blocksMasked == 0)
    }

    @Test("An emptied series is empty, can be filled again, and is as it was for those who hold it")
    func refill() throws {
        let (test, id) = try filled(5_000)
        let before = test.store.snapshot()
        let receipt = try test.store.delete(from: id)
        #expect(receipt.count == 5_000 && receipt.sequence == before.sequence + 1)
        let empty = test.store.snapshot()
        let explanation = QueryExplanation()
        #expect(try empty.aggregate(of: id, explain: explanation).isEmpty && explanation.blocksDecoded == 0)
        #expect(try empty.extent(of: id) == nil && empty.mostRecent(of: id) == nil && empty.count(of: id) == 0)
        #expect(try test.store.info().deletedSamples == 5_000)
        try test.store.append([Sample(start: 17 * second, value: 3)], to: id)
        try test.reopen()
        #expect(try test.store.snapshot().all(id) == [Sample(start: 17 * second, value: 3)])
        #expect(try before.all(id).count == 5_000)
        #expect(try before.aggregate(of: id).count == 5_000)
    }

    @Test("Nothing to delete makes no commit; identities that are not there are told")
    func nothing() throws {
        let (test, id) = try filled(100)
        let sequence = test.store.snapshot().sequence
        let ghost = SampleIdentity(high: 3, low: 4)
        #expect(try test.store.delete(from: id, startingIn: TimeRange(-5, 0)).sequence == sequence)
        let receipt = try test.store.delete([ghost], from: id)
        #expect(receipt == DeletionReceipt(sequence: sequence, count: 0, unknown: [ghost]))
        #expect(throws: TestError.self) { try test.store.delete(from: id) { _ in throw TestError() } }
        #expect(throws: StoreError.self) { try test.store.delete(from: SeriesID(rawValue: 99)) }
        #expect(test.store.snapshot().count(of: id) == 100 && test.store.snapshot().sequence == sequence)
    }

    private struct TestError: Error {}

    @Test("A deleted sample of the tail leaves with sealing, and its space is not counted any more")
    func sealing() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        for i in 0..<10 { try test.store.append([Sample(start: Int64(i), value: 1)], to: id) }
        try test.store.delete(from: id, startingIn: TimeRange(3, 6))
        try test.store.delete(from: id, startingIn: TimeRange(5, 8))
        #expect(try test.store.info().deletedSamples == 5)
        try test.store.seal()
        #expect(try test.store.info().deletedSamples == 0)
        #expect(try test.store.usage()[0].samples == 5)
        try test.reopen()
        #expect(try test.store.snapshot().all(id).map(\.start) == [0, 1, 2, 8, 9])
        #expect(try test.store.verify().isSound)
    }

    @Test("Several deletions are one commit, and each finds what the ones before it left")
    func several() throws {
        let (test, id) = try filled(1_000)
        let sequence = test.store.snapshot().sequence
        let receipts = try test.store.delete([
            (id, .range(TimeRange(0, 600 * second))), (id, .range(TimeRange(500 * second, 700 * second))),
            (id, .allBut(250)),
        ])
        #expect(receipts.map(\.count) == [600, 100, 50] && receipts.allSatisfy { $0.sequence == sequence + 1 })
        #expect(test.store.snapshot().count(of: id) == 250)
        #expect(try test.store.verify().isSound)
    }

    @Test("A predicate sees what is stored of a sample")
    func predicate() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.append([Sample(start: 1, end: 4, value: 2)], to: id)
        let receipt = try test.store.append([Sample(start: 2, value: 3)], to: id)
        var seen = [StoredSample]()
        try test.store.delete(from: id) { one in
            seen.append(one)
            return one.born == receipt.sequence
        }
        #expect(seen.map(\.sample).sorted { $0.start < $1.start }.map(\.end) == [4, 2])
        #expect(Set(seen.map(\.identity)).count == 2)
        #expect(try test.store.snapshot().all(id).map(\.value) == [2])
    }

    @Test("A clock that is wrong deletes nothing")
    func clock() throws {
        let (test, id) = try filled(100)
        let now = 20_000 * day
        try test.store.retain(.age(nanoseconds: .max, now: now), in: id)
        for wrong in [now - day, now + 400 * day + 1] {
            #expect(throws: StoreError.self) { try test.store.retain(.age(nanoseconds: 0, now: wrong), in: id) }
        }
        try test.reopen()
        #expect(throws: StoreError.self) { try test.store.retain(.age(nanoseconds: 0, now: now - day), in: id) }
        #expect(test.store.snapshot().count(of: id) == 100)
        try test.store.retain(.age(nanoseconds: now, now: now + 300 * day), in: id)
        #expect(test.store.snapshot().count(of: id) == 0)
        try test.store.retain(.age(nanoseconds: 0, now: day), in: id, force: true)
        try test.store.retain(.age(nanoseconds: 0, now: 2 * day), in: id)
    }
}
