// SPDX-License-Identifier: Apache-2.0
//
// Types that are neither quantities nor categories.
// Written by Tools/generate-types from Tools/tables/other-types.csv; change the table, not this file.

extension HKCorrelationTypeIdentifier {
    /// `HKCorrelationTypeIdentifierBloodPressure`
    public static let bloodPressure = Self(rawValue: "HKCorrelationTypeIdentifierBloodPressure")
    /// `HKCorrelationTypeIdentifierFood`
    public static let food = Self(rawValue: "HKCorrelationTypeIdentifierFood")

    /// Every one of the table.
    public static let all: [Self] = [.bloodPressure, .food]
}

extension HKCharacteristicTypeIdentifier {
    /// `HKCharacteristicTypeIdentifierActivityMoveMode`
    public static let activityMoveMode = Self(rawValue: "HKCharacteristicTypeIdentifierActivityMoveMode")
    /// `HKCharacteristicTypeIdentifierBiologicalSex`
    public static let biologicalSex = Self(rawValue: "HKCharacteristicTypeIdentifierBiologicalSex")
    /// `HKCharacteristicTypeIdentifierBloodType`
    public static let bloodType = Self(rawValue: "HKCharacteristicTypeIdentifierBloodType")
    /// `HKCharacteristicTypeIdentifierDateOfBirth`
    public static let dateOfBirth = Self(rawValue: "HKCharacteristicTypeIdentifierDateOfBirth")
    /// `HKCharacteristicTypeIdentifierFitzpatrickSkinType`
    public static let fitzpatrickSkinType = Self(rawValue: "HKCharacteristicTypeIdentifierFitzpatrickSkinType")
    /// `HKCharacteristicTypeIdentifierWheelchairUse`
    public static let wheelchairUse = Self(rawValue: "HKCharacteristicTypeIdentifierWheelchairUse")

    /// Every one of the table.
    public static let all: [Self] = [
        .activityMoveMode, .biologicalSex, .bloodType, .dateOfBirth, .fitzpatrickSkinType, .wheelchairUse,
    ]
}

extension HKClinicalTypeIdentifier {
    /// `HKClinicalTypeIdentifierAllergyRecord`
    public static let allergyRecord = Self(rawValue: "HKClinicalTypeIdentifierAllergyRecord")
    /// `HKClinicalTypeIdentifierClinicalNoteRecord`
    public static let clinicalNoteRecord = Self(rawValue: "HKClinicalTypeIdentifierClinicalNoteRecord")
    /// `HKClinicalTypeIdentifierConditionRecord`
    public static let conditionRecord = Self(rawValue: "HKClinicalTypeIdentifierConditionRecord")
    /// `HKClinicalTypeIdentifierCoverageRecord`
    public static let coverageRecord = Self(rawValue: "HKClinicalTypeIdentifierCoverageRecord")
    /// `HKClinicalTypeIdentifierImmunizationRecord`
    public static let immunizationRecord = Self(rawValue: "HKClinicalTypeIdentifierImmunizationRecord")
    /// `HKClinicalTypeIdentifierLabResultRecord`
    public static let labResultRecord = Self(rawValue: "HKClinicalTypeIdentifierLabResultRecord")
    /// `HKClinicalTypeIdentifierMedicationRecord`
    public static let medicationRecord = Self(rawValue: "HKClinicalTypeIdentifierMedicationRecord")
    /// `HKClinicalTypeIdentifierProcedureRecord`
    public static let procedureRecord = Self(rawValue: "HKClinicalTypeIdentifierProcedureRecord")
    /// `HKClinicalTypeIdentifierVitalSignRecord`
    public static let vitalSignRecord = Self(rawValue: "HKClinicalTypeIdentifierVitalSignRecord")

    /// Every one of the table.
    public static let all: [Self] = [
        .allergyRecord, .clinicalNoteRecord, .conditionRecord, .coverageRecord, .immunizationRecord, .labResultRecord,
        .medicationRecord, .procedureRecord, .vitalSignRecord,
    ]
}

extension HKDocumentTypeIdentifier {
    /// `HKDocumentTypeIdentifierCDA`
    public static let CDA = Self(rawValue: "HKDocumentTypeIdentifierCDA")

    /// Every one of the table.
    public static let all: [Self] = [.CDA]
}

extension HKScoredAssessmentTypeIdentifier {
    /// `HKScoredAssessmentTypeIdentifierGAD7`
    public static let GAD7 = Self(rawValue: "HKScoredAssessmentTypeIdentifierGAD7")
    /// `HKScoredAssessmentTypeIdentifierPHQ9`
    public static let PHQ9 = Self(rawValue: "HKScoredAssessmentTypeIdentifierPHQ9")

    /// Every one of the table.
    public static let all: [Self] = [.GAD7, .PHQ9]
}

extension TypeTables {
    /// Kind, identifier, and the longest that a sample may be, in seconds.
    static let otherTypes: [OtherTypeRow] = [
        OtherTypeRow(.correlation, "HKCorrelationTypeIdentifierBloodPressure", nil),
        OtherTypeRow(.correlation, "HKCorrelationTypeIdentifierFood", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierActivityMoveMode", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierBiologicalSex", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierBloodType", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierDateOfBirth", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierFitzpatrickSkinType", nil),
        OtherTypeRow(.characteristic, "HKCharacteristicTypeIdentifierWheelchairUse", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierAllergyRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierClinicalNoteRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierConditionRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierCoverageRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierImmunizationRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierLabResultRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierMedicationRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierProcedureRecord", nil),
        OtherTypeRow(.clinical, "HKClinicalTypeIdentifierVitalSignRecord", nil),
        OtherTypeRow(.document, "HKDocumentTypeIdentifierCDA", 345600),
        OtherTypeRow(.scoredAssessment, "HKScoredAssessmentTypeIdentifierGAD7", nil),
        OtherTypeRow(.scoredAssessment, "HKScoredAssessmentTypeIdentifierPHQ9", nil),
        OtherTypeRow(.series, "HKDataTypeIdentifierHeartbeatSeries", nil),
        OtherTypeRow(.series, "HKWorkoutRouteTypeIdentifier", nil),
        OtherTypeRow(.workout, "HKWorkoutTypeIdentifier", nil),
        OtherTypeRow(.audiogram, "HKDataTypeIdentifierAudiogram", nil),
        OtherTypeRow(.electrocardiogram, "HKDataTypeIdentifierElectrocardiogram", nil),
        OtherTypeRow(.prescription, "HKVisionPrescriptionTypeIdentifier", nil),
        OtherTypeRow(.stateOfMind, "HKDataTypeStateOfMind", nil),
        OtherTypeRow(.activitySummary, "HKActivitySummaryTypeIdentifier", nil),
        OtherTypeRow(.medicationDoseEvent, "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent", nil),
        OtherTypeRow(.userAnnotatedMedication, "HKDataTypeUserAnnotatedMedicationConcept", nil),
    ]
}
