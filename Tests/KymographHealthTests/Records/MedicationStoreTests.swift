// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-40 S-45 medications and dose events in a store")
struct MedicationStoreTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

    private func medication(
        _ name: String, archived: Bool = false, scheduled: Bool = false
    ) -> HKUserAnnotatedMedication {
        HKUserAnnotatedMedication(
            medication: HKMedicationConcept(
                displayText: name, generalForm: .tablet,
                relatedCodings: [HKClinicalCoding(system: "s", version: nil, code: name)]), isArchived: archived,
            hasSchedule: scheduled)
    }

    private func listed(_ health: HKHealthStore, _ predicate: NSPredicate? = nil) async throws -> [String] {
        try await HKUserAnnotatedMedicationQueryDescriptor(predicate: predicate).result(for: health)
            .map(\.medication.displayText)
    }

    private func doses(_ health: HKHealthStore, _ predicate: NSPredicate? = nil) async throws -> [HKMedicationDoseEvent]
    {
        try await HKSampleQueryDescriptor(predicates: [.medicationDoseEvent(predicate)]).result(for: health)
    }

    @Test("medications are saved, changed in place, found by predicates and removed, also after a restart")
    func medications() async throws {
        let door = try TestDoor()
        let list = HealthMedicationStore(healthStore: door.health)
        let (a, b) = (medication("A", scheduled: true), medication("B", archived: true))
        try await list.save(a)
        try await list.save(b)
        #expect(try await listed(door.health) == ["A", "B"])
        let found = try await HKUserAnnotatedMedicationQueryDescriptor(limit: 1).result(for: door.health)
        #expect(found == [a])
        try await list.save(
            HKUserAnnotatedMedication(medication: a.medication, nickname: "mine", isArchived: true, hasSchedule: false))
        door.health.close()
        let again = HKHealthStore(path: door.directory.file("store"))
        defer { again.close() }
        let all = try await HKUserAnnotatedMedicationQueryDescriptor().result(for: again)
        #expect(all.map(\.description) == ["B", "mine"] && all[0] == b && all[1].medication == a.medication)
        #expect(try await listed(again, HKQuery.predicateForUserAnnotatedMedications(isArchived: false)).isEmpty)
        #expect(
            try await listed(again, HKQuery.predicateForUserAnnotatedMedications(hasSchedule: false)) == ["B", "A"])
        try await HealthMedicationStore(healthStore: again).delete(b)
        #expect(try await listed(again) == ["A"])
        #expect(await code { try await HealthMedicationStore(healthStore: again).delete(b) } == .errorInvalidArgument)
        #expect(try again.store().verify().isSound)
        try again.store().compact()
        #expect(try await listed(again) == ["A"])
        #expect(try again.store().verify().isSound)
    }

    @Test("a query calls its handler for each medication, true with the last, and once without any")
    func query() async throws {
        let door = try TestDoor()
        func run(_ predicate: NSPredicate? = nil, limit: Int = HKObjectQueryNoLimit) async -> [(String?, Bool, Bool)] {
            await withCheckedContinuation { done in
                let calls = Calls()
                door.health.execute(
                    HKUserAnnotatedMedicationQuery(predicate: predicate, limit: limit) { _, one, isLast, error in
                        let all = calls.add((one?.medication.displayText, isLast, error != nil))
                        if isLast { done.resume(returning: all) }
                    })
            }
        }
        var calls = await run()
        #expect(calls.count == 1 && calls[0] == (nil, true, false))
        let list = HealthMedicationStore(healthStore: door.health)
        for name in ["A", "B", "C"] { try await list.save(medication(name)) }
        calls = await run()
        #expect(calls.map(\.0) == ["A", "B", "C"] && calls.map(\.1) == [false, false, true])
        #expect(await run(limit: 2).map(\.0) == ["A", "B"])
        for limit in [Int.min, -1, 0, .max] { #expect(await run(limit: limit).count == 3) }
        let samples = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(await run(samples).map(\.2) == [true])
        let query = HKUserAnnotatedMedicationQuery(predicate: nil, limit: 7) { _, _, _, _ in }
        #expect(query.limit == 7 && query.objectType == HKObjectType.userAnnotatedMedicationType())
        var descriptor = HKUserAnnotatedMedicationQueryDescriptor(predicate: samples, limit: -1)
        #expect(await code { _ = try await descriptor.result(for: door.health) } == .errorInvalidArgument)
        descriptor.predicate = HKQuery.predicateForUserAnnotatedMedications(isArchived: true)
        #expect(try await descriptor.result(for: door.health).isEmpty && descriptor.predicate != nil)
    }

    @Test("doses are logged with the defaults of HealthKit, queried, observed and deleted")
    func doses() async throws {
        let door = try TestDoor()
        let list = HealthMedicationStore(healthStore: door.health)
        let (a, b) = (medication("A"), medication("B"))
        try await list.save(a)
        try await list.save(b)
        let type = HKSamplePredicate.medicationDoseEvent()
        let empty = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: nil).result(for: door.health)
        let needed = try await list.log(HealthMedicationDose(date: Self.date), of: a)
        #expect(needed.doseQuantity == 1 && needed.scheduleType == .asNeeded && needed.startDate == needed.endDate)
        let planned = try await list.log(
            HealthMedicationDose(date: Self.date + 60, scheduledDate: Self.date, scheduledQuantity: 2), of: b)
        #expect(planned.doseQuantity == 2 && planned.scheduledDoseQuantity == 2 && planned.scheduleType == .schedule)
        let skipped = try await list.log(
            HealthMedicationDose(
                status: .skipped, date: Self.date + 120, scheduledDate: Self.date + 90, scheduledQuantity: 1), of: b)
        #expect(skipped.doseQuantity == nil && skipped.logStatus == .skipped)
        door.health.close()
        let again = HKHealthStore(path: door.directory.file("store"))
        defer { again.close() }
        let found = try await doses(again)
        #expect(
            found.map(\.content) == [needed, planned, skipped].map(\.content) && found == [needed, planned, skipped])
        let ofB = HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: b.medication.identifier)
        #expect(try await doses(again, ofB) == [planned, skipped])
        let taken = NSCompoundPredicate(andPredicateWithSubpredicates: [
            ofB, HKQuery.predicateForMedicationDoseEvent(status: .taken),
            HKQuery.predicateForSamples(withStart: Self.date, end: nil, options: []),
        ])
        #expect(try await doses(again, taken) == [planned])
        let sampled = HKSamplePredicate.sample(type: HKObjectType.medicationDoseEventType(), predicate: ofB)
        #expect(try await HKSampleQueryDescriptor(predicates: [sampled]).result(for: again).count == 2)
        let added = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: empty.newAnchor)
            .result(for: again)
        #expect(Set(added.addedSamples) == [needed, planned, skipped])
        try await again.delete(planned)
        let count = try await again.deleteObjects(
            of: HKObjectType.medicationDoseEventType(),
            predicate: HKQuery.predicateForMedicationDoseEvent(status: .skipped))
        #expect(count == 1)
        let gone = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: added.newAnchor)
            .result(for: again)
        #expect(Set(gone.deletedObjects.map(\.uuid)) == [planned.uuid, skipped.uuid])
        try await HealthMedicationStore(healthStore: again).delete(a)
        #expect(try await doses(again) == [needed])
        #expect(await code { try await again.save(needed) } == .errorInvalidArgument)
        try again.store().compact()
        #expect(try await doses(again) == [needed])
        #expect(try again.store().verify().isSound)
    }

    @Test("impossible medications and doses are refused, and nothing is stored")
    func hostile() async throws {
        let door = try TestDoor()
        let list = HealthMedicationStore(healthStore: door.health)
        let long = String(repeating: "a", count: HealthSaveRules.maximumTextBytes)
        #expect(await code { try await list.save(medication("")) } == .errorInvalidArgument)
        #expect(await code { try await list.save(medication(long)) } == .errorInvalidArgument)
        let one = medication("A\u{0}")
        #expect(
            await code { try await list.log(HealthMedicationDose(date: Self.date), of: one) } == .errorInvalidArgument)
        try await list.save(one)
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        var half = HealthMedicationDose(date: Self.date)
        half.scheduledQuantity = 1
        let wrong = [
            HealthMedicationDose(date: never), HealthMedicationDose(date: .distantFuture),
            HealthMedicationDose(date: Self.date, quantity: -1), HealthMedicationDose(date: Self.date, quantity: .nan),
            HealthMedicationDose(date: Self.date, quantity: .infinity), half,
            HealthMedicationDose(date: Self.date, scheduledDate: never),
            HealthMedicationDose(date: Self.date, scheduledDate: Self.date, scheduledQuantity: -.infinity),
        ]
        for dose in wrong {
            #expect(await code { try await list.log(dose, of: one) } == .errorInvalidArgument, "\(dose)")
        }
        #expect(try await doses(door.health).isEmpty)
        #expect(try await listed(door.health) == ["A\u{0}"])
        let grams = HealthMedicationDose(date: Self.date, quantity: 0, unit: .gramUnit(with: .milli))
        #expect(try await list.log(grams, of: one).unit == .gramUnit(with: .milli))
    }

    @Test("a body that is no medication makes queries fail with a typed error, and is found by verify or reading")
    func foreign() async throws {
        let door = try TestDoor()
        try await HealthMedicationStore(healthStore: door.health).save(medication("A"))
        let store = try door.health.store()
        let rows = try store.catalog([StoredMedication]()) { try StoredMedication.all($0) }
        let row = try #require(rows.first).row
        let body = FieldsRecord(HealthFields([.init(1, .integer(99))])).body
        try store.write { try HealthCatalog.rewrite(savedObject: row, body: body, metadata: 0, $0) }
        #expect(await code { _ = try await listed(door.health) } == .errorDatabaseInaccessible)
    }

    @Test("a deletion of a medication and of its doses leaves no text of them after an erasure")
    func erased() throws {
        let dose = MedicationFields.dose
        let fields = HealthFields.erased(HKObjectType.medicationDoseEventType(), from: dose.content.fields)
        let kept = try HKMedicationDoseEvent.Content(fields: fields)
        #expect(kept.concept == dose.medicationConceptIdentifier && kept.name.isEmpty && kept.quantity == nil)
        let medication = try HKUserAnnotatedMedication(fields: .erased(HKObjectType.userAnnotatedMedicationType()))
        #expect(medication.medication.displayText.isEmpty && medication.medication.relatedCodings.isEmpty)
    }
}

private enum MedicationFields {
    static let dose = HKMedicationDoseEvent(
        header: ObjectHeader(device: nil, metadata: nil), start: .distantPast, end: .distantPast,
        content: .init(
            concept: HKHealthConceptIdentifier(domain: .medication), name: "A", status: .taken, unit: .count(),
            quantity: 1))
}

/// The calls of a handler.
private final class Calls: @unchecked Sendable {
    private var all: [(String?, Bool, Bool)] = []

    /// Adds a call, and returns all. Handlers are called one at a time.
    func add(_ call: (String?, Bool, Bool)) -> [(String?, Bool, Bool)] {
        all.append(call)
        return all
    }
}
