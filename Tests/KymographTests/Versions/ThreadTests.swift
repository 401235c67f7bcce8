// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-9 E-7 large queries on several threads, and a bounded index in memory")
struct ThreadTests {
    /// Returns a store with pulse-like samples in overlapping runs and a tail, and a cumulative series of intervals.
    static func filled(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> TestStore {
        let test = try TestStore(change)
        let points = try test.store.series("points", kind: .discrete).id
        let spans = try test.store.series("spans", kind: .cumulative).id
        var random = SeededGenerator(seed: 5)
        for piece in 0..<2 {
            let samples = (0..<120_000).map { (i: Int) -> Sample in
                let start = Int64(i * 2 + piece) * second
                let late = Int64(random.below(900)) * 1_000_000
                return Sample(start: start + late, value: Double(40 + random.below(120)))
            }
            try test.store.load(samples, to: points)
        }
        let late = [Sample(start: 77 * second, value: 1), Sample(start: 9_999 * second, value: 2)]
        try test.store.append(late, to: points)
        try test.store.load(
            (0..<60_000).map { (i: Int) -> Sample in
                let start = Int64(i) * 4 * second
                return Sample(start: start, end: start + 7 * second, value: Double(i % 9) / 3)
            }, to: spans)
        return test
    }

    static func answers(_ test: TestStore) throws -> [[Aggregate]] {
        let snapshot = test.store.snapshot()
        return try ["points", "spans"].flatMap { name in
            let id = try #require(snapshot.series(named: name)).id
            return try [.init(), .all].map { (options: AggregateOptions) in
                Array(try snapshot.buckets(of: id, .fixed(nanoseconds: 37 * second), computing: options))
            }
        }
    }

    @Test("Buckets are the same to the last bit with one thread and with many")
    func buckets() throws {
        let test = try Self.filled { $0.threads = 1 }
        let alone = try Self.answers(test)
        #expect(alone[0].count > 6_000)
        for threads in [2, 3, 8] {
            test.options.threads = threads
            try test.reopen()
            #expect(try Self.answers(test) == alone, "\(threads) threads")
        }
    }

    @Test("The explanation of a query counts over all its threads")
    func explained() throws {
        let test = try Self.filled { $0.threads = 2 }
        let snapshot = test.store.snapshot()
        let id = try #require(snapshot.series(named: "points")).id
        let together = QueryExplanation()
        _ = try snapshot.buckets(of: id, .fixed(nanoseconds: 37 * second), explain: together)
        // Each block is decoded once, except those cut by an edge between two threads.
        let blocks = try test.store.info().blocks
        #expect(together.blocksDecoded >= 230 && together.blocksDecoded <= blocks + 32)
    }

    @Test("A consumer that stops ends the scan, and the caller's arrays are complete", arguments: [1, 2, 5])
    func reading(threads: Int) throws {
        let test = try Self.filled { $0.threads = threads }
        let snapshot = test.store.snapshot()
        let id = try #require(snapshot.series(named: "spans")).id
        let wanted = try snapshot.all(id)
        for range in [TimeRange.all, TimeRange(3 * second, 200_001 * second), TimeRange(8 * second, 9 * second)] {
            var starts: [Int64] = [1]
            var values: [Double] = [2]
            try snapshot.read(id, over: range, starts: &starts, values: &values)
            let inside = wanted.filter { range.contains($0.start) }
            #expect(starts == [1] + inside.map(\.start))
            #expect(values == [2] + inside.map(\.value))
        }
    }

    @Test("With space for few index pages, answers are the same and memory is bounded")
    func bounded() throws {
        let test = try Self.filled()
        let alone = try Self.answers(test)
        test.options.indexCacheBytes = 0
        try test.reopen()
        #expect(try Self.answers(test) == alone)
        let counters = test.store.counters
        #expect(counters.indexPagesInMemory > 0 && counters.indexPagesInMemory <= 64)
        #expect(counters.indexPagesRead >= counters.indexPagesInMemory)
    }

    @Test("Each piece runs once; of several failures the error of the first piece is thrown", arguments: [1, 2, 7])
    func divided(threads: Int) throws {
        let done = Mutex([Int](repeating: 0, count: 500))
        try Parallel.forEach(500, threads: threads) { i in done.withLock { $0[i] += 1 } }
        #expect(done.withLock { $0.allSatisfy { $0 == 1 } })
        try Parallel.forEach(0, threads: threads) { _ in Issue.record("no piece expected") }
        for _ in 0..<50 {
            let error = #expect(throws: StoreError.self) {
                try Parallel.forEach(200, threads: threads) { i throws(StoreError) in
                    if i % 40 == 17 { throw StoreError(.invalidArgument, "piece \(i)") }
                }
            }
            #expect(error?.message == "piece 17")
        }
    }
}
