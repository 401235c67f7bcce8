// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("T-5 repair of saved objects that decompress but cannot be decoded")
struct RecordRepairTests {
    private let types: [HKSampleType] = [
        heartRate, HKSeriesType.heartbeat(), HKCorrelationType(.bloodPressure), HKQuantityType(.bloodPressureSystolic),
        HKObjectType.electrocardiogramType(), HKObjectType.workoutType(),
    ]

    private func count(_ type: HKSampleType, _ store: HealthStore) throws -> Int {
        var count = 0
        try store.search(SampleSearch(type: type, predicate: .always(true))) {
            count += $0.samples.count
            return true
        }
        return count
    }

    /// Replaces the body of the only object of a kind.
    private func damage(_ kind: SavedObjectKind, _ body: [UInt8], _ store: HealthStore) throws {
        let all = try store.catalog([SavedObjectRow]()) { transaction in
            var all = [SavedObjectRow]()
            try HealthCatalog.eachSavedObject(transaction) { all.append($0) }
            return all
        }
        var row = try #require(all.first { $0.kind == kind.rawValue })
        row.body = body
        let (id, new) = (row.id, row)
        try store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in try HealthCatalog.retire(savedObjects: [id], transaction) }
            return batch
        }
        try store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in
                try transaction.run("DELETE FROM health_object WHERE died IS NOT NULL")
                try HealthCatalog.insert([new], transaction)
            }
            return batch
        }
    }

    @Test(
        "the report names the object as lost, a quantity series is rebuilt, and every type can be searched",
        arguments: [SavedObjectKind.correlation, .quantitySeries, .heartbeatSeries, .electrocardiogram, .workout])
    func unreadable(kind: SavedObjectKind) async throws {
        let door = try TestDoor()
        let series = try await door.series([60, 61, 62], from: 0)
        try await door.health.save(bloodPressure(120, 80, at: 5))
        try await door.recordings()
        let store = try door.health.store()
        // A version, and a length that exceeds the remaining bytes.
        try damage(kind, ObjectCompressor.plain([1, 100]), store)
        #expect(try !store.verify().isSound)
        door.health.close()

        let target = door.directory.file("repaired")
        let report = try HealthStore.repair(from: door.directory.file("store"), to: target)
        #expect(!report.isComplete && report.losses.count == 1, "\(report.losses)")
        #expect(report.losses.first?.message.contains("of kind \(kind.rawValue) cannot be read") == true)
        #expect(report.losses.first?.range != nil)
        let repaired = try HealthStore.open(at: target)
        defer { repaired.close() }
        let found = try types.map { try count($0, repaired) }
        let (beats, pressures) = (kind == .heartbeatSeries ? 0 : 1, kind == .correlation ? 0 : 1)
        #expect(found == [1, beats, pressures, 1, kind == .electrocardiogram ? 0 : 1, kind == .workout ? 0 : 1])
        let check = try repaired.verify()
        #expect(check.isSound, "\(check.problems) \(check.engine.problems)")
        if kind != .quantitySeries { return }
        #expect(report.remarks.contains { $0.contains("were restored") })
        var samples = [HKSample]()
        try repaired.search(SampleSearch(type: heartRate, predicate: .always(true))) {
            samples += $0.samples
            return true
        }
        let sample = try #require(samples.first as? HKQuantitySample)
        #expect(sample.count == 3 && sample.quantity == series.quantity)
    }

    @Test("readable objects stay, whatever their kind")
    func sound() async throws {
        let door = try TestDoor()
        try await door.series([60, 61, 62], from: 0)
        try await door.health.save(bloodPressure(120, 80, at: 5))
        let store = try door.health.store()
        // An object of an unknown kind only has to decompress.
        let unknown = SavedObjectRow(
            id: 9, uuid: [UInt8](repeating: 7, count: 16), kind: 99, type: "HKOfLaterType", provenance: 1, metadata: 0,
            start: 0, end: 1, created: nil, body: ObjectCompressor.plain([250]))
        try store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in try HealthCatalog.insert([unknown], transaction) }
            return batch
        }
        door.health.close()
        let target = door.directory.file("repaired")
        let report = try HealthStore.repair(from: door.directory.file("store"), to: target)
        #expect(report.isComplete && report.remarks.isEmpty, "\(report.losses) \(report.remarks)")
        let repaired = try HealthStore.open(at: target)
        defer { repaired.close() }
        let kinds = try repaired.catalog([Int64]()) { transaction in
            var kinds = [Int64]()
            try HealthCatalog.eachSavedObject(transaction) { kinds.append($0.kind) }
            return kinds
        }
        #expect(kinds == [2, 1, 99])
        #expect(try report.objects == 3 && repaired.verify().objects == 3)
    }
}
