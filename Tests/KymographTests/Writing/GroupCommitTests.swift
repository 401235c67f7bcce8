// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 group commit: appends of several threads share a commit")
struct GroupCommitTests {
    /// Queues appends behind a busy writer and returns their results.
    private func group(
        _ store: TimeSeriesStore, _ appends: [(id: SeriesID, samples: [Sample])]
    ) throws -> [Result<CommitReceipt, StoreError>] {
        let isBusy = Mutex(false)
        let results = onThreads(appends.count + 1) { index in
            Result { () throws(StoreError) -> CommitReceipt in
                if index < appends.count {
                    while !isBusy.withLock({ $0 }) { usleep(100) }
                    return try store.append(to: appends[index].id, appends[index].samples)
                }
                return try store.access.withWriter { writer throws(StoreError) in
                    isBusy.withLock { $0 = true }
                    while store.committer.queue.count < appends.count { usleep(100) }
                    return CommitReceipt(sequence: writer.seq)
                }
            }
        }
        _ = try #require(results.last).get()
        return results.dropLast()
    }

    private func samples(_ thread: Int, _ count: Int) -> [Sample] {
        (0..<count).map { Sample(start: Int64(thread * 1_000 + $0), value: Double(thread)) }
    }

    @Test("Appends queued behind a busy writer become one commit, for equal and different series")
    func oneCommit() throws {
        let test = try TestStore()
        let ids = try (0..<3).map { try test.store.series("s\($0)", kind: .discrete).id }
        let before = test.store.snapshot().sequence
        let appends = (0..<12).map { (id: ids[$0 % 3], samples: samples($0, 1 + $0)) }
        let results = try group(test.store, appends)
        #expect(try results.map { try $0.get().sequence } == [Int64](repeating: before + 1, count: 12))
        for _ in 0..<2 {
            let snapshot = test.store.snapshot()
            #expect(snapshot.sequence == before + 1)
            for (i, id) in ids.enumerated() {
                let wanted = appends.enumerated().filter { $0.offset % 3 == i }.flatMap(\.element.samples)
                #expect(try snapshot.all(id) == wanted.sorted { $0.start < $1.start })
            }
            #expect(try test.store.verify().problems.isEmpty)
            try test.reopen()
        }
    }

    @Test("Appends beyond the size of a commit become several commits, each append in one")
    func bounds() throws {
        let test = try TestStore { $0.sealSamples = 10_000_000 }
        let id = try test.store.series("s", kind: .discrete).id
        let before = test.store.snapshot().sequence
        let appends = (0..<5).map { (id: id, samples: samples($0, 15_000)) }
        let results = try group(test.store, appends)
        // Two appends fit into 32,768 samples.
        #expect(Set(try results.map { try $0.get().sequence }) == [before + 1, before + 2, before + 3])
        #expect(test.store.snapshot().count(of: id) == 75_000)
    }

    @Test("An invalid sample and an unknown series fail only their own append")
    func alone() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        #expect(throws: StoreError.self) { try test.store.append(to: id, [Sample(start: 0, value: .nan)]) }
        #expect(throws: StoreError.self) {
            try test.store.append(to: SeriesID(rawValue: 77), [Sample(start: 0, value: 1)])
        }
        let results = try group(test.store, (0..<4).map { (id: id, samples: samples($0, 5)) })
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(test.store.snapshot().count(of: id) == 20)
    }

    @Test("Appends that wait while the store is closed throw `closed`")
    func closed() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let store = test.store
        let isBusy = Mutex(false)
        let kinds = onThreads(5) { index in
            do throws(StoreError) {
                if index < 4 {
                    while !isBusy.withLock({ $0 }) { usleep(100) }
                    try store.append(to: id, [Sample(start: Int64(index), value: 1)])
                } else {
                    try store.access.withWriter { _ throws(StoreError) in
                        isBusy.withLock { $0 = true }
                        while store.committer.queue.count < 4 { usleep(100) }
                    }
                    store.close()
                }
            } catch {
                return StoreError.Kind?.some(error.kind)
            }
            return nil
        }.prefix(4)
        // Appends accepted before the closing are stored; all others throw.
        let stored = kinds.filter { $0 == nil }.count
        #expect(kinds.allSatisfy { $0 == nil || $0 == .closed })
        try test.reopen()
        #expect(test.store.snapshot().count(of: id) == stored)
    }

    @Test("If the sync of a group fails, every append throws, and after reopening all or none are stored")
    func failedSync() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal"))
        let results = try group(store, (0..<6).map { (id: id, samples: samples($0, 3)) })
        for result in results {
            #expect(throws: StoreError.self) { try result.get() }
            if case .failure(let error) = result { #expect(error.kind == .outcomeUnknown) }
        }
        try simulated.open()
        let found = try simulated.opened().snapshot().count(of: id)
        #expect(found == 0 || found == 18)
    }

    @Test("With eight concurrent threads every append is stored once, in its thread's order, also after reopening")
    func manyThreads() throws {
        let test = try TestStore { $0.sealSamples = 700 }
        let ids = try (0..<8).map { try test.store.series("s\($0)", kind: .discrete).id }
        let common = try test.store.series("common", kind: .discrete).id
        let store = test.store
        let receipts = onThreads(8) { thread in
            Result { () throws(StoreError) in
                try (0..<120).map { i throws(StoreError) in
                    let one = Sample(start: Int64(i), value: Double(thread * 1_000 + i))
                    return try store.append(to: i % 3 == 0 ? common : ids[thread], [one]).sequence
                }
            }
        }
        for mine in receipts {
            let numbers = try mine.get()
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            #expect(numbers.last ?? 0 <= store.snapshot().sequence)
        }
        try test.reopen()
        let snapshot = test.store.snapshot()
        for (thread, id) in ids.enumerated() {
            let wanted = (0..<120).filter { $0 % 3 != 0 }.map {
                Sample(start: Int64($0), value: Double(thread * 1_000 + $0))
            }
            #expect(try snapshot.all(id) == wanted)
        }
        #expect(Set(try snapshot.all(common).map(\.value)).count == 8 * 40)
        #expect(try test.store.verify().problems.isEmpty)
    }
}
