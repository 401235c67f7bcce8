// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-6 deletion by identity, range, series and predicate; retention by age and count")
struct DeleteTests {
    @Test(
        "After any writes, deletions, seals and reopenings, every query equals an array's",
        arguments: 1...6)
    func random(seed: UInt64) throws {
        try DeletedLife(seed: seed).live(steps: 60)
    }

    private func filled(_ count: Int = 100_000) throws -> (TestStore, SeriesID) {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<count).map { Sample(start: Int64($0) * second, value: Double($0 % 10)) }, to: id)
        return (test, id)
    }

    @Test(
        "Blocks without deleted samples are answered from summaries, and blocks with some from the second query on"
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

    @Test("An explanation passes every count to another thread")
    func counts() {
        let explanation = QueryExplanation()
        #expect(explanation.counts.count == Mirror(reflecting: explanation).children.count)
        explanation.add(Array(1...explanation.counts.count))
        #expect(explanation.counts == Array(1...explanation.counts.count))
    }

    @Test("Quantiles and plots mask only partly deleted blocks and skip fully deleted ones")
    func plots() throws {
        let (test, id) = try filled()
        try test.store.delete(from: id, startingIn: TimeRange(20_000 * second + 1, 50_000 * second + 1))
        let snapshot = test.store.snapshot()
        let all = QueryExplanation()
        #expect(try snapshot.quantiles(of: id, at: [0.5], explain: all).count == 70_000)
        #expect((1...2).contains(all.blocksMasked), "\(all.blocksMasked)")
        let every = QueryExplanation()
        _ = try test.store.snapshot().quantiles(of: id, over: TimeRange(0, 20_000 * second), at: [0.5], explain: every)
        #expect(every.blocksMasked == 0 || every.blocksMasked == 1)
        for _ in 0..<2 {
            let plot = QueryExplanation()
            let slices = try snapshot.envelope(of: id, points: 4, explain: plot)
            #expect(slices.map(\.count).reduce(0, +) == 70_000)
            // Blocks cut by edges, two extremes per slice, and two partly deleted blocks.
            #expect(plot.blocksDecoded <= 3 + 8 + 2 && plot.summaries > 20, "\(plot.blocksDecoded)")
            #expect(plot.blocksMasked <= 4)
        }
        for range in [TimeRange(60_000 * second, 90_000 * second), TimeRange(0, 10_000 * second)] {
            let untouched = QueryExplanation()
            _ = try snapshot.envelope(of: id, points: 4, over: range, explain: untouched)
            _ = try snapshot.quantiles(of: id, over: range, at: [0.5], explain: untouched)
            _ = try snapshot.downsample(id, to: 9, over: range, explain: untouched)
            _ = try snapshot.buckets(of: id, .fixed(nanoseconds: hour), over: range, explain: untouched)
            #expect(untouched.blocksMasked == 0)
        }
    }

    @Test("Overlapping deletions count each sample once: at once, after reopening and after sealing")
    func overlapping() throws {
        let (test, id) = try filled(2_000)
        try test.store.append((0..<50).map { Sample(start: Int64($0 * 10) * second + 1, value: -1) }, to: id)
        var chosen = [SampleIdentity]()
        try test.store.snapshot().scan(id, over: TimeRange(0, 60 * second), including: .identity) { batch in
            for i in 0..<batch.count where i % 2 == 0 { chosen.append(try #require(batch.identity(at: i))) }
            return true
        }
        var left = 2_050
        func expectLeft(_ receipt: DeletionReceipt) throws {
            left -= receipt.count
            let snapshot = test.store.snapshot()
            #expect(snapshot.count(of: id) == left)
            #expect(try snapshot.all(id).count == left)
            #expect(try snapshot.aggregate(of: id).count == left)
        }
        try expectLeft(test.store.delete(chosen, from: id))
        try expectLeft(test.store.delete(from: id, startingIn: TimeRange(30 * second, 200 * second)))
        try expectLeft(test.store.delete(from: id) { $0.sample.value < 3 })
        try expectLeft(test.store.delete(from: id, startingIn: TimeRange(100 * second, 500 * second)))
        let again = try test.store.delete(chosen, from: id)
        #expect(again.count == 0 && again.unknown.count == chosen.count)
        try test.reopen()
        #expect(test.store.snapshot().count(of: id) == left)
        try test.store.seal()
        #expect(test.store.snapshot().count(of: id) == left)
        #expect(try test.store.verify().isSound)
    }

    @Test("The extent of a segment whose samples were deleted one by one is nil and computed once")
    func extentOfNothing() throws {
        let (test, id) = try filled(5_000)
        try test.store.seal()
        var chosen = [SampleIdentity]()
        try test.store.snapshot().scan(id, including: .identity) { batch in
            for i in 0..<batch.count { chosen.append(try #require(batch.identity(at: i))) }
            return true
        }
        #expect(try test.store.delete(chosen, from: id).count == 5_000)
        let snapshot = test.store.snapshot()
        let run = try #require(snapshot.runs(id).first)
        let mask = try #require(snapshot.version.tombstones(of: id)?.mask(over: run))
        #expect(mask.known(run.place) == nil)
        for _ in 0..<2 {
            #expect(try snapshot.extent(of: id) == nil)
            #expect(mask.known(run.place)?.count == 0)
        }
        // A later sample is found, and a remaining sample is not skipped.
        try test.store.append([Sample(start: 70, end: 90, value: 1)], to: id)
        #expect(try test.store.snapshot().extent(of: id) == TimeRange(70, 90))
        #expect(try snapshot.extent(of: id) == nil)
    }

    @Test("The cache of masked summaries is bounded, and its entries are removed with their mask")
    func remembered() {
        let cache = MaskedSummaries(limit: 10)
        let masks = [Mask([]), Mask([])]
        let names = masks.map { ObjectIdentifier($0) }
        for i in 0..<25 {
            cache.note(Summary(), of: BlockPlace(file: 1, offset: UInt64(i)), below: names[i % 2])
            #expect(cache.count <= 10)
            #expect(cache.summary(of: BlockPlace(file: 1, offset: UInt64(i)), below: names[i % 2]) != nil)
        }
        let before = cache.count
        cache.note(Summary(), of: BlockPlace(file: 1, offset: 24), below: names[0])
        #expect(cache.count == before)
        for name in names { cache.forget(name) }
        #expect(cache.count == 0 && cache.summary(of: BlockPlace(file: 1, offset: 24), below: names[0]) == nil)
    }

    @Test("An emptied series is empty, can be refilled, and is unchanged in held snapshots")
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

    @Test("A deletion without matches makes no commit; unknown identities are reported")
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

    @Test("A deleted sample of the tail is removed by sealing and no longer counted as deleted space")
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

    @Test("Several deletions are one commit, and each sees the result of the previous ones")
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

    @Test("A predicate gets all stored columns of a sample")
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

    @Test("Retention with a wrong clock deletes nothing")
    func clock() throws {
        let (test, id) = try filled(100)
        let now = 20_000 * day
        let before = try test.store.append([Sample(start: now, value: 1)], to: id).sequence
        // A call that deletes nothing makes no commit, and its time is not stored.
        let none = try test.store.retain(.age(nanoseconds: .max, now: now + day), in: id)
        #expect(none.sequence == before && none.count == 0)
        try test.store.retain(.age(nanoseconds: .max, now: now + 2 * day), in: id, force: true)
        #expect(test.store.snapshot().sequence == before)
        try test.store.retain(.age(nanoseconds: now - second, now: now), in: id)
        #expect(test.store.snapshot().count(of: id) == 100 && test.store.snapshot().sequence == before + 1)
        for (wrong, side) in [(now - day, "before the time"), (now + 400 * day + 1, "after the time")] {
            let error = #expect(throws: StoreError.self) {
                try test.store.retain(.age(nanoseconds: 0, now: wrong), in: id)
            }
            #expect(error?.kind == .invalidArgument && error?.message.contains(side) == true)
        }
        try test.reopen()
        #expect(throws: StoreError.self) { try test.store.retain(.age(nanoseconds: 0, now: now - day), in: id) }
        #expect(test.store.snapshot().count(of: id) == 100)
        try test.store.retain(.age(nanoseconds: 0, now: now + 300 * day), in: id)
        #expect(test.store.snapshot().count(of: id) == 0)
        try test.store.retain(.age(nanoseconds: 0, now: day), in: id, force: true)
        try test.store.retain(.age(nanoseconds: 0, now: 2 * day), in: id)
    }

    @Test("The first retention time is checked against the newest sample")
    func firstClock() throws {
        let (test, id) = try filled(100)
        let newest = 20_000 * day
        let other = try test.store.series("newest", kind: .discrete).id
        try test.store.append([Sample(start: newest, value: 1)], to: other)
        let before = test.store.snapshot().sequence
        let error = #expect(throws: StoreError.self) {
            try test.store.retain(.age(nanoseconds: 0, now: newest + 400 * day + 1), in: id)
        }
        #expect(error?.kind == .invalidArgument && error?.message.contains("the newest sample") == true)
        #expect(test.store.snapshot().count(of: id) == 100 && test.store.snapshot().sequence == before)
        try test.store.retain(.age(nanoseconds: 0, now: newest + 400 * day), in: id)
        #expect(test.store.snapshot().count(of: id) == 0)
    }

    @Test("A predicate gets the commit of each sample, for loads too, and after reopening")
    func births() throws {
        let test = try TestStore()
        let other = try TestStore()
        for store in [other.store, test.store] {
            let id = try store.series("a", kind: .discrete).id
            for i in 0..<3 {
                let first = Int64(i) * 10_000
                try store.load((0..<2_000).map { Sample(start: (first + Int64($0)) * second, value: 1) }, to: id)
            }
        }
        try test.reopen()
        let id = SeriesID(rawValue: 1)
        var births = Set<Int64>()
        let receipt = try test.store.delete(from: id, startingIn: .all) { sample in
            births.insert(sample.born)
            return sample.born <= 3
        }
        #expect(births == [2, 3, 4] && receipt.count == 4_000)
        #expect(try test.store.snapshot().all(id).map(\.start).min() == 20_000 * second)
    }
}
