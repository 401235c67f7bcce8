// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("X-5 medications, documents and verifiable records round-trip through NSKeyedArchiver")
struct RecordArchiveTests {
    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }

    @Test("all properties are kept")
    func roundTrip() throws {
        let concept = MedicationTests.concept
        #expect(try archived(concept) == concept && archived(concept.identifier) == concept.identifier)
        for code in concept.relatedCodings { #expect(try archived(code) == code) }
        let listed = HKUserAnnotatedMedication(
            medication: concept, nickname: "n", isArchived: true, hasSchedule: true)
        #expect(try archived(listed) == listed)
        let bare = HKUserAnnotatedMedication(medication: HKMedicationConcept(displayText: ""))
        #expect(try archived(bare) == bare && archived(bare).nickname == nil)
        let dose = MedicationTests.dose(concept.identifier, .skipped, scheduled: CDATexts.date)
        #expect(try archived(dose) == dose && archived(dose).content == dose.content)
        let sample = try CDATexts.sample(CDATexts.document())
        #expect(try archived(sample).content == sample.content && archived(sample).document?.title.isEmpty == false)
        #expect(try archived(sample.showing(.none)).document == nil)
        #expect(try archived(sample.showing(.names)).document?.documentData == nil)
        let record = VerifiableTexts.record()
        #expect(try archived(record) == record && archived(record).content == record.content)
        #expect(try archived(record.subject) == record.subject)
        let unborn = HKVerifiableClinicalRecordSubject(fullName: "a", dateOfBirthComponents: nil)
        #expect(try archived(unborn) == unborn && unborn.copy() as? HKVerifiableClinicalRecordSubject === unborn)
        #expect(HKClinicalCoding.supportsSecureCoding && unborn.hash == "a".hashValue)
    }

    @Test("an archive without the object, or with a damaged record, gives no object")
    func damaged() throws {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        for key in ["object", "sample", "fields", "concept", "coding", "medication", "subject"] {
            coder.encode(NSData(data: Data([1, 2, 3])), forKey: key)
        }
        coder.finishEncoding()
        for data in [coder.encodedData, NSKeyedArchiver(requiringSecureCoding: true).encodedData] {
            let decoder = try NSKeyedUnarchiver(forReadingFrom: data)
            let objects: [NSObject?] = [
                HKHealthConceptIdentifier(coder: decoder), HKClinicalCoding(coder: decoder),
                HKMedicationConcept(coder: decoder), HKUserAnnotatedMedication(coder: decoder),
                HKMedicationDoseEvent(coder: decoder), HKCDADocumentSample(coder: decoder),
                HKDocumentSample(coder: decoder), HKVerifiableClinicalRecord(coder: decoder),
                HKVerifiableClinicalRecordSubject(coder: decoder),
            ]
            #expect(objects.allSatisfy { $0 == nil })
        }
    }
}
