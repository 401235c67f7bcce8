// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Catalog
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-20 E-4 write batches of several threads share a commit and fail separately")
struct WriteGroupTests {
    typealias Decision = @Sendable (WriteContext) throws -> WriteBatch
    struct Refused: Error {}

    private static func adding(_ rows: SampleRows, to id: SeriesID, note: Int64? = nil) -> Decision {
        { _ in
            var batch = WriteBatch()
            batch.add(rows, to: .stored(id))
            if let note { batch.inCommit = { transaction, _ in try Notes.add(note, transaction) } }
            return batch
        }
    }

    private func notes(_ store: TimeSeriesStore) throws -> [Int64] { try store.readCatalog { try Notes.all($0) } }

    @Test("Batches behind a busy writer are one commit and one sync, and a failing batch gets its own error")
    func oneCommit() throws {
        let test = try TestStore()
        let store = test.store
        let id = try store.series("s", kind: .discrete).id
        let before = store.snapshot().sequence
        let isBusy = Mutex(false)
        let results = onThreads(10) { index in
            Result { () throws -> Int64 in
                if index == 9 {
                    return try store.access.withWriter { writer throws(StoreError) in
                        isBusy.withLock { $0 = true }
                        while store.committer.queue.count < 9 { usleep(100) }
                        return writer.seq
                    }
                }
                while !isBusy.withLock({ $0 }) { usleep(100) }
                let rows = SampleRows(points: index * 10..<index * 10 + 4)
                if index % 3 == 0 { return try store.append(to: id, [Sample(start: Int64(index), value: 3)]).sequence }
                return try store.write { now in
                    try Notes.add(Int64(index), now.transaction)
                    var batch = WriteBatch()
                    batch.add(rows, to: .stored(id))
                    batch.inCommit = { _, _ in if index % 3 == 1 { throw Refused() } }
                    return batch
                }.sequence
            }
        }
        for (index, result) in results.prefix(9).enumerated() {
            if index % 3 == 1 {
                #expect(throws: Refused.self) { try result.get() }
            } else {
                #expect(try result.get() == before + 1)
            }
        }
        for _ in 0..<2 {
            #expect(test.store.snapshot().sequence == before + 1 && test.store.snapshot().count(of: id) == 3 + 3 * 4)
            #expect(try notes(test.store) == [2, 5, 8] && test.store.verify().isSound)
            try test.reopen()
        }
    }

    @Test("Later batches of a commit see earlier ones; a batch that deletes or may repeat their rows waits")
    func order() throws {
        let test = try TestStore()
        let store = test.store
        let id = try store.series("s", kind: .discrete).id
        try store.append(to: id, [Sample(start: -5, value: 0)])
        let before = store.snapshot().sequence
        let seen = Mutex<[[Int64]]>([])
        @Sendable func look(_ now: WriteContext) throws {
            let state = [Int64(now.snapshot.count(of: id)), Int64(try Notes.all(now.transaction).count)]
            seen.withLock { $0.append(state) }
        }
        let rows = SampleRows(points: 0..<3).identified(1)
        let results = try store.write(
            identities: .new,
            meeting: [
                Self.adding(rows, to: id, note: 1),
                { now in
                    try look(now)
                    var batch = WriteBatch()
                    batch.delete(.range(TimeRange(-9, 0)), from: id)
                    batch.add(SampleRows(points: 50..<51), to: .named("t", labels: [:], kind: .discrete))
                    batch.inCommit = { transaction, _ in try Notes.add(2, transaction) }
                    return batch
                },
                { now in
                    try look(now)
                    try Notes.add(3, now.transaction)
                    var batch = WriteBatch()
                    batch.delete(.range(.all), from: id)
                    return batch
                },
                Self.adding(rows, to: id),
                { now in
                    try look(now)
                    #expect(now.snapshot.series(named: "t") != nil)
                    return try Self.adding(SampleRows(points: 60..<62), to: id)(now)
                },
            ])
        let sequences = results.map { try? $0.get().sequence }
        // The fourth batch repeats rows that the third one deletes.
        #expect(sequences == [before + 1, before + 1, before + 2, before + 2, before + 1])
        #expect(seen.withLock { $0 } == [[4, 1], [3, 2], [3, 2], [5, 2]])
        #expect(try results[2].get().deletions.map(\.count) == [5])
        #expect(try store.snapshot().all(id).map(\.start) == [0, second, 2 * second])
        #expect(try notes(store) == [1, 2, 3] && store.verify().isSound)
        let again = try store.write(identities: .new, meeting: [Self.adding(rows, to: id)])
        let error = #expect(throws: StoreError.self) { try again[0].get() }
        #expect(error?.kind == .identityTaken)
    }

    @Test("A large batch ends its commit, and all batches are stored once")
    func large() throws {
        let test = try TestStore { $0.largeAppend = 200 }
        let store = test.store
        let ids = try ["a", "b"].map { try store.series($0, kind: .discrete).id }
        let before = store.snapshot().sequence
        let results = try store.write(meeting: [
            Self.adding(SampleRows(points: 0..<10), to: ids[0]),
            { _ in
                var batch = WriteBatch()
                batch.add(SampleRows(points: 50..<350), to: .stored(ids[1]))
                batch.add(SampleRows(points: 0..<90), to: .stored(ids[0]))
                batch.add(SampleRows(points: 20..<60), to: .stored(ids[1]))
                return batch
            },
            Self.adding(SampleRows(points: 0..<7), to: ids[0]),
        ])
        #expect(try results.map { try $0.get().sequence } == [before + 1, before + 1, before + 2])
        for _ in 0..<2 {
            #expect(ids.map { test.store.snapshot().count(of: $0) } == [107, 340])
            #expect(try test.store.verify().isSound)
            try test.reopen()
        }
    }

    @Test("If a sync fails, every batch throws, and after reopening all or none are stored, with the layer's rows")
    func failedSync() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal"))
        let results = try store.write(
            meeting: (0..<4).map { Self.adding(SampleRows(points: 0..<3), to: id, note: Int64($0)) })
        for result in results {
            let error = #expect(throws: StoreError.self) { try result.get() }
            #expect(error?.kind == .outcomeUnknown)
        }
        try simulated.open()
        let found = try simulated.opened().snapshot().count(of: id)
        let beside = try notes(simulated.opened()).count
        #expect(found == 3 * beside && (beside == 0 || beside == 4))
    }

    @Test("A batch without space does not fail the others")
    func noRoom() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        simulated.options.ballastBytes = 0
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        let before = store.snapshot().sequence
        disk.setCapacity(disk.usedBytes + 60_000)
        let large: Decision = { now in
            try now.transaction.run("CREATE TABLE large(body BLOB)STRICT")
            try now.transaction.run("INSERT INTO large VALUES(randomblob(400000))")
            return WriteBatch()
        }
        let small = Self.adding(SampleRows(points: 0..<3), to: id, note: 1)
        let results = try store.write(meeting: [small, large, Self.adding(SampleRows(points: 5..<9), to: id, note: 2)])
        let error = #expect(throws: StoreError.self) { try results[1].get() }
        #expect(error?.kind == .diskFull)
        #expect(try results[0].get().sequence == before + 1 && results[2].get().sequence == before + 2)
        #expect(store.snapshot().count(of: id) == 7)
        #expect(try notes(store) == [1, 2])
    }
}
