// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 durable appends of tasks share commits and block no thread")
struct TaskAppendTests {
    private func samples(_ task: Int, _ count: Int) -> [Sample] {
        (0..<count).map { Sample(start: Int64(task * 1_000 + $0), value: Double(task)) }
    }

    /// Queues appends of tasks behind a busy writer and returns their results.
    private func group(
        _ store: TimeSeriesStore, _ id: SeriesID, _ count: Int
    ) async throws -> [Result<CommitReceipt, StoreError>] {
        let isBusy = Mutex(false)
        let thread = Thread {
            try? store.access.withWriter { _ throws(StoreError) in
                isBusy.withLock { $0 = true }
                while store.committer.queue.count < count { usleep(100) }
            }
        }
        thread.start()
        while !isBusy.withLock({ $0 }) { try await Task.sleep(for: .microseconds(100)) }
        return await withTaskGroup(of: (Int, Result<CommitReceipt, StoreError>).self) { tasks in
            for index in 0..<count {
                tasks.addTask {
                    do throws(StoreError) {
                        return (index, .success(try await store.append(to: id, samples(index, 3))))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results = [Int: Result<CommitReceipt, StoreError>]()
            for await (index, result) in tasks { results[index] = result }
            return (0..<count).compactMap { results[$0] }
        }
    }

    @Test("Sixty-four tasks behind a busy writer become one commit")
    func oneCommit() async throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let before = test.store.snapshot().sequence
        let results = try await group(test.store, id, 64)
        #expect(try results.map { try $0.get().sequence } == [Int64](repeating: before + 1, count: 64))
        try test.reopen()
        #expect(try test.store.snapshot().all(id) == (0..<64).flatMap { samples($0, 3) })
    }

    @Test("With concurrent tasks and threads every append is stored once, in its producer's order")
    func mixed() async throws {
        let test = try TestStore { $0.sealSamples = 700 }
        let store = test.store
        let ids = try (0..<8).map { try store.series("s\($0)", kind: .discrete).id }
        let common = try store.series("common", kind: .discrete).id
        let threads = Thread {
            _ = onThreads(3) { thread in
                for i in 0..<150 {
                    _ = try? store.append(to: common, [Sample(start: Int64(i), value: Double(thread))])
                }
            }
        }
        threads.start()
        try await withThrowingTaskGroup(of: [Int64].self) { tasks in
            for (task, id) in ids.enumerated() {
                tasks.addTask {
                    var numbers = [Int64]()
                    for i in 0..<150 {
                        let one = Sample(start: Int64(i), value: Double(task * 1_000 + i))
                        numbers.append(try await store.append(to: id, [one]).sequence)
                    }
                    return numbers
                }
            }
            for try await numbers in tasks {
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            }
        }
        while !threads.isFinished { try await Task.sleep(for: .milliseconds(1)) }
        try test.reopen()
        let snapshot = test.store.snapshot()
        for (task, id) in ids.enumerated() {
            #expect(
                try snapshot.all(id)
                    == (0..<150).map { Sample(start: Int64($0), value: Double(task * 1_000 + $0)) })
        }
        #expect(snapshot.count(of: common) == 450)
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("A large append of a task becomes a segment, and an empty one makes no commit")
    func sizes() async throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let before = test.store.snapshot().sequence
        #expect(try await test.store.append(to: id, []).sequence == before)
        let many = (0..<40_000).map { Sample(start: Int64($0), value: 1) }
        #expect(try await test.store.append(to: id, many).sequence == before + 1)
        #expect(test.store.snapshot().count(of: id) == 40_000)
    }

    @Test("Invalid appends are refused, and appends to a closed store throw `closed`")
    func refuses() async throws {
        let test = try TestStore()
        let store = test.store
        let id = try store.series("s", kind: .discrete).id
        func kind(_ id: SeriesID, _ sample: Sample) async -> StoreError.Kind? {
            do throws(StoreError) {
                try await store.append(to: id, [sample])
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(await kind(id, Sample(start: 0, value: .nan)) == .invalidSample)
        #expect(await kind(SeriesID(rawValue: 77), Sample(start: 0, value: 1)) == .unknownSeries)
        #expect(await kind(id, Sample(start: 0, value: 1)) == nil)
        store.close()
        #expect(await kind(id, Sample(start: 0, value: 1)) == .closed)
    }

    @Test("If a sync fails, every task's append throws, and after reopening all or none are stored")
    func failedSync() async throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal"))
        for result in try await group(store, id, 6) {
            #expect(throws: StoreError.self) { try result.get() }
            if case .failure(let error) = result { #expect(error.kind == .outcomeUnknown) }
        }
        try simulated.open()
        let found = try simulated.opened().snapshot().count(of: id)
        #expect(found == 0 || found == 18)
    }
}
