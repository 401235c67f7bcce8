// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import HealthCatalog
import Kymograph
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-5 a repair that rebuilds series of a health store completes or leaves no store")
struct RepairFailureTests {
    @Test("A full disk while a lost series is rebuilt leaves no new store", .ofPlainStores)
    func fullDisk() throws {
        let disk = try FaultyDisk()
        let databases = try DiskDatabases(disk)
        let name = databases.name + "-checked"
        try CatalogVFS.register(name, over: databases.name)
        defer { CatalogVFS.unregister(name) }
        var options = StoreOptions()
        options.disk = disk
        options.catalogVFS = name
        let store = try HealthStore.openOrCreate(at: "/old", options: options)
        try store.load(
            (0..<2_000).map { (i: Int) -> TestSample in
                var sample = TestSample(start: newYear + Int64(i) * hour, end: newYear + Int64(i) * hour)
                sample.note = "note number \(i) of many, so that the table has pages"
                return sample
            })
        store.close()
        // A page after the pages of the schema.
        let file = try disk.open("/old/kymograph.sqlite", writable: true)
        let pages = try file.size() / 4_096
        try file.write([UInt8](repeating: 0xA5, count: 4_096), at: (pages - 3) * 4_096)
        try file.close()
        disk.inject(DiskFault([.create], pathSuffix: "/new/WITNESS.new", errno: DiskError.noSpace))
        do {
            _ = try HealthStore.repair(from: "/old", to: "/new", options: options)
            Issue.record("the repair on a full disk succeeded")
        } catch {
            #expect(error.kind == .engine(.diskFull))
        }
        #expect(try !disk.exists("/new"))
        disk.clearFaults()
        let report = try HealthStore.repair(from: "/old", to: "/new", options: options)
        #expect(!report.isComplete || !report.remarks.isEmpty)
        #expect(try disk.list("/new") == ["LOCK", "WITNESS", "kymograph.sqlite", "segments"])
        let repaired = try HealthStore.open(at: "/new", options: options)
        defer { repaired.close() }
        #expect(try repaired.verify().isSound)
    }

    @Test("The greatest possible number of a metadata set does not make a repair fail", .ofPlainStores)
    func greatestMetadata() throws {
        let test = try TestHealthStore()
        try test.store.load(
            (0..<2_000).map { (i: Int) -> TestSample in
                var sample = TestSample(start: newYear + Int64(i) * hour, end: newYear + Int64(i) * hour)
                sample.note = "note number \(i) of many, so that the table has pages"
                return sample
            })
        test.store.close()
        let path = test.directory.file("store") + "/kymograph.sqlite"
        let sound = try RealDisk().contents(of: path, limit: 1 << 26)
        var placeholders = 0
        for page in 2..<min(sound.count / 4_096, 40) {
            // Leaf pages of tables.
            guard sound[page * 4_096] == 13 else { continue }
            var bytes = sound
            for i in page * 4_096..<(page + 1) * 4_096 { bytes[i] ^= 0x55 }
            try RealDisk().remove(path)
            try RealDisk().createFile(path, bytes)
            let target = test.directory.file("repaired \(page)")
            _ = try TimeSeriesStore.repair(from: test.directory.file("store"), to: target, options: StoreOptions()) {
                old, new in
                guard let catalog = old.catalog else { return }
                let salvage = HealthSalvage(
                    catalog, into: new,
                    HealthSalvage.Tests(
                        isMetadata: { _ in true }, isBody: { _, _ in true }, isRecord: { _, _ in true },
                        isSession: { _ in true }, isSessionPart: { _ in true }, isAttachment: { _ in true }),
                    files: [:], placeholder: { Array("\($0)".utf8) })
                // Simulates a sample with the greatest number of a metadata set.
                let found = try salvage.run(old.series, highestMetadata: .max, provenances: old.provenances)
                if found.remarks.contains(where: { $0.contains("marked as lost") }) { placeholders += 1 }
            }
            if placeholders > 0 { break }
        }
        #expect(placeholders > 0)
    }
}
