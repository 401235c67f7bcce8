// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

@Suite("S-6 S-37 medications, dose events and verifiable records as values")
struct MedicationTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    static let concept = HKMedicationConcept(
        displayText: "Amoxicillin 500 mg", generalForm: .capsule,
        relatedCodings: [
            HKClinicalCoding(system: "http://www.nlm.nih.gov/research/umls/rxnorm", version: nil, code: "308191"),
            HKClinicalCoding(system: "http://a.example", version: "2", code: "1"),
        ])

    static func dose(
        _ concept: HKHealthConceptIdentifier, _ status: HKMedicationDoseEvent.LogStatus, scheduled: Date? = nil
    ) -> HKMedicationDoseEvent {
        var content = HKMedicationDoseEvent.Content(
            concept: concept, name: "a", status: status, unit: .count(), quantity: 1.5)
        if let scheduled { (content.scheduledDate, content.scheduledQuantity) = (scheduled, 2) }
        return HKMedicationDoseEvent(
            header: ObjectHeader(device: nil, metadata: nil), start: date, end: date, content: content)
    }

    @Test("medications keep their values, are equal by them, and have HealthKit's names")
    func values() {
        let one = Self.concept
        #expect(one.identifier.domain == .medication && one.generalForm.description == "capsule")
        #expect(HKHealthConceptDomain.medication.rawValue == "HKHealthConceptDomainMedication")
        #expect(HKMedicationGeneralForm(rawValue: "x").description == "x")
        let same = HKMedicationConcept(
            identifier: one.identifier, displayText: one.displayText, generalForm: .capsule,
            relatedCodings: one.relatedCodings)
        #expect(one == same && one.hash == same.hash && one.copy() as? HKMedicationConcept === one)
        #expect(one != HKMedicationConcept(displayText: one.displayText) && !one.isEqual("a"))
        let listed = HKUserAnnotatedMedication(medication: one, nickname: "antibiotic", hasSchedule: true)
        #expect(listed.description == "antibiotic" && !listed.isArchived && listed.hasSchedule)
        #expect(listed != HKUserAnnotatedMedication(medication: one) && listed.medication == one)
        let other = HKHealthConceptIdentifier(domain: HKHealthConceptDomain(rawValue: "x"), uuid: one.identifier.uuid)
        #expect(other != one.identifier && other.copy() as? HKHealthConceptIdentifier === other)
        let forms: [HKMedicationGeneralForm] = [
            .capsule, .cream, .device, .drops, .foam, .gel, .inhaler, .injection, .liquid, .lotion, .ointment, .patch,
            .powder, .spray, .suppository, .tablet, .topical, .unknown,
        ]
        #expect(Set(forms).count == 18)
        #expect(HKMedicationDoseEvent.LogStatus.allCases.map(\.rawValue) == Array(1...6))
        #expect(HKMedicationDoseEvent.ScheduleType.allCases.map(\.rawValue) == [1, 2])
    }

    @Test("a dose event has a schedule exactly if it has a scheduled date")
    func doses() {
        let dose = Self.dose(Self.concept.identifier, .taken, scheduled: Self.date + 60)
        #expect(dose.scheduleType == .schedule && dose.scheduledDate == Self.date + 60)
        #expect(dose.scheduledDoseQuantity == 2 && dose.doseQuantity == 1.5 && dose.unit == .count())
        #expect(dose.medicationConceptIdentifier == Self.concept.identifier && dose.logStatus == .taken)
        #expect(dose.medicationDoseEventType == HKObjectType.medicationDoseEventType())
        let needed = Self.dose(Self.concept.identifier, .skipped)
        #expect(needed.scheduleType == .asNeeded && needed.scheduledDate == nil && needed.scheduledDoseQuantity == nil)
        for object in [dose, VerifiableTexts.record()] as [HKSample] {
            #expect(throws: HKError.self) { try HealthSaveRules.check(object) }
        }
        let half = HealthFields(dose.content.fields.all.filter { $0.number != 4 })
        #expect(throws: HealthFields.Fault.self) { try HKMedicationDoseEvent.Content(fields: half) }
    }

    @Test("predicates of doses agree with a naive model, also as formats and inside compounds")
    func predicates() {
        var random = SeededGenerator(seed: 11)
        let concepts = (0..<3).map { _ in HKHealthConceptIdentifier(domain: .medication) }
        let statuses = HKMedicationDoseEvent.LogStatus.allCases
        let times = (0..<4).map { Self.date + Double($0) * 3_600 }
        for _ in 0..<2_000 {
            let dose = Self.dose(
                concepts[random.below(3)], statuses[random.below(6)],
                scheduled: random.below(4) == 0 ? nil : times[random.below(4)])
            let (status, time, other) = (statuses[random.below(6)], times[random.below(4)], times[random.below(4)])
            let some = Set(concepts.filter { _ in random.below(2) == 0 })
            let scheduled = dose.scheduledDate
            let cases: [(NSPredicate, Bool)] = [
                (HKQuery.predicateForMedicationDoseEvent(status: status), dose.logStatus == status),
                (
                    HKQuery.predicateForMedicationDoseEvent(statuses: [NSNumber(value: status.rawValue), 4, 99, 4.5]),
                    dose.logStatus == status || dose.logStatus == .taken
                ),
                (HKQuery.predicateForMedicationDoseEvent(scheduledDate: time), scheduled == time),
                (
                    HKQuery.predicateForMedicationDoseEvent(scheduledDates: [time, other]),
                    scheduled == time || scheduled == other
                ),
                (
                    HKQuery.predicateForMedicationDoseEvent(scheduledStart: time, end: other),
                    scheduled.map { $0 >= time && $0 < other } ?? false
                ),
                (
                    HKQuery.predicateForMedicationDoseEvent(scheduledStart: nil, end: other),
                    scheduled.map { $0 < other } ?? false
                ),
                (HKQuery.predicateForMedicationDoseEvent(scheduledStart: nil, end: nil), scheduled != nil),
                (
                    HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: concepts[0]),
                    dose.medicationConceptIdentifier == concepts[0]
                ),
                (
                    HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifiers: some),
                    some.contains(dose.medicationConceptIdentifier)
                ),
                (NSPredicate(format: "%K == %d", HKPredicateKeyPathStatus, status.rawValue), dose.logStatus == status),
                (NSPredicate(format: "status IN %@", [1, 4]), [.notInteracted, .taken].contains(dose.logStatus)),
                (
                    NSPredicate(format: "%K >= %@", HKPredicateKeyPathScheduledDate, time),
                    scheduled.map { $0 >= time } ?? false
                ),
                (
                    NSPredicate(format: "%K == %@", HKPredicateKeyPathMedicationConceptIdentifier, concepts[1]),
                    dose.medicationConceptIdentifier == concepts[1]
                ),
                (NSPredicate(format: "%K == 2", HKPredicateKeyPathLogOrigin), dose.scheduleType == .schedule),
            ]
            for (predicate, expected) in cases {
                #expect(predicate.evaluate(with: dose) == expected, "\(predicate) \(dose)")
                #expect(
                    NSCompoundPredicate(notPredicateWithSubpredicate: predicate).evaluateAsCondition(dose) != expected)
            }
        }
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        let dose = Self.dose(concepts[0], .taken, scheduled: Self.date)
        #expect(!HKQuery.predicateForMedicationDoseEvent(scheduledDate: never).evaluate(with: dose))
        #expect(!HKQuery.predicateForMedicationDoseEvent(scheduledStart: never, end: nil).evaluate(with: dose))
        #expect(!HKQuery.predicateForMedicationDoseEvent(statuses: [NSNumber(value: Double.nan)]).evaluate(with: dose))
    }

    @Test("predicates of medications hold for medications only")
    func medications() {
        for (isArchived, hasSchedule) in [(false, false), (false, true), (true, false), (true, true)] {
            let one = HKUserAnnotatedMedication(
                medication: Self.concept, isArchived: isArchived, hasSchedule: hasSchedule)
            for flag in [false, true] {
                let cases: [(NSPredicate, Bool)] = [
                    (HKQuery.predicateForUserAnnotatedMedications(isArchived: flag), isArchived == flag),
                    (HKQuery.predicateForUserAnnotatedMedications(hasSchedule: flag), hasSchedule == flag),
                    (
                        NSPredicate(
                            format: "%K == %@", HKUserAnnotatedMedicationPredicateKeyPathIsArchived,
                            NSNumber(value: flag)), isArchived == flag
                    ),
                    (
                        NSPredicate(
                            format: "%K == NO AND isArchived == NO",
                            HKUserAnnotatedMedicationPredicateKeyPathHasSchedule), !hasSchedule && !isArchived
                    ),
                ]
                for (predicate, expected) in cases {
                    #expect(predicate.evaluate(with: one) == expected)
                    #expect(!predicate.evaluate(with: Self.dose(Self.concept.identifier, .taken)))
                    #expect((predicate as? HealthPredicate)?.value.isOfMedications == true)
                }
            }
            #expect(!HKQuery.predicateForMedicationDoseEvent(status: .taken).evaluate(with: one))
        }
    }

    @Test("verifiable records match the interval of their relevant date, both ends included")
    func verifiable() {
        let record = VerifiableTexts.record()
        let date = record.relevantDate
        for (start, end, expected) in [(-1.0, 1.0, true), (0, 0, true), (-2, -1, false), (1, 2, false), (-1, 0, true)] {
            let interval = DateInterval(start: date + start, end: date + end)
            let predicate = HKQuery.predicateForVerifiableClinicalRecords(withRelevantDateWithin: interval)
            #expect(predicate.evaluate(with: record) == expected)
            #expect(!predicate.evaluate(with: Self.dose(Self.concept.identifier, .taken)))
        }
        #expect(record.sourceType == .smartHealthCard && record.itemNames == ["Flu"] && record.expirationDate == nil)
        #expect(record.subject.dateOfBirthComponents?.month == 3 && record.issuerIdentifier == "https://a.example")
        #expect(HKVerifiableClinicalRecordCredentialType(rawValue: record.recordTypes[0]) == .immunization)
        #expect(HKVerifiableClinicalRecordSourceType(rawValue: "x").description == "x")
    }
}

/// Verifiable records for tests.
enum VerifiableTexts {
    static func record() -> HKVerifiableClinicalRecord {
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        var content = HKVerifiableClinicalRecord.Content(
            recordTypes: [HKVerifiableClinicalRecordCredentialType.immunization.rawValue], issuer: "https://a.example",
            subject: HKVerifiableClinicalRecordSubject(
                fullName: "Ada Lovelace", dateOfBirthComponents: DateComponents(year: 1991, month: 3, day: 14)),
            issued: date + 60, relevant: date, data: Data("a.b.c".utf8))
        content.itemNames = ["Flu"]
        content.sourceType = HKVerifiableClinicalRecordSourceType.smartHealthCard.rawValue
        return HKVerifiableClinicalRecord(
            header: ObjectHeader(device: nil, metadata: nil), date: date, content: content)
    }
}

extension NSPredicate {
    /// Returns the value of the predicate as a store reads it.
    fileprivate func evaluateAsCondition(_ object: HKObject) -> Bool {
        (try? SamplePredicate(self))?.matches(object) ?? false
    }
}
