// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("Failing calls and crashes in operations on encrypted stores")
struct EncryptedFaultTests {
    /// The operations. Each can be repeated on the same disk.
    enum Operation: String, CaseIterable {
        case verifyWithoutKey, exportKeys, restoreKeys, encryptInPlace, backUpAgain, verifyBackup
        case verifyBackupWithoutManifest
    }

    private static let backup = SimulatedStore.path + "-backup"
    private static let former = SimulatedStore.path + ".former"
    private let key: KeyOnce
    /// A store as a killed writer leaves it, and a backup of it in which one copy of the keys is damaged.
    private let image: MemoryDisk
    /// The sound copy of the keys in the backup.
    private let keys: String

    init() throws {
        key = KeyOnce(try EncryptedScratch.secret(3))
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        simulated.options.key = key
        try simulated.create()
        let store = try simulated.opened()
        let id = try store.series("pulse", kind: .discrete).id
        try store.load((0..<300 as Range<Int64>).map { Sample(start: $0 * second, value: 1) }, to: id)
        for start in 300..<310 as Range<Int64> { try store.append(to: id, [Sample(start: start * second, value: 1)]) }
        try store.backup(to: Self.backup)
        let names = try disk.list(Self.backup).filter { BackupManifest.isKeys($0[...]) }
        let name = try #require(names.min())
        keys = Self.backup + "/" + (try #require(names.max()))
        try disk.remove(Self.backup + "/" + name)
        try disk.createFile(Self.backup + "/" + name, [1, 2, 3])
        image = try disk.crash(seed: 1, .keepAll)
    }

    /// A copy of the disk, and a store on it.
    private func begin(_ operation: Operation, _ image: MemoryDisk) throws -> (disk: FaultyDisk, store: SimulatedStore)
    {
        let disk = try FaultyDisk(MemoryDisk(directories: image.directories, files: image.files))
        if operation == .verifyBackupWithoutManifest { try disk.remove(Self.backup + "/" + BackupManifest.name) }
        let simulated = try SimulatedStore(disk)
        simulated.options.key = key
        return (disk, simulated)
    }

    private func run(_ operation: Operation, _ store: SimulatedStore) throws {
        let (path, options) = (SimulatedStore.path, store.options)
        switch operation {
        case .verifyWithoutKey: _ = try TimeSeriesStore.verifyWithoutKey(at: path, options: options)
        case .exportKeys:
            if try store.disk.exists("/exported") { try store.disk.remove("/exported") }
            try TimeSeriesStore.exportKeys(of: path, to: "/exported", options: options)
        case .restoreKeys:
            try TimeSeriesStore.restoreKeys(of: path, from: keys, options: options)
        case .encryptInPlace:
            try TimeSeriesStore.encrypt(at: path, keepingFormerAt: Self.former, key: key, options: options)
        case .backUpAgain:
            defer { store.close() }
            try store.open(.readOnly)
            try store.opened().backup(to: Self.backup)
        case .verifyBackup, .verifyBackupWithoutManifest:
            _ = try TimeSeriesStore.verifyBackup(at: Self.backup, options: options)
        }
    }

    /// Expects that the store is as before, and that a backup made now is sound.
    ///
    /// - Parameter isCrash: whether the operation was cut off. Only then may the store have its second name alone,
    ///   between the two changes of names.
    private func expectSound(_ disk: FaultyDisk, isCrash: Bool, _ note: String) throws {
        if isCrash, try !disk.exists(SimulatedStore.path) {
            try disk.rename(Self.former, to: SimulatedStore.path)
        }
        let store = try SimulatedStore(disk)
        store.options.key = key
        let keyless = try TimeSeriesStore.verifyWithoutKey(at: SimulatedStore.path, options: store.options)
        #expect(keyless.isSound, "\(note)")
        try store.open()
        #expect(try store.opened().verify().isSound, "\(note)")
        let id = try #require(try store.opened().snapshot().series.first).id
        #expect(try store.opened().snapshot().count(of: id) == 310, "\(note)")
        // A store with new keys needs a new backup.
        let place = try disk.exists(Self.former) ? Self.backup + "-new" : Self.backup
        try store.opened().backup(to: place)
        store.close()
        #expect(try TimeSeriesStore.verifyBackup(at: place, options: store.options).isSound, "\(note)")
    }

    @Test("each call fails once: the error is typed, and nothing is lost", arguments: Operation.allCases)
    func faults(operation: Operation) throws {
        var failed = 0
        for nth in 1...5_000 {
            let (disk, store) = try begin(operation, image)
            disk.inject(DiskFault(Set(DiskCallKind.allCases), nth: nth))
            do { try run(operation, store) } catch let error as StoreError {
                failed += 1
                #expect(error.path != nil, "call \(nth): \(error)")
            } catch is DiskError where operation == .exportKeys {}
            let isOver = !disk.trace.contains { $0.errno != 0 }
            disk.clearFaults()
            store.close()
            try expectSound(disk, isCrash: false, "\(operation), call \(nth)")
            if isOver { break }
        }
        #expect(failed > 0)
    }

    @Test(
        "a crash before any change leaves the store and a backup",
        arguments: [Operation.exportKeys, .backUpAgain, .restoreKeys, .encryptInPlace])
    func crashes(operation: Operation) throws {
        for count in 0..<2_000 {
            let (disk, store) = try begin(operation, image)
            disk.stop(afterMutations: count)
            var isOver = false
            do {
                try run(operation, store)
                isOver = true
            } catch {}
            store.close()
            for model in [CrashModel.keepAll, .loseAll] {
                let image = try FaultyDisk(disk.crash(seed: UInt64(count), model))
                try expectSound(image, isCrash: true, "\(operation), \(count), \(model)")
            }
            if isOver { break }
        }
    }
}
