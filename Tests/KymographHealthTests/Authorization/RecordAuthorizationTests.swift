// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// A provider that allows the objects of some titles, and records all titles that it was asked for.
private final class Chooser: Sendable {
    private let state = Mutex<(allowed: Set<String>, asked: [[String]])>(([], []))

    var asked: [[String]] { state.withLock { $0.asked } }
    func allow(_ titles: Set<String>) { state.withLock { $0.allowed = titles } }

    var provider: any HealthAuthorizationProvider {
        .closure { [self] request in
            let allowed = state.withLock { state in
                state.asked.append(request.objects.map(\.title))
                return state.allowed
            }
            var decision = HealthAuthorizationDecision()
            for object in request.objects {
                decision.objects[object.uuid] = allowed.contains { object.title.contains($0) }
            }
            return decision
        }
    }
}

@Suite("S-66 S-168 S-169 S-170 S-171 a person chooses medications, documents and verifiable records one by one")
struct RecordAuthorizationTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private let medicationType = HKObjectType.userAnnotatedMedicationType()

    private func medication(_ name: String, archived: Bool = false) -> HKUserAnnotatedMedication {
        HKUserAnnotatedMedication(medication: HKMedicationConcept(displayText: name), isArchived: archived)
    }

    private func seen(_ health: HKHealthStore) async throws -> [String] {
        try await HKUserAnnotatedMedicationQueryDescriptor().result(for: health).map(\.medication.displayText)
    }

    private func doses(_ health: HKHealthStore, _ predicate: NSPredicate? = nil) async throws -> [String] {
        try await HKSampleQueryDescriptor(predicates: [.medicationDoseEvent(predicate)]).result(for: health)
            .map(\.content.name)
    }

    @Test("a client sees only chosen medications and their doses, and the choice survives a change of the medication")
    func medications() async throws {
        let chooser = Chooser()
        let door = try PrivateDoor(.enforced, chooser.provider)
        let list = HealthMedicationStore(healthStore: door.owner)
        let (a, b) = (medication("Alpha"), medication("Beta", archived: true))
        try await list.save(a)
        try await list.save(b)
        for (place, one) in [a, b, a].enumerated() {
            try await list.log(HealthMedicationDose(date: Self.date + Double(place)), of: one)
        }
        #expect(try await seen(door.client).isEmpty)
        #expect(try await doses(door.client).isEmpty)
        let type = HKSamplePredicate.medicationDoseEvent()
        let none = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: nil).result(for: door.client)
        #expect(none.addedSamples.isEmpty)
        chooser.allow(["Alpha"])
        try await door.client.requestPerObjectReadAuthorization(for: medicationType, predicate: nil)
        #expect(chooser.asked == [["Beta", "Alpha"]])
        #expect(try await seen(door.client) == ["Alpha"])
        #expect(try await doses(door.client) == ["Alpha", "Alpha"])
        let ofB = HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: b.medication.identifier)
        #expect(try await doses(door.client, ofB).isEmpty)
        #expect(try await doses(door.client, NSCompoundPredicate(notPredicateWithSubpredicate: ofB)).count == 2)
        // A grant delivers the doses to an old anchor.
        let some = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: none.newAnchor)
            .result(for: door.client)
        #expect(some.addedSamples.count == 2)
        let changed = HKUserAnnotatedMedication(medication: a.medication, nickname: "mine", hasSchedule: true)
        try await list.save(changed)
        #expect(try await HKUserAnnotatedMedicationQueryDescriptor().result(for: door.client) == [changed])
        // The next dose and a deletion reach the client, those of the other medication do not.
        let last = try await list.log(HealthMedicationDose(date: Self.date + 60), of: changed)
        try await list.log(HealthMedicationDose(date: Self.date + 61), of: b)
        try await door.owner.delete(some.addedSamples[0])
        try door.owner.store().compact()
        let next = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: some.newAnchor)
            .result(for: door.client)
        #expect(next.addedSamples == [last] && next.deletedObjects.map(\.uuid) == [some.addedSamples[0].uuid])
        // The predicate selects what the person is asked for; then the person takes everything away.
        chooser.allow([])
        let archived = HKQuery.predicateForUserAnnotatedMedications(isArchived: true)
        try await door.client.requestPerObjectReadAuthorization(for: medicationType, predicate: archived)
        #expect(chooser.asked.last == ["Beta"])
        #expect(try await seen(door.client) == ["Alpha"])
        try await door.client.requestPerObjectReadAuthorization(for: medicationType, predicate: nil)
        #expect(try await seen(door.client).isEmpty)
        #expect(try await doses(door.client).isEmpty)
        #expect(try await seen(door.owner).count == 2)
    }

    @Test("no client changes the list of medications, logs doses or saves verifiable records")
    func makers() async throws {
        for mode in [HealthAuthorizationMode.enforced, .guest] {
            let door = try PrivateDoor(mode, .allow)
            let (list, a) = (HealthMedicationStore(healthStore: door.client), medication("Alpha"))
            try await HealthMedicationStore(healthStore: door.owner).save(a)
            #expect(await code { try await list.save(a) } == .errorAuthorizationDenied)
            #expect(await code { try await list.delete(a) } == .errorAuthorizationDenied)
            #expect(
                await code { try await list.log(HealthMedicationDose(date: Self.date), of: a) }
                    == .errorAuthorizationDenied)
            let maker = HealthRecordStore(healthStore: door.client)
            #expect(await code { try await maker.save(StoredCards.card("Flu")) } == .errorAuthorizationDenied)
        }
    }

    @Test("a request for dose events, documents or a cancelled request changes nothing")
    func requests() async throws {
        let door = try PrivateDoor(.enforced, .closure { _ in throw HKError(.errorUserCanceled, reason: "no") })
        try await HealthMedicationStore(healthStore: door.owner).save(medication("Alpha"))
        let client = door.client
        for type in [HKObjectType.medicationDoseEventType(), HKDocumentType(.CDA), VerifiableRecordType.only] {
            #expect(
                await code { try await client.requestPerObjectReadAuthorization(for: type, predicate: nil) }
                    == .errorInvalidArgument)
        }
        #expect(
            await code { try await client.requestPerObjectReadAuthorization(for: medicationType, predicate: nil) }
                == .errorUserCanceled)
        let samples = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(
            await code { try await client.requestPerObjectReadAuthorization(for: medicationType, predicate: samples) }
                == .errorInvalidArgument)
        #expect(try await seen(client).isEmpty)
    }

    @Test("the content of another program's document is asked for once, and not shown by predicates before")
    func documents() async throws {
        let chooser = Chooser()
        let door = try PrivateDoor(.enforced, chooser.provider)
        let type = HKDocumentType(.CDA)
        try await door.other.save([
            StoredDocuments.sample("Open", at: 0), StoredDocuments.sample("Closed", at: 60),
        ])
        #expect(await StoredDocuments.run(door.client).code == .errorAuthorizationNotDetermined)
        try door.decide(read: [type], share: [type])
        let own = try StoredDocuments.sample("Own", at: 120)
        try await door.client.save(own)
        func count(_ title: String) async throws -> Int {
            let predicate = NSPredicate(format: "%K == %@", HKPredicateKeyPathCDATitle, title)
            let samples = HKSamplePredicate.sample(type: type, predicate: predicate)
            return try await HKSampleQueryDescriptor(predicates: [samples]).result(for: door.client).count
        }
        // The samples are visible, their titles are not.
        #expect(
            try await HKSampleQueryDescriptor(predicates: [.sample(type: type)]).result(for: door.client).count == 3)
        #expect(try await count("Open") == 0)
        #expect(try await count("Own") == 1)
        chooser.allow(["Open"])
        let found = await StoredDocuments.run(door.client)
        #expect(found.documents.compactMap(\.document?.title) == ["Open", "Own"] && found.code == nil)
        #expect(chooser.asked.count == 1 && chooser.asked[0].count == 2)
        #expect(try await count("Open") == 1)
        #expect(try await count("Closed") == 0)
        // Only a new document is asked for.
        try await door.other.save(StoredDocuments.sample("Open again", at: 180))
        let newest = [NSSortDescriptor(key: HKSampleSortIdentifierStartDate, ascending: false)]
        let again = await StoredDocuments.run(door.client, limit: 2, order: newest, data: false)
        #expect(again.documents.compactMap(\.document?.title) == ["Open again", "Own"])
        #expect(chooser.asked.count == 2 && chooser.asked[1].count == 1)
        #expect(await StoredDocuments.run(door.owner).documents.count == 4)
    }

    @Test("a cancelled request for documents is the error of the query; a guest is not asked")
    func cancelled() async throws {
        let door = try PrivateDoor(.enforced, .closure { _ in throw HKError(.errorUserCanceled, reason: "no") })
        try await door.other.save(StoredDocuments.sample("Open"))
        try door.decide(read: [HKDocumentType(.CDA)])
        #expect(await StoredDocuments.run(door.client).code == .errorUserCanceled)
        try door.owner.store().setAuthorizationMode(.guest)
        let guest = await StoredDocuments.run(door.client)
        #expect(guest.documents.isEmpty && guest.code == nil)
        #expect(try await StoredCards.run(door.client).isEmpty)
    }

    @Test("each query of verifiable records asks again, and other queries do not return them")
    func verifiable() async throws {
        let chooser = Chooser()
        let door = try PrivateDoor(.enforced, chooser.provider)
        // A request without a record looks like a request for a record that the person refuses.
        #expect(try await StoredCards.run(door.client).isEmpty && chooser.asked == [[]])
        let silent = HKHealthStore(directory: door.path, client: PrivateDoor.name, authorization: .later)
        #expect(await code { _ = try await StoredCards.run(silent) } == .errorUserCanceled)
        let maker = HealthRecordStore(healthStore: door.owner)
        let flu = try await maker.save(StoredCards.card("Flu"))
        try await maker.save(StoredCards.card("Test", at: 60, [.laboratory]))
        chooser.allow(["Flu"])
        #expect(try await StoredCards.run(door.client) == ["Flu"])
        #expect(try await StoredCards.run(door.client, [.laboratory]).isEmpty)
        #expect(chooser.asked.map(\.count) == [0, 2, 1] && chooser.asked[1][0].contains("Ada Lovelace"))
        #expect(await code { _ = try await StoredCards.run(silent) } == .errorUserCanceled)
        let samples = HKSamplePredicate.sample(type: flu.sampleType)
        #expect(try await HKSampleQueryDescriptor(predicates: [samples]).result(for: door.client).isEmpty)
        #expect(try await HKSampleQueryDescriptor(predicates: [samples]).result(for: door.owner).count == 2)
    }
}
