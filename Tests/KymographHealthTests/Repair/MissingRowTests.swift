// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import HealthCatalog
import Kymograph
import TestSupport
import Testing

@testable import KymographHealth

@Suite("H-1 X-3 a missing row of the health tables is an error, never a partial answer")
struct MissingRowTests {
    private let test: TestHealthStore
    private let wanted: [TestSample]

    /// Loads the steps of the first of two sources; each source has a device.
    init() throws {
        test = try TestHealthStore()
        wanted = ["Phone", "Watch of later"].enumerated().flatMap { number, source in
            (0..<40).map { hours in
                TestSample(
                    source: source, version: "1", device: "device \(number)", start: newYear + Int64(hours) * hour,
                    end: newYear + Int64(hours) * hour + second, value: Double(hours + number))
            }
        }
        try test.store.load(wanted.filter { $0.source == "Phone" })
    }

    private func loadRest() throws { try test.store.load(wanted.filter { $0.source != "Phone" }) }

    private func run(_ sql: String) throws {
        try test.store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in try transaction.run(sql) }
            return batch
        }
        try test.reopen()
    }

    /// Expects that every request throws an error of kind `corrupt` that contains a text, and that `verify` reports it.
    private func expectReported(_ words: String) throws {
        let type = HealthTypes.type(for: "HKQuantityTypeIdentifierStepCount")
        let questions: [(String, (HealthStore) throws -> Void)] = [
            ("types", { _ = try $0.types() }),
            ("samples", { _ = try $0.samples(SampleRequest(type)) }),
            ("sources", { _ = try $0.sources() }),
        ]
        for (name, ask) in questions {
            let error = #expect(throws: HealthStoreError.self, "\(name)") { try ask(test.store) }
            #expect(error?.kind == .corrupt && error?.message.contains(words) == true, "\(name): \(error as Any)")
        }
        let report = try test.store.verify()
        #expect(report.problems.contains { $0.contains(words) }, "\(report.problems)")
    }

    @Test("A series without its row is named in the error; a repair restores the row from the series' labels")
    func series() throws {
        try loadRest()
        #expect(try test.store.all().counts == wanted.counts)
        try run("DELETE FROM health_series WHERE source=2")
        try expectReported("HKQuantityTypeIdentifierStepCount")
        test.store.close()
        let target = test.directory.file("repaired")
        try HealthStore.repair(from: test.directory.file("store"), to: target)
        let store = try HealthStore.open(at: target)
        defer { store.close() }
        #expect(try store.all().counts == wanted.counts)
    }

    @Test("A source that was lost with the last write of its page is named in the error", .ofPlainStores)
    func source() throws {
        let disk = RealDisk()
        let path = test.directory.file("store") + "/kymograph.sqlite"
        try test.reopen()
        test.store.close()
        let old = try disk.contents(of: path, limit: 1 << 26)
        try test.reopen()
        try loadRest()
        test.store.close()
        var new = try disk.contents(of: path, limit: 1 << 26)
        let name = Array("Watch of later".utf8)
        let pages = stride(from: 0, to: min(old.count, new.count), by: 4_096).filter { at in
            new[at..<at + 4_096].contains(name) && !old[at..<at + 4_096].contains(name)
        }
        let page = try #require(pages.first)
        #expect(pages.count == 1)
        new.replaceSubrange(page..<page + 4_096, with: old[page..<page + 4_096])
        try disk.remove(path)
        try disk.createFile(path, new)
        try test.reopen()
        try expectReported("source 2")
    }

    @Test("Samples without their provenance are an error, not samples without a source")
    func provenance() throws {
        try loadRest()
        try run("DELETE FROM provenance WHERE source=2")
        let type = HealthTypes.type(for: "HKQuantityTypeIdentifierStepCount")
        let error = #expect(throws: HealthStoreError.self) { try test.store.samples(SampleRequest(type)) }
        #expect(error?.kind == .corrupt && error?.message.contains("provenance 2") == true)
    }

    @Test("A missing device is named in the error")
    func device() throws {
        try loadRest()
        let view = try test.store.view()
        var rows = view.tables.rows
        #expect(HealthTables(rows, of: view.snapshot).gap == nil)
        rows.devices.removeLast()
        #expect(HealthTables(rows, of: view.snapshot).gap?.contains("device 2") == true)
    }
}
