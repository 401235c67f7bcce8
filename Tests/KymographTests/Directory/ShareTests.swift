// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-12 programs that save occasionally share a store")
struct ShareTests {
    /// A store of one series, not open.
    private struct Shared {
        let directory: TemporaryDirectory
        var options = StoreOptions()
        let id = SeriesID(rawValue: 1)
        var path: String { directory.file("store") }

        init(idle: Duration = .milliseconds(1), wait: Duration = .seconds(5)) throws {
            directory = try TemporaryDirectory()
            options.writerIdle = idle
            options.writerWait = wait
            let store = try TimeSeriesStore.openOrCreate(at: path, options: options)
            try store.series("pulse", kind: .discrete)
            store.close()
        }

        func open(_ mode: OpenMode = .shared) throws -> TimeSeriesStore {
            try TimeSeriesStore.open(at: path, mode: mode, options: options)
        }
    }

    private func waitUntil(_ what: String, _ condition: () throws -> Bool) rethrows {
        let end = ContinuousClock().now + .seconds(20)
        while try !condition() {
            if ContinuousClock().now > end {
                Issue.record("timeout: \(what)")
                return
            }
            usleep(1_000)
        }
    }

    @Test("Two openings commit in turn, each sees the other's samples, and commit numbers are consecutive")
    func turns() throws {
        let shared = try Shared()
        let one = try shared.open()
        let two = try shared.open()
        defer {
            one.close()
            two.close()
        }
        var wanted = [Sample]()
        for i in 0..<20 {
            let sample = Sample(start: Int64(i) * second, value: Double(i))
            try (i % 2 == 0 ? one : two).append(to: shared.id, [sample])
            wanted.append(sample)
            let other = i % 2 == 0 ? two : one
            try waitUntil("seen by the other one") {
                try other.refresh()
                return other.snapshot().count(of: shared.id) == wanted.count
            }
            #expect(try other.snapshot().all(shared.id) == wanted)
        }
        // One commit for the series and 20 appends.
        #expect(one.snapshot().sequence == 21 && two.snapshot().sequence == 21)
        waitUntil("an idle writer releases the store") { (try? shared.open(.readWrite).close()) != nil }
    }

    @Test("Threads of several openings lose no sample and duplicate no number, with seals and deletions")
    func manyThreads() throws {
        let shared = try Shared(wait: .seconds(60))
        let receipts = Mutex([Int64]())
        let failures = Mutex([String]())
        _ = onThreads(4) { thread in
            do {
                let store = try shared.open()
                defer { store.close() }
                for i in 0..<25 {
                    let start = Int64(thread * 1_000 + i) * second
                    let receipt = try store.append(to: shared.id, [Sample(start: start, value: 1)])
                    receipts.withLock { $0.append(receipt.sequence) }
                    #expect(store.snapshot().sequence >= receipt.sequence)
                    if i % 10 == 9 { try store.seal() }
                    if i % 10 == 5 { try store.delete(from: shared.id, startingIn: TimeRange(start, start + 1)) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let all = receipts.withLock { $0 }
        #expect(all.count == 100 && Set(all).count == 100)
        let reader = try shared.open(.readOnly)
        defer { reader.close() }
        #expect(reader.snapshot().count(of: shared.id) == 100 - 8)
        #expect(try reader.verify().problems.isEmpty)
    }

    @Test("While a writer stays open, others wait and then fail as locked; reads continue")
    func locked() throws {
        let shared = try Shared(wait: .milliseconds(30))
        let writer = try shared.open(.readWrite)
        let other = try shared.open()
        defer { other.close() }
        try writer.append(to: shared.id, [Sample(start: 1, value: 1)])
        do {
            try other.append(to: shared.id, [Sample(start: 2, value: 2)])
            Issue.record("two writers")
        } catch { #expect(error.kind == .locked) }
        #expect(try other.refresh())
        #expect(other.snapshot().count(of: shared.id) == 1)
        writer.close()
        try other.append(to: shared.id, [Sample(start: 2, value: 2)])
        #expect(other.snapshot().count(of: shared.id) == 2)
    }

    @Test("Work that needs one writer keeps the turn: a bulk load is not interrupted")
    func work() throws {
        let shared = try Shared(wait: .milliseconds(50))
        let one = try shared.open()
        let two = try shared.open()
        defer {
            one.close()
            two.close()
        }
        try one.bulkLoad { loader in
            let starts = (0..<70_000).map { Int64($0) * second }
            try loader.append(to: shared.id, starts: starts.span, values: [Double](repeating: 1, count: 70_000).span)
            // Longer than an idle writer keeps the turn; the load keeps it.
            usleep(20_000)
            #expect(throws: StoreError.self) { try two.append(to: shared.id, [Sample(start: 5, value: 5)]) }
        }
        try two.append(to: shared.id, [Sample(start: 5, value: 5)])
        #expect(two.snapshot().count(of: shared.id) == 70_001)
    }

    @Test("An opening that commits all the time releases the turn to a waiting one")
    func fairness() throws {
        let shared = try Shared(idle: .milliseconds(20), wait: .seconds(60))
        let busy = try shared.open()
        defer { busy.close() }
        let isOver = Atomic(false)
        let failures = Mutex([String]())
        _ = onThreads(2) { thread in
            do {
                if thread == 0 {
                    var i: Int64 = 0
                    while !isOver.load(ordering: .relaxed) {
                        try busy.append(to: shared.id, [Sample(start: i, value: 1)])
                        i += 1
                    }
                } else {
                    defer { isOver.store(true, ordering: .relaxed) }
                    let store = try shared.open()
                    defer { store.close() }
                    for i in 0..<3 { try store.append(to: shared.id, [Sample(start: Int64(i), value: 2)]) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("A writer that gives way releases its turn at once, but not during a load")
    func givesWay() throws {
        var shared = try Shared(idle: .seconds(3_600), wait: .zero)
        // A background merge would keep the turn too.
        shared.options.compacts = false
        let one = try shared.open()
        let two = try shared.open()
        defer {
            one.close()
            two.close()
        }
        try one.append(to: shared.id, [Sample(start: 1, value: 1)])
        #expect(throws: StoreError.self) { try two.append(to: shared.id, [Sample(start: 2, value: 2)]) }
        try one.bulkLoad { loader throws(StoreError) in
            one.giveWay()
            try loader.append(to: shared.id, starts: [2].span, values: [2].span)
        }
        #expect(throws: StoreError.self) { try two.append(to: shared.id, [Sample(start: 3, value: 3)]) }
        one.giveWay()
        try two.append(to: shared.id, [Sample(start: 3, value: 3)])
        two.giveWay()
        two.giveWay()
        try one.append(to: shared.id, [Sample(start: 4, value: 4)])
        #expect(try one.snapshot().all(shared.id).map(\.value) == [1, 2, 3, 4])
    }

    @Test("After a commit of unknown outcome the next commit reopens the writer")
    func failure() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let store = try TimeSeriesStore.openOrCreate(at: "/store", mode: .shared, options: layer.options)
        defer { store.close() }
        let id = try store.series("pulse", kind: .discrete).id
        disk.inject(DiskFault([.sync], pathSuffix: "-wal"))
        do {
            try store.append(to: id, [Sample(start: 1, value: 1)])
            Issue.record("the sync did not fail")
        } catch { #expect(error.kind == .outcomeUnknown) }
        let receipt = try store.append(to: id, [Sample(start: 2, value: 2)])
        let samples = try store.snapshot().all(id)
        #expect(samples.last?.start == 2 && samples.count == Int(receipt.sequence) - 1)
    }

    @Test("A commit of unknown outcome during a load keeps the load's turn and files; the load is refused")
    func failureBesideWork() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let store = try TimeSeriesStore.openOrCreate(at: "/store", mode: .shared, options: layer.options)
        defer { store.close() }
        let id = try store.series("pulse", kind: .discrete).id
        let starts = (0..<70_000).map { Int64($0) * second }
        let values = [Double](repeating: 1, count: starts.count)
        do {
            try store.bulkLoad { loader in
                try loader.append(to: id, starts: starts.span, values: values.span)
                disk.inject(DiskFault([.sync], pathSuffix: "-wal"))
                #expect(throws: StoreError.self) { try store.append(to: id, [Sample(start: 1, value: 1)]) }
                disk.clearFaults()
                #expect(throws: StoreError.self) { try store.append(to: id, [Sample(start: 2, value: 2)]) }
            }
            Issue.record("the load was committed by a different writer")
        } catch { #expect((error as? StoreError)?.kind == .writerFailed, "\(error)") }
        // The next turn has a new writer, and all files that it names exist.
        try store.append(to: id, [Sample(start: 3, value: 3)])
        #expect(try store.verify().problems.isEmpty)
        #expect(store.snapshot().count(of: id) <= 2)
    }

    @Test("A closed opening refuses appends")
    func closed() throws {
        let shared = try Shared()
        let store = try shared.open()
        store.close()
        do {
            try store.append(to: shared.id, [Sample(start: 1, value: 1)])
            Issue.record("closed")
        } catch { #expect(error.kind == .closed) }
    }
}
