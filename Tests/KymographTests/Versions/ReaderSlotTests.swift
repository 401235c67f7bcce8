// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-12 readers publish the oldest commit that they hold")
struct ReaderSlotTests {
    private func appended(_ test: TestStore, _ times: Int = 1) throws {
        let series = try test.store.series("pulse", kind: .discrete)
        for _ in 0..<times { try test.store.append(to: series.id, [Sample(start: 1, value: 1)]) }
    }

    @Test("A reader's snapshot is held for the writer until its last copy is released; refreshing alone holds nothing")
    func reader() throws {
        let test = try TestStore()
        try appended(test, 3)
        #expect(try test.store.context.slots.oldest() == 4)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        var snapshot: Snapshot? = reader.snapshot()
        try appended(test, 2)
        #expect(try test.store.context.slots.held() == [4, 6])
        #expect(try test.store.info().heldCommits == [4])
        try reader.refresh()
        #expect(try test.store.context.slots.oldest() == 4)
        #expect(try reader.info().heldCommits == [4])
        #expect(snapshot?.sequence == 4)
        snapshot = nil
        #expect(try test.store.context.slots.held() == [6])
        reader.close()
        #expect(try test.store.context.slots.held() == [6])
    }

    @Test("Without locks or without LOCK a store reports no held commits, and readers still work")
    func withoutLocks() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let store = try TimeSeriesStore.create(at: "/store", options: layer.options)
        try store.series("pulse", kind: .discrete)
        store.close()
        for lost in [false, true] {
            if lost {
                try disk.remove("/store/LOCK")
            } else {
                disk.inject(DiskFault([.lock], nth: 1, forever: true, errno: DiskError.withoutLocks))
            }
            let reader = try TimeSeriesStore.open(at: "/store", mode: .readOnly, options: layer.options)
            defer { reader.close() }
            #expect(try reader.info().heldCommits == [])
            #expect(reader.snapshot().series.count == 1)
            disk.clearFaults()
        }
    }

    @Test("The oldest of a reader's snapshots is published, in any order of release")
    func several() throws {
        let test = try TestStore()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        var held = [Int64: Snapshot]()
        var random = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            if random.chance(0.5) {
                try appended(test)
                try reader.refresh()
                let snapshot = reader.snapshot()
                held[snapshot.sequence] = snapshot
            } else if let one = held.keys.randomElement(using: &random) {
                held[one] = nil
            }
            let wanted = held.keys.min() ?? reader.snapshot().sequence
            #expect(try test.store.context.slots.oldest() == wanted)
        }
    }

    @Test("Snapshots of the writer's process are known, also after the writer closes")
    func writer() throws {
        let test = try TestStore()
        try appended(test)
        var snapshot: Snapshot? = test.store.snapshot()
        try appended(test, 3)
        #expect(try test.store.info().heldCommits == [2])
        try test.reopen()
        #expect(try test.store.info().heldCommits == [2])
        #expect(snapshot?.sequence == 2)
        snapshot = nil
        #expect(try test.store.info().heldCommits == [])
        #expect(try test.store.context.slots.held() == [5])
    }

    @Test("An opening for reading holds every commit, and keeps doing so if the second lock fails")
    func opening() throws {
        try onFaultyDisk { writer, disk, open in
            disk.inject(DiskFault([.lock], nth: 2, errno: DiskError.inputOutput))
            let reader = try open()
            #expect(reader.snapshot().sequence == 2)
            #expect(try writer.context.slots.held() == [0, 2])
            disk.clearFaults()
            // The next refresh retries the lock.
            try writer.append(to: SeriesID(rawValue: 1), [Sample(start: 2, value: 2)])
            #expect(try reader.refresh())
            reader.close()
        }
    }

    @Test("Without lock support a reader opens without a hold; if locking fails, the opening fails")
    func noLocks() throws {
        try onFaultyDisk { writer, disk, open in
            for errno in [DiskError.withoutLocks, DiskError.missing] {
                disk.inject(DiskFault([.lock], forever: true, errno: errno))
                let reader = try open()
                #expect(reader.snapshot().sequence == 2)
                reader.close()
                disk.clearFaults()
                #expect(try writer.context.slots.held() == [2])
            }
            disk.inject(DiskFault([.lock], errno: DiskError.inputOutput))
            #expect(throws: StoreError.self) { try open() }
        }
    }

    /// Runs with a store of two commits open for writing, and a closure that opens it for reading.
    private func onFaultyDisk(
        _ body: (TimeSeriesStore, FaultyDisk, () throws -> TimeSeriesStore) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        let disk = try FaultyDisk(MemoryDisk())
        var options = StoreOptions()
        options.disk = disk
        options.catalogPath = directory.file("catalog.sqlite")
        let writer = try TimeSeriesStore.create(at: "/store", options: options)
        defer { writer.close() }
        let series = try writer.series("pulse", kind: .discrete)
        try writer.append(to: series.id, [Sample(start: 1, value: 1)])
        try body(writer, disk) { try TimeSeriesStore.open(at: "/store", mode: .readOnly, options: options) }
    }
}
