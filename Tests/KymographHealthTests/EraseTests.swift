// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("E-6 S-41 a compaction erases what was deleted")
struct EraseTests {
    /// A correlation, a series, heartbeats and an electrocardiogram from a second on.
    private func all(_ door: TestDoor, from second: Double) async throws -> [HKSample] {
        let members = [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)].map {
            HKQuantitySample(
                type: $0, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 100), start: at(second),
                end: at(second))
        }
        let pressure = HKCorrelation(
            type: HKCorrelationType(.bloodPressure), start: at(second), end: at(second), objects: Set(members),
            metadata: ["note": "n\(second)"])
        try await door.health.save(pressure)
        let series = try await door.series([60, 61, 62], from: second, ["note": "s\(second)"])
        let heart = HKHeartbeatSeriesBuilder(healthStore: door.health, device: nil, start: at(second))
        for beat in [0.5, 1.25, 2] { try await heart.addHeartbeat(at: beat, precededByGap: false) }
        let beats = try await heart.finishSeries()
        let builder = HealthElectrocardiogramBuilder(
            healthStore: door.health, device: nil, start: at(second),
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try builder.append(voltages: [0.5, 0.25], unit: .voltUnit(with: .milli))
        return [pressure, series, beats, try await builder.finish(classification: .sinusRhythm)]
    }

    /// What is left of what died.
    private func dead(_ store: HealthStore) throws -> [HealthObjectRow] {
        try store.catalog([]) { try HealthCatalog.deadHealthObjects(upTo: .max, after: 0, limit: 99, $0) }
    }

    private func isErased(_ row: HealthObjectRow) throws -> Bool {
        if row.metadata != 0 { return false }
        switch HealthRecordKind(rawValue: row.kind) {
        case .correlation: return try CorrelationBody(row.body).members.isEmpty
        case .quantitySeries:
            let record = try QuantitySeriesRecord(row.body)
            return record.summary.sum.isNaN && record.summary.mostRecent.isNaN && record.summary.count == 3
        case .heartbeatSeries: return try HeartbeatRecord(row.body).beats.isEmpty
        case .electrocardiogram: return try ElectrocardiogramRecord(row.body).leads.isEmpty
        case nil: return false
        }
    }

    @Test("identity and time stay of what is gone; what is there, and what feeds tell, does not change")
    func objects() async throws {
        let door = try TestDoor()
        let (gone, kept) = (try await all(door, from: 0), try await all(door, from: 100))
        let types = gone.map(\.sampleType)
        func feed(_ anchor: HKQueryAnchor?) async throws -> HKAnchoredObjectQueryDescriptor<HKSample>.Result {
            try await HKAnchoredObjectQueryDescriptor(
                predicates: types.map { .sample(type: $0) }, anchor: anchor
            ).result(for: door.health)
        }
        let begin = try await feed(nil)
        #expect(begin.addedSamples.count == 8)
        let store = try door.health.store()
        var held: Snapshot? = store.engine.snapshot()
        try await door.health.delete(gone)
        try store.compact()
        #expect(try dead(store).count == 4 && dead(store).allSatisfy { try !isErased($0) })
        #expect(held != nil)
        held = nil
        for _ in 0..<2 {
            try store.compact()
            #expect(try dead(store).count == 4 && dead(store).allSatisfy { try isErased($0) })
            #expect(try store.verify().isSound)
        }
        let news = try await feed(begin.newAnchor)
        #expect(Set(news.deletedObjects.map(\.uuid)) == Set(gone.map(\.uuid)) && news.addedSamples.isEmpty)
        let left = try await feed(nil)
        #expect(Set(left.addedSamples.map(\.uuid)) == Set(kept.map(\.uuid)) && left.deletedObjects.isEmpty)
        #expect((left.addedSamples.first { $0 is HKCorrelation })?.metadata?["note"] as? String == "n100.0")
        let pulse = try #require(kept[1] as? HKQuantitySample)
        #expect(try door.quantities(of: pulse).map(\.value) == [60, 61, 62])
        let target = door.directory.file("repaired")
        door.health.close()
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
    }
}
