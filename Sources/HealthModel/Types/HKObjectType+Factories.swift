// SPDX-License-Identifier: Apache-2.0

// Factories with an identifier give nil where the tables do not have it, as HealthKit's do. The initialiser of the
// type's class takes every identifier.
extension HKObjectType {
    /// The quantity type with this identifier, nil where the tables do not have it.
    public static func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
        TypeFacts.known(identifier.rawValue, .quantity).map { HKQuantityType(facts: $0) }
    }

    /// The category type with this identifier, nil where the tables do not have it.
    public static func categoryType(forIdentifier identifier: HKCategoryTypeIdentifier) -> HKCategoryType? {
        TypeFacts.known(identifier.rawValue, .category).map { HKCategoryType(facts: $0) }
    }

    /// The characteristic type with this identifier, nil where the tables do not have it.
    public static func characteristicType(
        forIdentifier identifier: HKCharacteristicTypeIdentifier
    ) -> HKCharacteristicType? {
        TypeFacts.known(identifier.rawValue, .characteristic).map { HKCharacteristicType(facts: $0) }
    }

    /// The correlation type with this identifier, nil where the tables do not have it.
    public static func correlationType(forIdentifier identifier: HKCorrelationTypeIdentifier) -> HKCorrelationType? {
        TypeFacts.known(identifier.rawValue, .correlation).map { HKCorrelationType(facts: $0) }
    }

    /// The document type with this identifier, nil where the tables do not have it.
    public static func documentType(forIdentifier identifier: HKDocumentTypeIdentifier) -> HKDocumentType? {
        TypeFacts.known(identifier.rawValue, .document).map { HKDocumentType(facts: $0) }
    }

    /// The type of clinical records with this identifier, nil where the tables do not have it.
    public static func clinicalType(forIdentifier identifier: HKClinicalTypeIdentifier) -> HKClinicalType? {
        TypeFacts.known(identifier.rawValue, .clinical).map { HKClinicalType(facts: $0) }
    }

    /// The series type with this identifier, nil where the tables do not have it.
    public static func seriesType(forIdentifier identifier: String) -> HKSeriesType? {
        TypeFacts.known(identifier, .series).map { HKSeriesType(facts: $0) }
    }

    /// The type of workouts.
    public static func workoutType() -> HKWorkoutType { HKWorkoutType(facts: .only(.workout)) }

    /// The type of the summaries of days.
    public static func activitySummaryType() -> HKActivitySummaryType {
        HKActivitySummaryType(facts: .only(.activitySummary))
    }

    /// The type of hearing tests.
    public static func audiogramSampleType() -> HKAudiogramSampleType {
        HKAudiogramSampleType(facts: .only(.audiogram))
    }

    /// The type of electrocardiograms.
    public static func electrocardiogramType() -> HKElectrocardiogramType {
        HKElectrocardiogramType(facts: .only(.electrocardiogram))
    }

    /// The type of prescriptions for glasses and contact lenses.
    public static func visionPrescriptionType() -> HKPrescriptionType {
        HKPrescriptionType(facts: .only(.prescription))
    }

    /// The type of entries about how a person feels.
    public static func stateOfMindType() -> HKStateOfMindType { HKStateOfMindType(facts: .only(.stateOfMind)) }

    /// The type of doses of medications.
    public static func medicationDoseEventType() -> HKMedicationDoseEventType {
        HKMedicationDoseEventType(facts: .only(.medicationDoseEvent))
    }

    /// The type of medications that a person tracks.
    public static func userAnnotatedMedicationType() -> HKUserAnnotatedMedicationType {
        HKUserAnnotatedMedicationType(facts: .only(.userAnnotatedMedication))
    }
}
