// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-6 the other types have HealthKit's identifiers")
struct OtherIdentifierTests {
    @Test func correlation() {
        let texts: KeyValuePairs<HKCorrelationTypeIdentifier, String> = [
            .bloodPressure: "BloodPressure", .food: "Food",
        ]
        expectTexts(texts, prefix: "HKCorrelationTypeIdentifier")
        #expect(texts.count == 2)
    }

    @Test func characteristic() {
        let texts: KeyValuePairs<HKCharacteristicTypeIdentifier, String> = [
            .activityMoveMode: "ActivityMoveMode", .biologicalSex: "BiologicalSex", .bloodType: "BloodType",
            .dateOfBirth: "DateOfBirth", .fitzpatrickSkinType: "FitzpatrickSkinType",
            .wheelchairUse: "WheelchairUse",
        ]
        expectTexts(texts, prefix: "HKCharacteristicTypeIdentifier")
        #expect(texts.count == 6)
    }

    @Test func clinical() {
        let texts: KeyValuePairs<HKClinicalTypeIdentifier, String> = [
            .allergyRecord: "AllergyRecord", .clinicalNoteRecord: "ClinicalNoteRecord",
            .conditionRecord: "ConditionRecord", .coverageRecord: "CoverageRecord",
            .immunizationRecord: "ImmunizationRecord", .labResultRecord: "LabResultRecord",
            .medicationRecord: "MedicationRecord", .procedureRecord: "ProcedureRecord",
            .vitalSignRecord: "VitalSignRecord",
        ]
        expectTexts(texts, prefix: "HKClinicalTypeIdentifier")
        #expect(texts.count == 9)
    }

    @Test func document() {
        let texts: KeyValuePairs<HKDocumentTypeIdentifier, String> = [
            .CDA: "CDA"
        ]
        expectTexts(texts, prefix: "HKDocumentTypeIdentifier")
        #expect(texts.count == 1)
    }

    @Test func scoredAssessment() {
        let texts: KeyValuePairs<HKScoredAssessmentTypeIdentifier, String> = [
            .GAD7: "GAD7", .PHQ9: "PHQ9",
        ]
        expectTexts(texts, prefix: "HKScoredAssessmentTypeIdentifier")
        #expect(texts.count == 2)
    }

    @Test func fhirResource() {
        let texts: KeyValuePairs<HKFHIRResourceType, String> = [
            .allergyIntolerance: "AllergyIntolerance", .condition: "Condition", .coverage: "Coverage",
            .diagnosticReport: "DiagnosticReport", .documentReference: "DocumentReference",
            .immunization: "Immunization", .medicationDispense: "MedicationDispense",
            .medicationOrder: "MedicationOrder", .medicationRequest: "MedicationRequest",
            .medicationStatement: "MedicationStatement", .observation: "Observation", .procedure: "Procedure",
        ]
        expectTexts(texts, prefix: "")
        #expect(texts.count == 12)
    }

    @Test func generalForm() {
        let texts: KeyValuePairs<HKMedicationGeneralForm, String> = [
            .capsule: "Capsule", .cream: "Cream", .device: "Device", .drops: "Drops", .foam: "Foam", .gel: "Gel",
            .inhaler: "Inhaler", .injection: "Injection", .liquid: "Liquid", .lotion: "Lotion",
            .ointment: "Ointment", .patch: "Patch", .powder: "Powder", .spray: "Spray", .suppository: "Suppository",
            .tablet: "Tablet", .topical: "Topical", .unknown: "Unknown",
        ]
        expectTexts(texts, prefix: "HKMedicationGeneralForm")
        #expect(texts.count == 18)
    }
}
