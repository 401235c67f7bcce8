// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthCatalog
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import Kymograph
@testable import KymographHealth

@Suite("E-6 S-41 deleted objects are erased by a compaction, or when their time limit is over")
struct EraseTests {
    /// Saves a correlation, a quantity series, a heartbeat series and an electrocardiogram that start at a second.
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

    /// Returns the rows of the deleted objects.
    private func dead(_ store: HealthStore) throws -> [SavedObjectRow] {
        try store.catalog([]) { try HealthCatalog.deadSavedObjects(after: 0, upTo: .max, from: 0, limit: 99, $0) }
    }

    private func isErased(_ row: SavedObjectRow) throws -> Bool {
        if row.metadata != 0 { return false }
        switch SavedObjectKind(rawValue: row.kind) {
        case .correlation: return try CorrelationBody(row.body).members.isEmpty
        case .quantitySeries:
            let record = try QuantitySeriesRecord(row.body)
            return record.summary.sum.isNaN && record.summary.mostRecent.isNaN && record.summary.count == 3
        case .heartbeatSeries: return try HeartbeatRecord(row.body).beats.isEmpty
        case .electrocardiogram: return try ElectrocardiogramRecord(row.body).leads.isEmpty
        case .workout: return try WorkoutRecord(row.body).content == WorkoutContent.erased
        case .workoutRoute: return try RouteRecord(row.body) == RouteRecord.erased
        case .effort: return try EffortRecord(row.body) == .erased
        case .fields: return try FieldsRecord(row.body) == FieldsRecord(.erased(HKObjectType.type(for: row.type)))
        case nil: return false
        }
    }

    @Test("an erased object keeps identity and time; other objects and the results of anchored queries do not change")
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

    private static func uuid(_ row: SavedObjectRow) -> UUID { SampleIdentity(row.uuid).uuid }

    /// A clock that tests advance.
    private final class Clock: Sendable {
        let now = Mutex<Int64>(30_000 * 86_400_000_000_000)
        func advance(_ days: Int64) { now.withLock { $0 += days * 86_400_000_000_000 } }
        var options: StoreOptions {
            var options = StoreOptions()
            options.wallClock = { self.now.withLock { $0 } }
            return options
        }
    }

    @Test(
        "Deleted objects are erased on time, also over many short openings, and earlier commits can no longer be read"
    )
    func inTime() async throws {
        let clock = Clock()
        let door = try TestDoor(clock.options)
        let path = door.directory.file("store")
        let gone = try await all(door, from: 0)
        _ = try await all(door, from: 100)
        door.health.close()
        var store = try HealthStore.open(at: path, options: clock.options)
        defer { store.close() }
        func reopen() throws {
            store.close()
            store = try HealthStore.open(at: path, options: clock.options)
        }
        try store.delete(gone, as: gone[0].sourceRevision)
        let died = store.engine.snapshot().sequence
        for _ in 0..<6 {
            try reopen()
            clock.advance(1)
            #expect(try dead(store).count == 4 && dead(store).allSatisfy { try !isErased($0) })
        }
        // The time of the deletion was recorded once.
        #expect(store.engine.snapshot().sequence == died + 1)
        clock.advance(2)
        try reopen()
        #expect(try dead(store).count == 4 && dead(store).allSatisfy { try isErased($0) })
        #expect(try Set(dead(store).map { Self.uuid($0) }) == Set(gone.map(\.uuid)))
        #expect(try store.verify().isSound)
        let last = store.engine.snapshot().sequence
        try reopen()
        #expect(store.engine.snapshot().sequence == last)
        let error = #expect(throws: StoreError.self) { try store.engine.snapshot(asOf: died - 1) }
        #expect(error?.kind == .notRetained)
        #expect(try store.engine.snapshot(asOf: died).sequence == died)
        // A repaired store keeps the record of the erasure.
        store.close()
        let repaired = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: path, to: repaired).isComplete)
        let copy = try HealthStore.open(at: repaired, mode: .readOnly)
        defer { copy.close() }
        let line = try copy.catalog([:]) { try HealthCatalog.settings($0) }["erasure"]
        #expect(line.flatMap { CompanionDeletions($0) }?.erased == died)
    }

    @Test("In shared mode overdue objects are erased once no held snapshot needs them, and the log is emptied")
    func looks() async throws {
        let clock = Clock()
        let door = try TestDoor(clock.options)
        let gone = try await all(door, from: 0)
        let store = try door.health.store()
        var held: Snapshot? = store.engine.snapshot()
        try await door.health.delete(gone)
        try store.engine.eraser.eraseOverdue(merges: .max)
        clock.advance(8)
        try store.engine.eraser.eraseOverdue(merges: .max)
        #expect(try dead(store).count == 4 && dead(store).allSatisfy { try !isErased($0) })
        #expect(held != nil)
        held = nil
        try store.engine.eraser.eraseOverdue(merges: .max)
        #expect(try dead(store).count == 4 && dead(store).allSatisfy { try isErased($0) })
        #expect(try RealDisk().size(of: door.directory.file("store") + "/kymograph.sqlite-wal") == 0)
        #expect(try store.verify().isSound)
    }

    @Test("The record of deletions is one line of text, and a malformed line is refused")
    func line() throws {
        let door = try TestDoor()
        let test = try door.health.store()
        var deaths = CompanionDeletions()
        #expect(deaths.text == "0" && CompanionDeletions("0") == deaths)
        deaths.note(12, in: test.engine)
        let words = deaths.text.split(separator: ":")
        #expect(words.count == 2 && words[0] == "0 12" && CompanionDeletions(deaths.text) == deaths)
        #expect(deaths.overdue(in: test.engine) == 0)
        deaths.noteErased(upTo: 12)
        #expect(deaths.text == "12" && CompanionDeletions("12") == deaths)
        for text in ["", "x", "-1", "1 ", "1  2:3", "1 2", "1 2:", "1 :3", "1 2:x", "3 2:1", "1 4:1 4:2", "1 4:1 3:2"] {
            #expect(CompanionDeletions(text) == nil, "\(text)")
        }
    }
}
