// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-10 E-6 threads query merged sources and partly deleted blocks during writes")
struct CacheThreadTests {
    private static let day: Int64 = 86_400 * second

    /// Returns intervals of a minute, from minute `first` on.
    private func minutes(_ first: Int, _ count: Int) -> [Sample] {
        (first..<first + count).map { i in
            let start = Int64(i) * 60 * second
            return Sample(start: start, end: start + 60 * second, value: Double(i % 7 + 1))
        }
    }

    @Test("Two equal sources merge to one in every snapshot, with concurrent queries and deletions")
    func beside() throws {
        let test = try TestStore { options in
            options.threads = 2
            options.sealSamples = 2_000
        }
        let store = test.store
        let ids = try ["phone", "watch"].map {
            try store.series("steps", labels: ["source": $0], kind: .cumulative).id
        }
        for id in ids { try store.load(minutes(0, 40_000), to: id) }
        let isOver = Atomic(false)
        let failures = Mutex([String]())
        let looked = Mutex(0)
        _ = onThreads(4) { thread in
            do {
                if thread == 0 {
                    defer { isOver.store(true, ordering: .relaxed) }
                    try write(store, ids) { looked.withLock { $0 } }
                    return
                }
                while !isOver.load(ordering: .relaxed) {
                    if let fault = try look(store.snapshot(), ids) { failures.withLock { $0.append(fault) } }
                    looked.withLock { $0 += 1 }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { Array($0.prefix(3)) } == [])
        #expect(try look(store.snapshot(), ids) == nil)
        #expect(try store.verify().problems.isEmpty)
    }

    /// Adds and deletes the same samples of both series, each in one commit, until readers have run enough queries.
    private func write(_ store: TimeSeriesStore, _ ids: [SeriesID], _ looked: () -> Int) throws {
        var random = SeededGenerator(seed: 3)
        var step = 0
        while step < 24 || looked() < 40 {
            let more = minutes(40_000 + 50 * step, 50)
            try store.append(meeting: ids.map { ($0, more) })
            let start = Int64(random.below(39_000)) * 60 * second
            let range = TimeRange(start, start + Int64(1 + random.below(90)) * 60 * second)
            if step % 3 == 0 {
                _ = try store.delete(ids.map { ($0, .matching(range) { $0.sample.value > 3 }) })
            } else {
                _ = try store.delete(ids.map { ($0, .range(range)) })
            }
            if step % 8 == 7 { try store.compact() }
            step += 1
        }
    }

    /// Compares answers from summaries, from merging and from reading all samples. Returns a description of a
    /// difference, or nil.
    private func look(_ snapshot: Snapshot, _ ids: [SeriesID]) throws -> String? {
        let all = try snapshot.all(ids[0])
        let sum = all.reduce(0) { $0 + $1.value }
        for id in ids {
            let found = try snapshot.aggregate(of: id)
            if found.sum != sum || found.count != all.count { return "series \(id) has \(found), expected \(sum)" }
        }
        let merged = try snapshot.aggregate(of: MergedSources(ids))
        if merged.sum != sum || merged.count != all.count { return "merged \(merged), expected \(sum)" }
        let days = Buckets.fixed(nanoseconds: Self.day)
        let apart = try snapshot.buckets(of: ids[1], days)
        let together = try snapshot.buckets(of: MergedSources(ids), days)
        if apart.map(\.sum) != together.map(\.sum) { return "days at commit \(snapshot.sequence) differ" }
        return nil
    }
}
