// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("T-3 a deletion of a type uses the state right before its commit")
struct TypeDeletionTests {
    /// Deletes with tables from before the last saves, as a thread that another thread overtakes.
    @discardableResult
    private func delete(
        _ type: HKSampleType, startingIn range: TimeRange = .all, sources: Set<String>? = nil, _ known: HealthSnapshot,
        _ store: HealthStore
    ) throws -> Int {
        let types: Set = [type.identifier]
        let receipt = try store.engine.write { context in
            try HealthStore.deletion(of: types, range, sources, context, known)
        }
        return receipt.deletions.reduce(0) { $0 + $1.count }
    }

    @Test("a first series that another thread saves in the meantime is deleted with its object")
    func firstSeries() async throws {
        let door = try TestDoor()
        _ = try await door.single(99, at: 50)
        let store = try door.health.store()
        let known = try store.view().tables.rows
        #expect(known.lastSavedObject == 0)
        try await door.series([60, 61, 62], from: 0)
        #expect(try delete(heartRate, known, store) == 4)
        for _ in 0..<2 {
            #expect(try door.all(heartRate).isEmpty)
            let report = try door.health.store().verify()
            #expect(report.isSound, "\(report.problems)")
            door.health.close()
        }
    }

    @Test("a first series that starts before the range stays whole")
    func crossingSeries() async throws {
        let door = try TestDoor()
        _ = try await door.single(99, at: 5)
        let store = try door.health.store()
        let known = try store.view().tables.rows
        let series = try await door.series((0..<10).map { 60 + Double($0) }, from: 0)
        let base = try #require(StoredTime.nanoseconds(clock))
        #expect(try delete(heartRate, startingIn: TimeRange(base + 4 * second, .max), known, store) == 1)
        #expect(try door.all(heartRate).map(\.uuid) == [series.uuid])
        #expect(try door.quantities(of: series).count == 10)
        #expect(try store.verify().isSound)
    }

    @Test("a source and a unit that are new in the meantime are deleted if the request includes the source")
    func newSource() async throws {
        let door = try TestDoor()
        let other = door.other("com.example.scale")
        try await door.health.save(mass(70))
        let store = try door.health.store()
        let known = try store.view().tables.rows
        try await other.save(mass(71, at: 1))
        let pounds = HKQuantitySample(
            type: bodyMass, quantity: HKQuantity(unit: .pound(), doubleValue: 150), start: at(2), end: at(2))
        try await other.save(pounds)
        #expect(try delete(bodyMass, sources: ["nobody"], known, store) == 0)
        #expect(try door.all(bodyMass).count == 3)
        #expect(try delete(bodyMass, sources: ["com.example.scale"], known, store) == 2)
        #expect(try door.all(bodyMass).count == 1)
        try await other.save(mass(72, at: 3))
        #expect(try delete(bodyMass, known, store) == 2)
        #expect(try door.all(bodyMass).isEmpty)
        #expect(try store.verify().isSound)
    }

    @Test("a deletion of all types of a source includes its series, and keeps other sources")
    func allTypes() async throws {
        let door = try TestDoor()
        try await door.other("com.example.scale").save(mass(71, at: 1))
        try await door.health.save(mass(70))
        try await door.series([60, 61, 62], from: 0)
        let store = try door.health.store()
        let before = store.engine.snapshot().sequence
        let receipt = try store.deleteAllTypes(sources: [HKSource.default().name])
        #expect(receipt.count == 4 && receipt.sequence == before + 1)
        #expect(try door.all(heartRate).isEmpty && door.all(bodyMass).count == 1)
        #expect(try store.deleteAllTypes(sources: ["nobody"]).count == 0)
        #expect(try store.verify().isSound)
    }

    @Test("a deletion without samples makes no commit")
    func nothing() async throws {
        let test = try TestHealthStore()
        let type = HealthTypes.type(for: bodyMass.identifier)
        #expect(try test.store.delete(type).count == 0)
        try test.store.load([TestSample()])
        let sequence = test.store.engine.snapshot().sequence
        #expect(try test.store.delete(type).count == 0)
        #expect(try test.store.delete(HealthTypes.type(for: TestSample().type), sources: ["nobody"]).count == 0)
        #expect(test.store.engine.snapshot().sequence == sequence)
        #expect(try test.store.delete(HealthTypes.type(for: TestSample().type)).count == 1)
        try test.reopen()
        #expect(try test.store.all().isEmpty)
    }
}
