// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-13 changes since an anchor: additions and deletions without a gap")
struct ChangeFeedTests {
    /// What somebody has who follows a store by its changes.
    private struct Copy {
        var samples: [SeriesID: [SampleIdentity: Sample]] = [:]
        /// Samples given that were there already, and deletions of samples that were not.
        var repeats = 0

        mutating func delete(_ deletion: ChangedDeletion) {
            if let identities = deletion.samples {
                for one in identities { samples[deletion.series]?[one] = nil }
            } else {
                samples[deletion.series] = samples[deletion.series]?.filter { !deletion.range.contains($0.value.start) }
            }
        }

        mutating func take(_ batch: SampleBatch) {
            for i in 0..<batch.count {
                guard let identity = batch.identity(at: i) else { continue }
                if samples[batch.series, default: [:]].updateValue(batch[i], forKey: identity) != nil { repeats += 1 }
            }
        }

        func sorted(_ id: SeriesID) -> [Sample] {
            (samples[id] ?? [:]).values.sorted { ($0.start, $0.end, $0.value) < ($1.start, $1.end, $1.value) }
        }
    }

    /// Follows a store, page by page, to its end or for some pages.
    private func follow(
        _ store: TimeSeriesStore, _ copy: inout Copy, _ anchor: inout ChangeAnchor?, limit: Int, pages: Int = .max,
        stopping: () -> Bool = { false }
    ) throws -> Bool {
        for _ in 0..<pages {
            var mine = copy
            let page = try store.changes(
                since: anchor, limit: limit, including: .identity,
                onDeletions: { for one in $0 { mine.delete(one) } }
            ) { batch in
                mine.take(batch)
                return !stopping()
            }
            copy = mine
            anchor = page.anchor
            if page.isComplete { return true }
        }
        return false
    }

    @Test(
        "Who follows a life of appends, loads, deletions, seals and reopenings has what the store has", arguments: 0..<4
    )
    func life(seed: UInt64) throws {
        let life = try DeletedLife(seed: 7 + seed)
        var copy = Copy()
        var slow = Copy()
        var anchor: ChangeAnchor?
        var slowAnchor: ChangeAnchor?
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            try life.step()
            let store = life.test.store
            // One that seldom comes to the end, stops anywhere, and sees the store change in the middle of a page.
            let stops = random.chance(0.3)
            _ = try follow(store, &slow, &slowAnchor, limit: 1 + random.below(700), pages: 1) { stops }
            guard random.chance(0.4) else { continue }
            let limit = random.chance(0.5) ? .max : 1 + random.below(2_000)
            #expect(try follow(store, &copy, &anchor, limit: limit))
            for (i, id) in life.ids.enumerated() {
                let wanted = try store.snapshot().all(id).sorted {
                    ($0.start, $0.end, $0.value) < ($1.start, $1.end, $1.value)
                }
                #expect(copy.sorted(id) == wanted)
                #expect(wanted.count == life.oracles[i].samples.count)
            }
        }
        #expect(try follow(life.test.store, &slow, &slowAnchor, limit: .max))
        #expect(try follow(life.test.store, &copy, &anchor, limit: .max))
        for id in life.ids { #expect(slow.sorted(id) == copy.sorted(id)) }
        #expect(copy.repeats == 0 && slow.repeats == 0)
    }

    @Test("What is old is not read: with nothing new no block, with a few new samples of a sealed tail one or two")
    func cost() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.load((0..<200_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        let anchor = test.store.currentAnchor()
        try test.store.append([Sample(start: 5, value: 2)], to: id)
        try test.store.append([Sample(start: 90_000 * second + 1, value: 3)], to: id)
        try test.store.seal()
        let explanation = QueryExplanation()
        var found = [Double]()
        let page = try test.store.changes(since: anchor, explain: explanation) { batch in
            for i in 0..<batch.count { found.append(batch[i].value) }
            return true
        }
        #expect(found == [2, 3] && page.isComplete && page.samples == 2)
        #expect(explanation.blocksDecoded == 1)
        let nothing = QueryExplanation()
        let empty = try test.store.changes(since: page.anchor, explain: nothing) { _ in true }
        #expect(empty.samples == 0 && empty.isComplete && empty.anchor == page.anchor)
        #expect(nothing.blocksDecoded == 0 && nothing.runs == 0)
    }

    @Test("A commit of a million samples is given in pages; samples of one start are never parted")
    func pages() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let starts = (0..<1_000_000).map { Int64($0 / 7) * second }
        try test.store.load(starts.enumerated().map { Sample(start: $0.element, value: Double($0.offset)) }, to: id)
        var anchor: ChangeAnchor?
        var seen = [Bool](repeating: false, count: starts.count)
        var repeated = 0
        var pages = 0
        while true {
            var last: Int64?
            let page = try test.store.changes(since: anchor, limit: 10_000) { batch in
                for i in 0..<batch.count {
                    let number = Int(batch[i].value)
                    if seen[number] { repeated += 1 }
                    seen[number] = true
                    last = batch[i].start
                }
                return true
            }
            pages += 1
            if page.isComplete { break }
            #expect(page.samples >= 10_000 && page.samples < 10_007 || last == starts.last)
            anchor = page.anchor
        }
        #expect(!seen.contains(false) && repeated == 0 && pages > 90)
    }

    @Test("Anchors survive as text; altered ones, those of other stores and those of the future are refused")
    func anchors() throws {
        let test = try TestStore()
        let other = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append([Sample(start: 1, value: 1), Sample(start: 2, value: 2)], to: id)
        let page = try test.store.changes(since: nil, limit: 1) { _ in true }
        for anchor in [test.store.currentAnchor(), page.anchor] {
            let text = Array(anchor.text)
            #expect(ChangeAnchor(text: anchor.text) == anchor)
            for i in text.indices {
                var altered = text
                altered[i] = altered[i] == "0" ? "1" : "0"
                #expect(ChangeAnchor(text: String(altered)) == nil)
                #expect(ChangeAnchor(text: String(text[..<i])) == nil)
            }
        }
        for text in ["", "0", "zz", "01", String(repeating: "0", count: 4_000)] {
            #expect(ChangeAnchor(text: text) == nil)
        }
        func kind(_ store: TimeSeriesStore, _ anchor: ChangeAnchor) -> StoreError.Kind? {
            do {
                _ = try store.changes(since: anchor) { _ in true }
                return nil
            } catch { return (error as? StoreError)?.kind }
        }
        #expect(kind(test.store, other.store.currentAnchor()) == .invalidArgument)
        let future = ChangeAnchor(store: test.store.storeID, epoch: 0, commit: 99)
        #expect(kind(test.store, future) == .anchorExpired)
        #expect(throws: StoreError.self) {
            try test.store.changes(of: [SeriesID(rawValue: 77)], since: nil) { _ in true }
        }
    }

    @Test("A commit that comes while somebody begins to follow is told, and each once")
    func beginning() async {
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (other, second) = AsyncStream<Int64>.makeStream()
        let bell = CommitBell()
        #expect(ring(bell, continuation, second))
        for await seq in stream {
            #expect(seq == 8)
            break
        }
        bell.end(forGood: true)
        var told = [Int64]()
        for await seq in other { told.append(seq) }
        #expect(told == [8, 9])
    }

    /// Rings while one begins to follow that was told of the commit before, and once more for another.
    private func ring(
        _ bell: CommitBell, _ first: AsyncStream<Int64>.Continuation, _ second: AsyncStream<Int64>.Continuation
    ) -> Bool {
        let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let number = bell.add(first) {
            Thread {
                begun.signal()
                bell.ring(8)
                done.signal()
            }.start()
            begun.wait()
            return 7
        }
        done.wait()
        let other = bell.add(second) { 8 }
        bell.remove(number)
        for seq in [8, 8, 9, 9] as [Int64] { bell.ring(seq) }
        return number != other
    }

    @Test("Commits are told as they come, to those in the writer's process and in others; leaving the loop ends it")
    func commits() async throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        for (store, interval) in [(test.store, Duration.seconds(1)), (reader, .milliseconds(2))] {
            var told = [Int64]()
            for await seq in store.commits(lookingEvery: interval) {
                #expect(store.snapshot().sequence >= seq)
                told.append(seq)
                if told.count == 4 { break }
                try test.store.append([Sample(start: Int64(told.count), value: 1)], to: id)
            }
            #expect(told.count == 4 && told == told.sorted() && Set(told).count == 4)
        }
        // Nobody is told any more, and a commit costs nothing more than that.
        try test.store.append([Sample(start: 9, value: 1)], to: id)
        let last = Task { [store = test.store] in
            var last: Int64 = 0
            for await seq in store.commits() { last = seq }
            return last
        }
        try await Task.sleep(for: .milliseconds(20))
        test.store.close()
        #expect(await last.value == test.store.snapshot().sequence)
    }
}

@Suite("E-14 a table of buckets that follows a store")
struct LiveBucketTests {
    @Test("After each step it is what a query over everything gives, to the last bit", arguments: 0..<4)
    func life(seed: UInt64) throws {
        let life = try DeletedLife(seed: 70 + seed)
        let divisions: [Buckets] = [
            .fixed(nanoseconds: hour), .calendar(.days(1), zone: "Europe/Zurich"),
            .edges([0, 50_000 * second, 120_000 * second, 390_000 * second]),
        ]
        var tables = divisions.flatMap { buckets in
            [[life.ids[0]], [life.ids[1]], life.ids].map { LiveBuckets(of: $0, buckets, computing: .duration) }
        }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            try life.step()
            let snapshot = life.test.store.snapshot()
            for i in tables.indices where random.chance(0.7) {
                let before = tables[i].rows
                let changed = try tables[i].update(to: snapshot)
                let wanted = try snapshot.buckets(of: tables[i].ids, tables[i].buckets, computing: .duration)
                #expect(tables[i].rows == Array(wanted))
                #expect(tables[i].sequence == snapshot.sequence)
                let known = Set(before)
                #expect(changed == tables[i].rows.filter { !known.contains($0) })
            }
        }
    }

    @Test("A step costs what changed: a sample of today computes today's bucket and decodes nothing old")
    func cost() throws {
        let test = try TestStore()
        let id = try test.store.series("steps", kind: .cumulative).id
        try test.store.load(
            (0..<400_000).map { Sample(start: Int64($0) * 60 * second, end: Int64($0) * 60 * second + 30, value: 1) },
            to: id)
        var table = LiveBuckets(of: [id], .calendar(.days(1), zone: "UTC"))
        try table.update(to: test.store.snapshot())
        #expect(table.rows.count == 278)
        try test.store.append([Sample(start: 400_000 * 60 * second, end: 400_000 * 60 * second + 9, value: 5)], to: id)
        let explanation = QueryExplanation()
        let changed = try table.update(to: test.store.snapshot(), explain: explanation)
        #expect(changed.count == 1 && changed[0] == table.rows.last)
        #expect(explanation.blocksDecoded <= 1)
    }

    @Test("A commit with samples far apart computes their buckets alone, sealed among older ones or not")
    func apart() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.load((0..<400_000).map { Sample(start: Int64($0) * 60 * second, value: 1) }, to: id)
        var table = LiveBuckets(of: [id], .calendar(.days(1), zone: "UTC"))
        let day = 1_440 * 60 * second
        for isSealed in [false, true] {
            try table.update(to: test.store.snapshot())
            let late = [3, 270].map { Sample(start: $0 * day + 7, value: isSealed ? 500 : 400) }
            if isSealed { try test.store.append([Sample(start: 100 * day + 7, value: 2)], to: id) }
            if isSealed { try table.update(to: test.store.snapshot()) }
            try test.store.append(late, to: id)
            if isSealed { try test.store.seal() }
            let explanation = QueryExplanation()
            let changed = try table.update(to: test.store.snapshot(), explain: explanation)
            #expect(changed.map(\.start) == [3 * day, 270 * day], "sealed: \(isSealed)")
            #expect(explanation.blocksDecoded <= 8 && explanation.summaries <= 16, "sealed: \(isSealed)")
            #expect(table.rows == Array(try test.store.snapshot().buckets(of: id, table.buckets)))
        }
    }

    @Test("A deleted sample that reached into later buckets is gone from them, also when its block is gone, too")
    func reach() throws {
        let test = try TestStore()
        let id = try test.store.series("steps", kind: .cumulative).id
        try test.store.append([Sample(start: 0, end: 2 * hour, value: 100)], to: id)
        try test.store.append([Sample(start: 3 * hour, end: 4 * hour, value: 5)], to: id)
        var table = LiveBuckets(of: [id], .fixed(nanoseconds: hour))
        try table.update(to: test.store.snapshot())
        #expect(table.rows.map(\.sum) == [50, 50, nil, 5, nil])
        try test.store.delete(from: id, startingIn: TimeRange(0, hour / 2))
        try test.store.append([Sample(start: 0, end: 1, value: 1)], to: id)
        try test.store.seal()
        try test.store.compact()
        try table.update(to: test.store.snapshot())
        #expect(table.rows == Array(try test.store.snapshot().buckets(of: id, table.buckets)))
        #expect(table.rows[1].sum == nil)
    }
}
