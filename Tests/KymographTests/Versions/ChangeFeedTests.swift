// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-13 changes since an anchor: additions and deletions without a gap")
struct ChangeFeedTests {
    /// The copy of a client that follows a store by its changes.
    private struct Copy {
        var samples: [SeriesID: [SampleIdentity: Sample]] = [:]
        /// The number of repeated additions and of deletions of unknown samples.
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

    /// Follows a store page by page, to the end or for some pages.
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
        "A follower of random appends, loads, deletions, seals and reopenings matches the store", arguments: 0..<4
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
            // A slow follower that seldom reaches the end, stops anywhere, and sees changes within a page.
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

    @Test("Old blocks are not read: none without changes, one or two for new samples of a sealed tail")
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

    @Test("A commit of a million samples is returned in pages that never split samples of one start")
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

    @Test("Anchors round-trip as text; altered, foreign and future anchors are refused")
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
        let future = ChangeAnchor(store: test.store.context.storeID, epoch: 0, commit: 99)
        #expect(kind(test.store, future) == .anchorExpired)
        #expect(throws: StoreError.self) {
            try test.store.changes(of: [SeriesID(rawValue: 77)], since: nil) { _ in true }
        }
    }

    @Test("A commit during the start of a subscription is reported, and every commit once")
    func beginning() async {
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (other, second) = AsyncStream<Int64>.makeStream()
        let notifier = CommitNotifier()
        #expect(ring(notifier, continuation, second))
        for await seq in stream {
            #expect(seq == 8)
            break
        }
        notifier.end(forGood: true)
        var received = [Int64]()
        for await seq in other { received.append(seq) }
        #expect(received == [8, 9])
    }

    /// Notifies of a commit while the first subscription starts, and of a later commit to the second.
    private func ring(
        _ notifier: CommitNotifier, _ first: AsyncStream<Int64>.Continuation, _ second: AsyncStream<Int64>.Continuation
    ) -> Bool {
        let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let number = notifier.add(first) {
            Thread {
                begun.signal()
                notifier.notify(8)
                done.signal()
            }.start()
            begun.wait()
            return 7
        }
        done.wait()
        let other = notifier.add(second) { 8 }
        notifier.remove(number)
        for seq in [8, 8, 9, 9] as [Int64] { notifier.notify(seq) }
        return number != other
    }

    @Test("Commits are reported in order in the writer's process and in others; leaving the loop ends it")
    func commits() async throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        for (store, interval) in [(test.store, Duration.seconds(1)), (reader, .milliseconds(2))] {
            var received = [Int64]()
            for await seq in store.commits(lookingEvery: interval) {
                #expect(store.snapshot().sequence >= seq)
                received.append(seq)
                if received.count == 4 { break }
                try test.store.append([Sample(start: Int64(received.count), value: 1)], to: id)
            }
            #expect(received.count == 4 && received == received.sorted() && Set(received).count == 4)
        }
        // Without subscribers a commit sends no notification.
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

@Suite("E-14 a live table of buckets")
struct LiveBucketTests {
    @Test("After each step the table equals a full query, to the last bit", arguments: 0..<4)
    func life(seed: UInt64) throws {
        let life = try DeletedLife(seed: 70 + seed, compacts: seed % 2 == 1)
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

    @Test("An update costs only the changes: a sample of today recomputes today's bucket and decodes no old block")
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

    @Test("A commit of distant samples recomputes only their buckets, sealed among older ones or not")
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

    @Test("A deleted sample is removed from all buckets it reached, even after its block is removed")
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

    /// Returns a hundred days of steps, every ten minutes; the last sample of each day ends an hour after midnight.
    private func steps(_ kind: SeriesKind) throws -> (test: TestStore, id: SeriesID) {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("steps", kind: kind).id
        try test.store.load(
            (0..<14_400).map { i in
                let start = Int64(i) * 600 * second
                return Sample(start: start, end: start + (i % 144 == 143 ? 4_200 : 300) * second, value: Double(i % 97))
            }, to: id)
        return (test, id)
    }

    @Test(
        "A deletion recomputes exactly the buckets that its samples reached",
        arguments: [SeriesKind.cumulative, .discrete])
    func deletions(kind: SeriesKind) throws {
        let (test, id) = try steps(kind)
        let store = test.store
        var table = LiveBuckets(of: [id], .calendar(.days(1), zone: "UTC"))
        func expectComputed(_ days: [Int64], _ note: String) throws {
            let before = table.computed
            let changed = try table.update(to: store.snapshot())
            #expect(table.computed - before == days.count, "\(note)")
            #expect(Set(changed.map(\.start)).isSubset(of: days.map { $0 * day }), "\(note)")
            #expect(table.rows == Array(try store.snapshot().buckets(of: id, table.buckets)), "\(note)")
        }
        func identity(_ time: Int64) throws -> SampleIdentity {
            var found = [SampleIdentity]()
            try store.snapshot().scan(id, over: TimeRange(time, time + 1), including: .identity) { batch in
                found += (0..<batch.count).compactMap { batch.identity(at: $0) }
                return true
            }
            return try #require(found.first)
        }
        let isShared = kind == .cumulative
        try expectComputed(Array(0...100), "all")
        try store.delete(from: id, startingIn: TimeRange(5 * day + hour, 5 * day + 2 * hour))
        try expectComputed([5], "a range in a day")
        try store.delete([identity(3 * day + 600 * second), identity(71 * day)], from: id)
        try expectComputed([3, 71], "identities far apart")
        try store.delete([identity(40 * day - 600 * second)], from: id)
        try expectComputed(isShared ? [39, 40] : [39], "an identity that reaches over midnight")
        try store.delete(from: id, startingIn: TimeRange(20 * day, 22 * day - hour))
        try expectComputed([20, 21], "a range of days")
        try store.delete(from: id) { [8, 90].contains($0.sample.start / day) && $0.sample.value == 7 }
        try expectComputed([8, 90], "a predicate over everything")
        // Repeats and extends the range: samples that were already hidden change nothing.
        try store.delete(from: id, startingIn: TimeRange(20 * day, 23 * day - hour))
        try expectComputed([21, 22], "a longer range of days")
        // Late samples, in the tail.
        try store.append([Sample(start: 50 * day + 7, end: 50 * day + 9, value: 1)], to: id)
        try store.delete([identity(60 * day)], from: id)
        try expectComputed([50, 60], "a late sample and a deletion")
        try store.delete(from: id, startingIn: TimeRange(50 * day + 7, 50 * day + 8))
        try expectComputed([50], "a sample of the tail")
        // Compaction after the table's update, and before it.
        try store.compact()
        try expectComputed([], "a merge alone")
        try store.delete([identity(70 * day + 600 * second)], from: id)
        try expectComputed([70], "after a merge")
        try store.delete([identity(95 * day + 600 * second)], from: id)
        try store.compact()
        try expectComputed(isShared ? [95, 96, 97, 98, 99, 100] : [95], "a deletion followed by its merge")
        #expect(try store.verify().isSound)
    }

    @Test("Late samples and deletions recompute few buckets besides the touched ones", arguments: 0..<4)
    func few(seed: UInt64) throws {
        let (test, id) = try steps(seed % 2 == 0 ? .cumulative : .discrete)
        let store = test.store
        var random = SeededGenerator(seed: seed)
        var table = LiveBuckets(of: [id], .fixed(nanoseconds: hour))
        try table.update(to: store.snapshot())
        var late = Set<Int64>()
        for _ in 0..<120 {
            var touched = Set<Int64>()
            var pieces = 0
            func touch(_ sample: Sample) {
                pieces += 1
                for hour in sample.start / hour...max(sample.start, sample.end) / hour { touched.insert(hour) }
            }
            for _ in 0..<1 + random.below(3) {
                let time = Int64(random.below(100 * 24)) * hour
                let range = TimeRange(time, time + Int64(random.below(4_000)) * second)
                switch random.below(4) {
                case 0:
                    let fresh = [Int64(1 + random.below(9)), 20].map { time + $0 }.filter { late.insert($0).inserted }
                    let samples = fresh.map { Sample(start: $0, end: $0 + Int64(random.below(5)) * hour, value: 3) }
                    try store.append(samples, to: id)
                    samples.forEach(touch)
                case 1:
                    try store.snapshot().all(id, over: range).forEach(touch)
                    try store.delete(from: id, startingIn: range)
                case 2:
                    var chosen = [SampleIdentity]()
                    try store.snapshot().scan(id, over: range, including: .identity) { batch in
                        for i in 0..<batch.count where random.chance(0.3) {
                            chosen.append(try #require(batch.identity(at: i)))
                            touch(batch[i])
                        }
                        return true
                    }
                    try store.delete(chosen, from: id)
                default:
                    let value = Double(random.below(97))
                    try store.delete(from: id, startingIn: TimeRange(time, time + day)) { one in
                        if one.sample.value == value { touch(one.sample) }
                        return one.sample.value == value
                    }
                }
            }
            let before = table.computed
            try table.update(to: store.snapshot())
            #expect(table.rows == Array(try store.snapshot().buckets(of: id, table.buckets)))
            // Samples that are close, relative to their distances, are handled together.
            #expect(table.computed - before <= touched.count + 19 * pieces)
            if random.chance(0.1) { try store.seal() }
            if random.chance(0.1) { try store.compact() }
            if random.chance(0.2) { try table.update(to: store.snapshot()) }
        }
        #expect(table.computed < 40 * 2_400)
    }
}
