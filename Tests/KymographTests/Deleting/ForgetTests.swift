// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Catalog
import ChunkFormat
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-6 tombstones are removed once their samples are erased and they are old enough")
struct ForgetTests {
    /// A clock that the test sets.
    private final class Clock: Sendable {
        let now = Mutex<Int64>(20_000 * day)
        func advance(_ time: Int64) { now.withLock { $0 += time } }
        func read() -> Int64 { now.withLock { $0 } }
    }

    /// A follower of the change feed that restarts when its anchor has expired.
    private struct Follower {
        var samples: [SeriesID: [SampleIdentity: Sample]] = [:]
        var anchor: ChangeAnchor?
        var expired = 0

        mutating func follow(_ store: TimeSeriesStore, limit: Int, pages: Int = .max) throws {
            for _ in 0..<pages {
                var came: [(SeriesID, SampleIdentity?, Sample)] = []
                do {
                    let page = try store.changes(since: anchor, limit: limit, including: .identity) { batch in
                        for i in 0..<batch.count { came.append((batch.series, batch.identity(at: i), batch[i])) }
                        return true
                    }
                    for one in page.deletions { delete(one) }
                    for (series, identity, sample) in came {
                        samples[series, default: [:]][try #require(identity)] = sample
                    }
                    anchor = page.anchor
                    if page.isComplete { return }
                } catch let error as StoreError where error.kind == .anchorExpired {
                    (samples, anchor) = ([:], nil)
                    expired += 1
                }
            }
        }

        private mutating func delete(_ deletion: ChangedDeletion) {
            if let identities = deletion.samples {
                for one in identities { samples[deletion.series]?[one] = nil }
            } else {
                samples[deletion.series] = samples[deletion.series]?.filter { !deletion.range.contains($0.value.start) }
            }
        }

        func sorted(_ id: SeriesID) -> [Sample] { (samples[id] ?? [:]).values.sorted(by: Fingerprint.precedes) }
    }

    private func tombstones(_ store: TimeSeriesStore) -> [Tombstone] {
        store.snapshot().version.tombstones.values.flatMap(\.all)
    }

    private func kind(_ store: TimeSeriesStore, _ anchor: ChangeAnchor, of ids: [SeriesID]? = nil) -> StoreError.Kind? {
        do {
            _ = try store.changes(of: ids, since: anchor) { _ in true }
            return nil
        } catch { return (error as? StoreError)?.kind }
    }

    @Test(
        "In a long run with removed tombstones, followers match the store or get an expired anchor",
        arguments: 0..<4)
    func life(seed: UInt64) throws {
        let clock = Clock()
        let kept = 30 * day
        let life = try DeletedLife(seed: 400 + seed, compacts: true) { options in
            options.wallClock = { clock.read() }
            options.deletionsKept = .seconds(30 * 86_400)
        }
        var random = SeededGenerator(seed: seed)
        // The time of each commit.
        var times: [Int64] = [0]
        var known: [Int64: Int64] = [:]
        var followers = [Follower](repeating: Follower(), count: 3)
        for _ in 0..<150 {
            clock.advance(Int64(random.below(3 * 24)) * hour)
            try life.step()
            let store = life.test.store
            if random.chance(0.1) { try store.compact() }
            while times.count <= store.snapshot().sequence { times.append(clock.read()) }
            let left = tombstones(store)
            let ids = Set(left.map(\.id))
            for (id, born) in known where !ids.contains(id) { #expect(clock.read() - times[Int(born)] >= kept) }
            for one in left { known[one.id] = one.born }
            known = known.filter { ids.contains($0.key) }
            for i in followers.indices where random.chance([0.5, 0.1, 0.02][i]) {
                let limit = random.chance(0.5) ? .max : 1 + random.below(2_000)
                if random.chance(0.3) { try followers[i].follow(store, limit: limit, pages: 1) }
                try followers[i].follow(store, limit: limit)
                for (id, oracle) in zip(life.ids, life.oracles) {
                    #expect(followers[i].sorted(id) == oracle.samples.sorted(by: Fingerprint.precedes))
                }
            }
        }
        try life.compare()
        clock.advance(kept + kept / 8)
        let store = life.test.store
        try store.compact()
        #expect(tombstones(store).count == 1 && store.snapshot().version.past.times.rows.count <= 1)
        #expect(known.count > 1)
        #expect(try store.verify().isSound)
        var stale = followers[0]
        try stale.follow(store, limit: .max)
        for (id, oracle) in zip(life.ids, life.oracles) {
            #expect(stale.sorted(id) == oracle.samples.sorted(by: Fingerprint.precedes))
        }
        try life.live(steps: 12)
    }

    /// Returns a store of two series, with deletions of days 0 to 9 in the first series, compacted.
    private func deleted(
        _ clock: Clock, kept: Int64 = 10
    ) throws -> (test: TestStore, id: SeriesID, other: SeriesID, anchors: [ChangeAnchor]) {
        let test = try TestStore { options in
            options.wallClock = { clock.read() }
            options.compacts = false
            options.deletionsKept = .seconds(kept * 86_400)
        }
        let id = try test.store.series("a", kind: .discrete).id
        let other = try test.store.series("b", kind: .discrete).id
        try test.store.load((0..<500).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        try test.store.load((0..<500).map { Sample(start: Int64($0) * second, value: 1) }, to: other)
        var anchors = [test.store.currentAnchor()]
        for i in 0..<10 as Range<Int64> {
            try test.store.delete(from: id, startingIn: TimeRange(i * 10 * second, (i * 10 + 5) * second))
            anchors.append(test.store.currentAnchor())
            clock.advance(day)
        }
        return (test, id, other, anchors)
    }

    @Test("A tombstone older than the limit is removed, and earlier anchors of its series expire")
    func anchors() throws {
        let clock = Clock()
        let (test, id, other, anchors) = try deleted(clock)
        let store = test.store
        clock.advance(-day)
        try store.compact()
        #expect(tombstones(store).count == 10 && kind(store, anchors[0]) == nil)
        let page = try store.changes(since: nil, limit: 7) { _ in true }.anchor
        let empty = ChangeAnchor(store: store.context.storeID, epoch: 0, commit: 0)
        // The fifth tombstone is ten days old.
        clock.advance(5 * day)
        try store.compact()
        let left = tombstones(store).map(\.born).min() ?? 0
        #expect(tombstones(store).count == 5 && left == anchors[6].sequence)
        for (i, anchor) in anchors.enumerated() {
            let isOld = i < 5
            #expect(kind(store, anchor) == (isOld ? .anchorExpired : nil), "\(i)")
            #expect(kind(store, anchor, of: [id]) == (isOld ? .anchorExpired : nil), "\(i)")
            #expect(kind(store, anchor, of: [other]) == nil)
            let before = isOld ? nil : try store.changes(since: anchor) { _ in true }.deletions.count
            #expect(before == (isOld ? nil : 10 - i))
        }
        #expect(kind(store, page) == nil && kind(store, empty) == nil && kind(store, store.currentAnchor()) == nil)
        // The same after reopening, in readers, and in a backup and a repair.
        let backup = test.directory.file("backup")
        try store.backup(to: backup)
        try TimeSeriesStore.restore(from: backup, to: test.directory.file("restored"))
        try test.reopen()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        for one in [test.store, reader] {
            #expect(kind(one, anchors[4]) == .anchorExpired && kind(one, anchors[5]) == nil)
        }
        test.store.close()
        try TimeSeriesStore.repair(from: test.path, to: test.directory.file("repaired"))
        for name in ["restored", "repaired"] {
            let copy = try TimeSeriesStore.open(at: test.directory.file(name))
            defer { copy.close() }
            #expect(kind(copy, anchors[4]) == .anchorExpired && kind(copy, anchors[5]) == nil)
            #expect(try copy.verify().isSound)
        }
    }

    @Test("Held snapshots keep the removed tombstones, and their numbers are not reused")
    func held() throws {
        let clock = Clock()
        let (test, id, _, anchors) = try deleted(clock, kept: 0)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let before = test.store.snapshot()
        let wanted = try before.all(id)
        let numbers = tombstones(test.store).map(\.id)
        try test.store.compact()
        #expect(tombstones(test.store).map(\.id) == [numbers.max()])
        #expect(try test.store.info().deletions == 1 && test.store.info().deletedSamples == 0)
        #expect(try before.all(id) == wanted && reader.snapshot().all(id) == wanted)
        let received = try test.store.changes(
            ChangeRequest(of: [id], limit: .max, columns: .starts), since: anchors[2], in: before, onDeletions: { _ in }
        ) { _ in true }
        #expect(received.deletions.count == 8)
        #expect(kind(test.store, anchors[2]) == .anchorExpired)
        try reader.refresh()
        #expect(kind(reader, anchors[2]) == .anchorExpired && tombstones(reader).count == 1)
        #expect(try reader.snapshot().all(id) == wanted)
        try test.reopen()
        try test.store.delete(from: id)
        #expect(tombstones(test.store).map(\.id).max() == (numbers.max() ?? 0) + 1)
        #expect(try test.store.verify().isSound)
    }

    @Test("A tombstone stays while a file has deleted samples, even if its count says none are left")
    func bytes() throws {
        let clock = Clock()
        let (test, id, _, _) = try deleted(clock, kept: 1)
        clock.advance(100 * day)
        try test.store.eraser.forgetDeletions()
        #expect(tombstones(test.store).count == 10)
        // Simulates damage.
        let lists = try test.store.access.withWriter { writer throws(StoreError) in
            let all = self.tombstones(test.store)
            var commit = CatalogCommit(seq: writer.seq + 1)
            for one in all.prefix(4) { commit.tombstoneCounts[one.id] = 0 }
            try writer.commit(commit)
            return all.prefix(4).map(\.id)
        }
        try test.reopen()
        clock.advance(20 * day)
        #expect(test.store.eraser.hasDeletionsToForget)
        let before = try test.store.snapshot().all(id)
        try test.store.eraser.forgetDeletions()
        #expect(Set(lists).isSubset(of: tombstones(test.store).map(\.id)))
        #expect(try test.store.snapshot().all(id) == before && before.count == 450)
    }

    @Test("Tombstones that stay do not block the removal of later ones")
    func behindOthers() throws {
        let clock = Clock()
        let (test, _, other, _) = try deleted(clock, kept: 1)
        let doubtful = tombstones(test.store).map(\.id)
        try test.store.access.withWriter { writer throws(StoreError) in
            // Simulates damage: their samples are still in a file.
            var commit = CatalogCommit(seq: writer.seq + 1)
            for one in doubtful { commit.tombstoneCounts[one] = 0 }
            try writer.commit(commit)
        }
        try test.reopen()
        for i in 1_000..<1_006 as Range<Int64> {
            try test.store.append([Sample(start: i * second, value: 1)], to: other)
            try test.store.delete(from: other, startingIn: TimeRange(i * second, (i + 1) * second))
        }
        try test.store.seal()
        #expect(tombstones(test.store).count == doubtful.count + 6)
        clock.advance(10 * day)
        try test.store.eraser.forgetDeletions(most: 4)
        let left = tombstones(test.store).map(\.id).sorted()
        #expect(left == doubtful + [doubtful.count + 6].map(Int64.init))
    }

    @Test("Tombstones are removed at opening and closing with compaction on, and never with it off")
    func byItself() throws {
        let clock = Clock()
        let (test, _, _, _) = try deleted(clock, kept: 11)
        try test.store.compact()
        clock.advance(30 * day)
        try test.reopen()
        try test.reopen()
        #expect(tombstones(test.store).count == 10)
        test.options.compacts = true
        try test.reopen()
        try test.reopen()
        #expect(tombstones(test.store).count == 1)
    }

    @Test("A live table of buckets older than a removed tombstone is recomputed")
    func liveBuckets() throws {
        let clock = Clock()
        let (test, id, _, _) = try deleted(clock, kept: 0)
        var table = LiveBuckets(of: [id], .fixed(nanoseconds: 20 * second))
        try table.update(to: test.store.snapshot())
        for i in 20..<30 as Range<Int64> {
            try test.store.delete(from: id, startingIn: TimeRange(i * 10 * second, (i * 10 + 5) * second))
        }
        try test.store.compact()
        #expect(tombstones(test.store).count == 1)
        try table.update(to: test.store.snapshot())
        #expect(table.rows == Array(try test.store.snapshot().buckets(of: id, table.buckets)))
    }

    @Test("A deletion without a recorded time is kept from its first discovery")
    func unknown() throws {
        let clock = Clock()
        let (test, _, _, _) = try deleted(clock, kept: 11)
        try test.store.compact()
        try test.store.alter("DELETE FROM deletion_time")
        try test.reopen()
        clock.advance(30 * day)
        try test.store.eraser.eraseOverdue(merges: .max)
        #expect(tombstones(test.store).count == 10)
        clock.advance(12 * day)
        try test.store.eraser.eraseOverdue(merges: .max)
        #expect(tombstones(test.store).count == 1)
    }

    @Test("Deletion times are kept as long as tombstones, stay few, and never overstate an age")
    func times() {
        var random = SeededGenerator(seed: 4)
        let (age, kept) = (7 * day, 300 * day)
        for _ in 0..<40 {
            var times = DeletionTimes()
            var deleted = [(commit: Int64, at: Int64)]()
            var now = 20_000 * day
            for commit in 1..<400 as Range<Int64> {
                now += Int64(random.below(48)) * hour
                if random.chance(0.02) { now += Int64(random.below(60)) * day }
                times = times.adding(commit, at: now, age: age, kept: kept)
                deleted.append((commit, now))
                #expect(times.rows.count <= 70)
                for limit in [age, kept] {
                    let overdue = times.lastCommit(before: limit, at: now)
                    for one in deleted where one.commit <= overdue { #expect(now - one.at >= limit) }
                    for one in deleted where now - one.at >= limit + limit / 8 { #expect(one.commit <= overdue) }
                }
            }
        }
    }
}
