// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 a commit whose sync failed: the state seen after reopening survives a power cut")
struct UnknownOutcomeTests {
    private static let note = SimulatedStore.path + "/DOUBT"

    private func store(_ disk: FaultyDisk) throws -> SimulatedStore {
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        try simulated.perform(.append("pulse", [Sample(start: 0, value: 1)]))
        return simulated
    }

    /// Appends a sample while the sync of the log fails.
    private func failAppend(_ simulated: SimulatedStore, _ disk: FaultyDisk) {
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal"))
        let error = #expect(throws: StoreError.self) {
            try simulated.perform(.append("pulse", [Sample(start: 1, value: 2)]))
        }
        #expect(error?.kind == .outcomeUnknown)
    }

    /// Requires that no power cut changes the content of an open store.
    private func requireDurable(_ simulated: SimulatedStore, _ disk: FaultyDisk) throws {
        let seen = try simulated.digest()
        for seed in 0..<40 as Range<UInt64> {
            let after = try SimulatedStore(try disk.crash(seed: seed, seed == 0 ? .loseAll : .any))
            try after.open()
            #expect(try after.digest() == seen, "seed \(seed)")
        }
    }

    @Test("A failed sync leaves a mark; the next writer makes the log durable and removes the mark")
    func failedSync() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        failAppend(simulated, disk)
        #expect(try disk.exists(Self.note))
        // The disk works again; the writer of unknown state refuses commits, and reads continue.
        let refused = #expect(throws: StoreError.self) {
            try simulated.perform(.append("pulse", [Sample(start: 2, value: 3)]))
        }
        #expect(refused?.kind == .writerFailed)
        let pulse = try simulated.opened().snapshot().series[0].id
        let seenByWriter = try simulated.opened().snapshot().all(pulse)
        #expect(seenByWriter == [Sample(start: 0, value: 1)])
        try simulated.withReader { reader in
            let seen = try reader.snapshot().all(pulse)
            #expect(seen.first == Sample(start: 0, value: 1))
        }
        try simulated.open()
        #expect(try !disk.exists(Self.note))
        try requireDurable(simulated, disk)
    }

    @Test("A shared opening makes a commit of unknown outcome durable before it shows it")
    func sharedOpening() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        failAppend(simulated, disk)
        simulated.close()
        // The opening fails if it cannot make the log durable.
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal", forever: true))
        #expect(throws: StoreError.self) { try simulated.open(.shared) }
        disk.clearFaults()
        try simulated.open(.shared)
        #expect(try !disk.exists(Self.note))
        try requireDurable(simulated, disk)
        // Another opening can write at once.
        try TimeSeriesStore.open(at: SimulatedStore.path, options: simulated.options).close()
    }

    @Test("A shared opening does not wait for a writer that has settled the log, and settles it on demand")
    func sharedBesideWriter() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        simulated.options.writerWait = .milliseconds(20)
        try disk.createFile(Self.note, [])
        let beside = try TimeSeriesStore.open(at: SimulatedStore.path, mode: .shared, options: simulated.options)
        defer { beside.close() }
        #expect(beside.snapshot().count(of: try #require(beside.snapshot().series.first).id) == 1)
        try beside.settle()
        #expect(try disk.exists(Self.note))
        simulated.close()
        try beside.settle()
        #expect(try !disk.exists(Self.note))
        let reader = try TimeSeriesStore.open(at: SimulatedStore.path, mode: .readOnly, options: simulated.options)
        defer { reader.close() }
        let error = #expect(throws: StoreError.self) { try reader.settle() }
        #expect(error?.kind == .readOnly)
    }

    @Test("A sync that fails during an opening for writing leaves a mark too")
    func failedOpening() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        simulated.close()
        let catalog = SimulatedStore.path + "/kymograph.sqlite"
        let earlier = try disk.contents(of: catalog, limit: 1 << 24)
        try simulated.open()
        try simulated.perform(.append("pulse", [Sample(start: 1, value: 2)]))
        simulated.close()
        try disk.remove(catalog)
        try disk.createFile(catalog, earlier)
        // Accepting the loss begins an epoch, which is committed before the writer exists.
        simulated.options.acceptsLostCommits = true
        disk.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal"))
        let error = #expect(throws: StoreError.self) { try simulated.open() }
        #expect(error?.kind == .inputOutput || error?.kind == .outcomeUnknown)
        #expect(try disk.exists(Self.note))
        try simulated.open()
        #expect(try !disk.exists(Self.note))
        let seen = try simulated.digest()
        for seed in 0..<40 as Range<UInt64> {
            let after = try SimulatedStore(try disk.crash(seed: seed, seed == 0 ? .loseAll : .any))
            after.options.acceptsLostCommits = true
            try after.open()
            #expect(try after.digest() == seen, "seed \(seed)")
        }
    }

    @Test(
        "A power cut during a failed rewrite of the log loses nothing",
        arguments: 0..<8)
    func interrupted(_ failing: Int) throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        // Everything is durable; only the mark says otherwise.
        try simulated.perform(.append("pulse", [Sample(start: 1, value: 2)]))
        let seen = try simulated.digest()
        try disk.createFile(Self.note, [])
        let image = try disk.crash(seed: 1, .keepAll)
        let next = try FaultyDisk(image)
        let doubtful = try SimulatedStore(next)
        let kinds: Set<DiskCallKind> = failing % 2 == 0 ? [.sync] : [.write, .remove, .syncDirectory]
        next.inject(DiskFault(kinds, nth: 1 + failing / 2, forever: true))
        #expect(throws: StoreError.self) { try doubtful.open() }
        for seed in 0..<30 as Range<UInt64> {
            let after = try SimulatedStore(try next.crash(seed: seed, .any))
            try after.open()
            #expect(try after.digest() == seen, "seed \(seed)")
            #expect(try !after.options.disk.exists(SimulatedStore.path + "/kymograph.sqlite-wal-copy"))
        }
    }

    @Test("A copy of the log left by a failed sync is not trusted if a power cut interrupts the rewrite")
    func copyThatIsNotDurable() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.append("pulse", [Sample(start: 1, value: 2)]))
        let seen = try simulated.digest()
        try disk.createFile(Self.note, [])
        let next = try FaultyDisk(disk.crash(seed: 1, .keepAll))
        next.inject(DiskFault([.sync, .remove], pathSuffix: "-wal-copy", forever: true))
        #expect(throws: StoreError.self) { try SimulatedStore(next).open() }
        // The copy exists and appears complete; the next writer fails when it writes the log.
        next.clearFaults()
        #expect(try next.exists(SimulatedStore.path + "/kymograph.sqlite-wal-copy"))
        next.inject(DiskFault([.sync], pathSuffix: "kymograph.sqlite-wal", forever: true))
        #expect(throws: StoreError.self) { try SimulatedStore(next).open() }
        for seed in 0..<60 as Range<UInt64> {
            let after = try SimulatedStore(try next.crash(seed: seed, .any))
            try after.open()
            #expect(try after.digest() == seen, "seed \(seed)")
            for name in ["copy", "copy2"] {
                #expect(try !after.options.disk.exists(SimulatedStore.path + "/kymograph.sqlite-wal-" + name))
            }
        }
    }

    @Test("A reader that finds a torn log and a complete copy requires a writer, which restores everything")
    func tornLog() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        let seen = try simulated.digest()
        try disk.createFile(Self.note, [])
        let next = try FaultyDisk(disk.crash(seed: 1, .keepAll))
        next.inject(DiskFault([.write], pathSuffix: "kymograph.sqlite-wal", forever: true))
        #expect(throws: StoreError.self) { try SimulatedStore(next).open() }
        let left = try next.crash(seed: 1, .keepAll)
        #expect(try left.exists(SimulatedStore.path + "/kymograph.sqlite-wal-copy"))
        let log = try left.open(SimulatedStore.path + "/kymograph.sqlite-wal", writable: true)
        try log.write([UInt8](repeating: 0xA5, count: 4_096), at: 0)
        try log.close()
        let torn = try SimulatedStore(left)
        let error = #expect(throws: StoreError.self) { try torn.open(.readOnly) }
        #expect(error?.kind == .readOnly)
        try torn.open()
        #expect(try torn.digest() == seen)
        try torn.open(.readOnly)
        #expect(try torn.digest() == seen)
    }

    @Test("A log that lacks the last commits of its copy, without a witness, is restored before it is read")
    func shortLog() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        for second in 1..<30 as Range<Int64> {
            try simulated.perform(.append("pulse", [Sample(start: second, value: 2)]))
        }
        let seen = try simulated.digest()
        try disk.createFile(Self.note, [])
        let next = try FaultyDisk(disk.crash(seed: 1, .keepAll))
        next.inject(DiskFault([.write], pathSuffix: "kymograph.sqlite-wal", forever: true))
        #expect(throws: StoreError.self) { try SimulatedStore(next).open() }
        for mode in [OpenMode.readOnly, .shared] {
            let left = try next.crash(seed: 1, .keepAll)
            let log = try left.open(SimulatedStore.path + "/kymograph.sqlite-wal", writable: true)
            let bytes = Int(try log.size())
            try log.write([UInt8](repeating: 0, count: bytes / 2), at: UInt64(bytes - bytes / 2))
            try log.close()
            try left.remove(SimulatedStore.path + "/WITNESS")
            let torn = try SimulatedStore(left)
            if mode == .readOnly {
                let error = #expect(throws: StoreError.self) { try torn.open(.readOnly) }
                #expect(error?.kind == .readOnly)
                try torn.open()
            } else {
                try torn.open(mode)
            }
            #expect(try torn.digest() == seen)
            torn.close()
        }
    }

    @Test("A long log is rewritten on a real disk, from itself and from a copy if torn")
    func longLog() throws {
        let test = try TestStore()
        let a = try test.store.series("a", kind: .discrete).id
        var random = SeededGenerator(seed: 3)
        for i in 0..<60 as Range<Int64> {
            let samples = (0..<800 as Range<Int64>).map { j in
                Sample(start: i * 1_000 + j, value: Double(random.number(in: 0...1_000_000_000)) / 7)
            }
            try test.store.append(to: a, samples)
        }
        let answer = try test.store.snapshot().all(a)
        let image = try StoreImage(test.path)
        #expect(image.log.count > 300_000)
        var torn = image
        torn.log = Array(image.log.prefix(200_000))
        let length = unsafe withUnsafeBytes(of: UInt64(image.log.count).littleEndian) { unsafe Array($0) }
        let sum = unsafe withUnsafeBytes(of: CatalogVFS.checksum(image.log).littleEndian) { unsafe Array($0) }
        torn.files[StoreImage.log + "-copy"] = Array("KymoCopy".utf8) + length + sum + image.log
        for var one in [image, torn] {
            let place = try TemporaryDirectory()
            try FileManager.default.createDirectory(
                atPath: place.file("store/segments"), withIntermediateDirectories: true)
            one.files["DOUBT"] = []
            try one.lay(place.file("store"))
            let store = try TimeSeriesStore.open(at: place.file("store"))
            #expect(try store.snapshot().all(try #require(store.snapshot().series.first).id) == answer)
            store.close()
        }
    }

    @Test("Without a failed sync the log is not rewritten, which would risk durable data")
    func soundLog() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        let image = try disk.crash(seed: 1, .keepAll)
        let next = try FaultyDisk(image)
        let reopened = try SimulatedStore(next)
        try reopened.open()
        #expect(next.trace.allSatisfy { !($0.kind == .write && $0.path.hasSuffix("-wal")) })
        #expect(try reopened.digest() == simulated.digest())
    }
}
