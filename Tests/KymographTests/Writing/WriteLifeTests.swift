// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

/// Compares random batches of several threads with a dictionary that replays them in commit order.
@Suite("E-20 E-5 E-6 write batches of threads, compared with a dictionary")
struct WriteLifeTests {
    private struct Stored: Hashable {
        let series: Int
        let start: Int64
        let value: Double
    }

    /// A planned batch.
    private struct Plan: Sendable {
        let number: Int64
        let rule: IdentityRule
        var adds: [(identity: SampleIdentity, series: Int, start: Int64, value: Double)] = []
        var ranges: [(series: Int, range: TimeRange)] = []
        var deleted: [(series: Int, identities: [SampleIdentity])] = []
        let fails: Bool

        init(_ number: Int64, _ random: inout SeededGenerator) {
            self.number = number
            rule = random.chance(0.5) ? .new : .known
            fails = random.chance(0.1)
            // Few identities, so that batches conflict; an identity nearly always has the same sample.
            for _ in 0..<random.below(8) {
                let one = Int64(random.below(400))
                let identity = SampleIdentity(high: one % 5, low: one)
                if adds.contains(where: { $0.identity == identity }) { continue }
                let value = random.chance(0.02) ? -1 : Double(one)
                adds.append((identity, Int(one % 3), one * 37 % 211 * second, value))
            }
            if random.chance(0.3) {
                let start = Int64(random.below(200)) * second
                ranges.append((random.below(3), TimeRange(start, start + Int64(random.below(60)) * second)))
            }
            if random.chance(0.3) {
                let some = (0..<20).map { _ in Int64(random.below(400)) }
                deleted.append((random.below(3), Set(some).map { SampleIdentity(high: $0 % 5, low: $0) }))
            }
        }

        func batch(_ ids: [SeriesID]) -> WriteBatch {
            var batch = WriteBatch()
            for one in ranges { batch.delete(.range(one.range), from: ids[one.series]) }
            for one in deleted { batch.delete(.identities(one.identities, .all), from: ids[one.series]) }
            for (place, id) in ids.enumerated() {
                var rows = SampleRows()
                let mine = adds.filter { $0.series == place }
                rows.starts = mine.map(\.start)
                rows.values = mine.map(\.value)
                rows.identityHigh = .values(mine.map(\.identity.high))
                rows.identityLow = .values(mine.map(\.identity.low))
                if !mine.isEmpty { batch.add(rows, to: .stored(id)) }
            }
            return batch
        }
    }

    /// The batches in commit order. The writer orders the entries.
    private final class Log: Sendable {
        struct State {
            var done: [(plan: Plan, receipt: WriteReceipt, seen: [Int])] = []
            /// Refused batches, with the number of batches before each.
            var refused: [(plan: Plan, place: Int)] = []
        }

        let state = Mutex(State())
        var place: Int { state.withLock { $0.done.count } }
    }

    private struct Model {
        var stored: [SampleIdentity: Stored] = [:]
        var notes: [Int64] = []

        /// Applies a batch; returns nil if it is refused.
        func after(_ plan: Plan) -> (Model, added: Int, known: Int, deletions: [Int])? {
            var next = self
            var deletions: [Int] = []
            func delete(_ isGone: (SampleIdentity, Stored) -> Bool) {
                let before = next.stored.count
                next.stored = next.stored.filter { !isGone($0.key, $0.value) }
                deletions.append(before - next.stored.count)
            }
            for one in plan.ranges { delete { $1.series == one.series && one.range.contains($1.start) } }
            for one in plan.deleted { delete { $1.series == one.series && one.identities.contains($0) } }
            var known = 0
            for one in plan.adds {
                let sample = Stored(series: one.series, start: one.start, value: one.value)
                if let there = next.stored[one.identity] {
                    guard plan.rule == .known, there == sample else { return nil }
                    known += 1
                }
                next.stored[one.identity] = sample
            }
            next.notes.append(plan.number)
            return (next, plan.adds.count - known, known, deletions)
        }
    }

    private struct Refused: Error {}

    private static func stored(_ snapshot: Snapshot, _ ids: [SeriesID]) throws -> [SampleIdentity: Stored] {
        var found: [SampleIdentity: Stored] = [:]
        for (place, id) in ids.enumerated() {
            try snapshot.scan(id, including: .identity) { batch in
                for row in 0..<batch.count {
                    guard let identity = batch.identity(at: row) else { continue }
                    found[identity] = Stored(series: place, start: batch[row].start, value: batch[row].value)
                }
                return true
            }
        }
        return found
    }

    /// Writes a batch and throws errors that the plan does not expect.
    private static func write(_ plan: Plan, _ store: TimeSeriesStore, _ ids: [SeriesID], _ log: Log) throws {
        let last = Mutex(0)
        do {
            try store.write(identities: plan.rule) { now in
                let place = log.place
                last.withLock { $0 = place }
                let notes = try Notes.all(now.transaction)
                try Notes.add(plan.number, now.transaction)
                let count = ids.reduce(0) { $0 + now.snapshot.count(of: $1) }
                var batch = plan.batch(ids)
                batch.inCommit = { _, receipt in
                    if plan.fails { throw Refused() }
                    log.state.withLock { $0.done.append((plan, receipt, [count, notes.count])) }
                }
                return batch
            }
        } catch is Refused {
            if !plan.fails { throw Refused() }
        } catch let error as StoreError where error.kind == .identityTaken {
            log.state.withLock { state in state.refused.append((plan, last.withLock { $0 })) }
        }
    }

    @Test("Receipts, visible states, errors and the final content equal those of the dictionary", arguments: 1...4)
    func life(_ seed: Int) throws {
        let test = try TestStore {
            $0.sealSamples = 300
            $0.sealBatches = 40
            $0.largeAppend = 6
        }
        let store = test.store
        let ids = try (0..<3).map { try store.series("s\($0)", kind: .discrete).id }
        let plain = try store.series("plain", kind: .discrete).id
        let log = Log()
        let faults = onThreads(5) { thread -> String? in
            var random = SeededGenerator(seed: UInt64(seed * 100 + thread))
            for step in 0..<60 {
                do {
                    if thread == 4 {
                        try store.append(to: plain, [Sample(start: Int64(step), value: 1)])
                        continue
                    }
                    let plan = Plan(Int64(thread * 1_000 + step), &random)
                    try Self.write(plan, store, ids, log)
                } catch {
                    return "thread \(thread), step \(step): \(error)"
                }
            }
            return nil
        }
        #expect(faults.compactMap(\.self) == [])
        let (done, refused) = log.state.withLock { ($0.done, $0.refused) }
        var model = Model()
        for (place, one) in done.enumerated() {
            for other in refused where other.place == place { #expect(model.after(other.plan) == nil) }
            #expect(one.seen == [model.stored.count, model.notes.count])
            guard let (next, added, known, deletions) = model.after(one.plan) else {
                Issue.record("\(one.plan) should have been refused")
                return
            }
            #expect(one.receipt.added == added && one.receipt.known == known)
            #expect(one.receipt.deletions.map(\.count) == deletions)
            model = next
        }
        #expect(!refused.isEmpty && done.contains { $0.receipt.known > 0 })
        for _ in 0..<2 {
            #expect(try Self.stored(test.store.snapshot(), ids) == model.stored)
            #expect(try test.store.readCatalog { try Notes.all($0) } == model.notes.sorted())
            #expect(test.store.snapshot().count(of: plain) == 60)
            #expect(try test.store.verify().isSound)
            try test.store.compact()
            try test.reopen()
        }
    }
}
