// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("S-159 S-160 the example of the page about records")
struct RecordsExampleTests {
    @Test("the example saves glasses and a mood, and finds the glasses")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let today = Date(timeIntervalSinceReferenceDate: 700_000_000)
        // example records begins
        let right = HKGlassesLensSpecification(
            sphere: HKQuantity(unit: .diopter(), doubleValue: -1.25),
            prism: HKVisionPrism(
                amount: HKQuantity(unit: .prismDiopter(), doubleValue: 2),
                angle: HKQuantity(unit: .degreeAngle(), doubleValue: 90), eye: .right))
        let glasses = HKGlassesPrescription(
            rightEyeSpecification: right, leftEyeSpecification: nil, dateIssued: today, expirationDate: nil,
            device: nil,
            metadata: [HKMetadataKeyGlassesPrescriptionDescription: "reading"])
        let mood = HKStateOfMind(date: today, kind: .dailyMood, valence: 0.5, labels: [.calm], associations: [.work])
        try await health.save([glasses, mood])

        let latest = HKSampleQueryDescriptor(
            predicates: [.visionPrescription()], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)],
            limit: 1)
        for prescription in try await latest.result(for: health) {
            print((prescription as? HKGlassesPrescription)?.rightEye?.sphere ?? "no glasses")
        }
        // example records ends
        let found = try await latest.result(for: health)
        #expect(found == [glasses] && (found.first as? HKGlassesPrescription)?.rightEye == right)
        let moods = try await HKSampleQueryDescriptor(predicates: [.stateOfMind()]).result(for: health)
        #expect(moods == [mood] && moods.first?.valenceClassification == .pleasant)
    }

    @Test("the example of medications counts the doses of each active medication")
    func medications() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let today = Date(timeIntervalSinceReferenceDate: 700_000_000)
        // example medications begins
        let list = HealthMedicationStore(healthStore: health)
        let amoxicillin = HKUserAnnotatedMedication(
            medication: HKMedicationConcept(
                displayText: "Amoxicillin 500 mg", generalForm: .capsule,
                relatedCodings: [
                    HKClinicalCoding(
                        system: "http://www.nlm.nih.gov/research/umls/rxnorm", version: nil, code: "308191")
                ]), nickname: "antibiotic", hasSchedule: true)
        try await list.save(amoxicillin)
        try await list.log(HealthMedicationDose(date: today, scheduledDate: today), of: amoxicillin)

        let active = HKUserAnnotatedMedicationQueryDescriptor(
            predicate: HKQuery.predicateForUserAnnotatedMedications(isArchived: false))
        for one in try await active.result(for: health) {
            let taken = NSCompoundPredicate(andPredicateWithSubpredicates: [
                HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: one.medication.identifier),
                HKQuery.predicateForMedicationDoseEvent(status: .taken),
            ])
            let doses = HKSampleQueryDescriptor(predicates: [.medicationDoseEvent(taken)])
            print(one.nickname ?? one.medication.displayText, try await doses.result(for: health).count)
        }
        // example medications ends
        let doses = try await HKSampleQueryDescriptor(predicates: [.medicationDoseEvent()]).result(for: health)
        #expect(doses.count == 1 && doses[0].logStatus == .taken && doses[0].doseQuantity == 1)
        #expect(try await active.result(for: health) == [amoxicillin])
    }

    @Test("the example of documents saves a document, and finds it by its patient")
    func documents() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let today = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let xml = Data(StoredDocuments.text("Summary", patient: "Lovelace").utf8)
        // example documents begins
        let sample = try HKCDADocumentSample(data: xml, start: today, end: today, metadata: nil)
        try await health.save(sample)
        let predicate = NSPredicate(format: "%K CONTAINS %@", HKPredicateKeyPathCDAPatientName, "Lovelace")
        health.execute(
            HKDocumentQuery(
                documentType: HKDocumentType(.CDA), predicate: predicate, limit: HKObjectQueryNoLimit,
                sortDescriptors: nil, includeDocumentData: true
            ) { _, samples, isLast, error in
                for case let sample as HKCDADocumentSample in samples ?? [] { print(sample.document?.title ?? "") }
            })
        // example documents ends
        let found = await StoredDocuments.run(health, predicate)
        #expect(found.documents == [sample] && found.documents[0].document?.title == "Summary")
    }
}
