// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 backups and restorations on a failing disk: the result after an error is durable or ignored")
struct BackupFaultTests {
    private static let place = SimulatedStore.path + "-backup"
    private static let restored = SimulatedStore.path + "-restored"

    private func store(_ disk: FaultyDisk) throws -> SimulatedStore {
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        try load(0, simulated)
        return simulated
    }

    private func load(_ piece: Int, _ simulated: SimulatedStore) throws {
        let samples = (0..<300).map { Sample(start: Int64(piece * 1_000 + $0) * second, value: Double($0)) }
        try simulated.perform(.load([("pulse", samples)]))
    }

    /// Returns the digests that the backup restores to after crashes of these models; nil for no backup.
    private func shown(_ disk: FaultyDisk, _ models: [CrashModel]) throws -> Set<UInt64?> {
        var found: Set<UInt64?> = []
        for (seed, model) in models.enumerated() {
            let image = try SimulatedStore(disk.crash(seed: UInt64(seed), model))
            found.insert(try image.restoredDigest())
        }
        return found
    }

    @Test(
        "A second backup with a failing sync leaves the earlier backup or itself; a retry is durable", arguments: 1...5)
    func again(_ failing: Int) throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.backup)
        let earlier = try simulated.digest()
        try load(1, simulated)
        let now = try simulated.digest()
        disk.inject(DiskFault([.syncDirectory], nth: failing))
        #expect(throws: StoreError.self) { try simulated.perform(.backup) }
        #expect(
            try shown(disk, [.keepAll, .loseAll] + Array(repeating: .any, count: 30)).isSubset(of: [earlier, now]))
        try simulated.perform(.backup)
        #expect(try shown(disk, [.loseAll] + Array(repeating: .any, count: 30)) == [now])
    }

    @Test("A first backup with a failing sync does not block the next one, which is durable", arguments: 1...6)
    func first(_ failing: Int) throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        let now = try simulated.digest()
        disk.inject(DiskFault([.syncDirectory], nth: failing))
        #expect(throws: StoreError.self) { try simulated.perform(.backup) }
        for seed in 0..<30 as Range<UInt64> {
            let image = try SimulatedStore(disk.crash(seed: seed, .any))
            try image.open()
            try image.perform(.backup)
            #expect(try image.restoredDigest() == now)
        }
        try simulated.perform(.backup)
        #expect(try shown(disk, [.loseAll] + Array(repeating: .any, count: 30)) == [now])
    }

    @Test("A full disk during the check of a backup is reported as full, not as damage")
    func fullWhileChecking() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        disk.inject(DiskFault([.map], pathSuffix: ".kseg.new", errno: DiskError.noSpace))
        let error = #expect(throws: StoreError.self) { try simulated.perform(.backup) }
        #expect(error?.kind == .diskFull)
    }

    @Test(
        "A restored store whose name was not synced is durable after its first opening for writing",
        arguments: [
            DiskFault([.rename], pathSuffix: "-restored/kymograph.sqlite.new", effect: .everything),
            DiskFault([.syncDirectory], pathSuffix: "-restored"),
        ])
    func unsyncedName(_ fault: DiskFault) throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.backup)
        let options = simulated.options
        disk.inject(fault)
        #expect(throws: StoreError.self) {
            try TimeSeriesStore.restore(from: Self.place, to: Self.restored, options: options)
        }
        let store = try TimeSeriesStore.open(at: Self.restored, options: options)
        try store.series("afterwards", kind: .discrete)
        store.close()
        let image = try SimulatedStore(disk.crash(seed: 0, .loseAll))
        let after = try TimeSeriesStore.open(at: Self.restored, options: image.options)
        #expect(after.snapshot().series.map(\.name) == ["pulse", "afterwards"])
        after.close()
    }

    @Test("A restoration whose final rename has an unknown outcome leaves nothing, and the next one succeeds")
    func unknownMove() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.backup)
        let now = try simulated.digest()
        for fault in [
            DiskFault([.rename], pathSuffix: ".partial", effect: .everything),
            DiskFault([.syncDirectory], pathSuffix: "/", nth: 2),
        ] {
            disk.inject(fault)
            #expect(throws: StoreError.self) { try simulated.restoredDigest() }
            #expect(try !disk.exists(Self.restored) && !disk.exists(Self.restored + ".partial"), "\(fault)")
            disk.clearFaults()
        }
        #expect(try simulated.restoredDigest() == now)
    }

    /// Crashes before each change that `body` makes, and returns the stores left.
    private func crashes(
        _ disk: FaultyDisk, _ models: [CrashModel], _ body: () throws -> Void
    ) rethrows -> [SimulatedStore] {
        let images = Mutex<[MemoryDisk]>([])
        disk.observe { _, _ in
            for model in models {
                images.withLock { images in
                    if let image = try? disk.crash(seed: UInt64(images.count), model) { images.append(image) }
                }
            }
        }
        defer { disk.observe(nil) }
        try body()
        return images.withLock { $0 }.compactMap { try? SimulatedStore($0) }
    }

    @Test("Wherever a restoration stops, the store is complete, or the next one to the same place succeeds")
    func restorationStops() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.backup)
        let now = try simulated.digest()
        let stops = try crashes(disk, [.keepAll, .any]) { _ = try simulated.restoredDigest() }
        #expect(stops.count > 60)
        var (isWhole, isLeft) = (0, 0)
        for (number, left) in stops.enumerated() {
            if try left.disk.exists(Self.restored + "/kymograph.sqlite") {
                let store = try TimeSeriesStore.open(at: Self.restored, options: left.options)
                #expect(try SimulatedStore.digest(of: store) == now && store.verify().problems.isEmpty, "\(number)")
                store.close()
                isWhole += 1
            } else {
                if try left.disk.exists(Self.restored + ".partial/RESTORE") { isLeft += 1 }
                #expect(try left.restoredDigest() == now, "\(number)")
                #expect(try !left.disk.exists(Self.restored + "/RESTORE"), "\(number)")
            }
            #expect(try !left.disk.exists(Self.restored + ".partial"), "\(number)")
        }
        #expect(isWhole > 3 && isLeft > 20)
        #expect(try !disk.exists(Self.restored + "/RESTORE") && !disk.exists(Self.restored + ".partial"))
    }

    @Test("A complete backup without its name stays complete at every moment of the next one, which continues it")
    func unnamed() throws {
        let disk = try FaultyDisk()
        let simulated = try store(disk)
        try simulated.perform(.backup)
        let earlier = try simulated.digest()
        try disk.rename(Self.place, to: Self.place + ".partial")
        try disk.syncDirectory("/")
        try load(1, simulated)
        let now = try simulated.digest()
        let stops = try crashes(disk, [.keepAll, .any]) {
            let report = try simulated.opened().backup(to: Self.place)
            #expect(report.segmentsCopied < report.segments)
        }
        #expect(try !disk.exists(Self.place + ".partial") && simulated.restoredDigest() == now)
        #expect(stops.count > 20)
        for (number, left) in stops.enumerated() {
            var found = try left.restoredDigest()
            if found == nil {
                try TimeSeriesStore.restore(from: Self.place + ".partial", to: "/beside", options: left.options)
                let store = try TimeSeriesStore.open(at: "/beside", options: left.options)
                found = try SimulatedStore.digest(of: store)
                store.close()
            }
            #expect(found == earlier || found == now, "\(number)")
        }
    }
}
