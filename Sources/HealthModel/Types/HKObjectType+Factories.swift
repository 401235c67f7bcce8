// SPDX-License-Identifier: Apache-2.0

// Factories with an identifier return nil if the tables do not contain it, as in HealthKit. The initialiser of the
// type's class accepts every identifier.
extension HKObjectType {
    /// Returns the quantity type with this identifier; nil if it is unknown.
    public static func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
        TypeFacts.known(identifier.rawValue, .quantity).map { HKQuantityType(facts: $0) }
    }

    /// Returns the category type with this identifier; nil if it is unknown.
    public static func categoryType(forIdentifier identifier: HKCategoryTypeIdentifier) -> HKCategoryType? {
        TypeFacts.known(identifier.rawValue, .category).map { HKCategoryType(facts: $0) }
    }

    /// Returns the characteristic type with this identifier; nil if it is unknown.
    public static func characteristicType(
        forIdentifier identifier: HKCharacteristicTypeIdentifier
    ) -> HKCharacteristicType? {
        TypeFacts.known(identifier.rawValue, .characteristic).map { HKCharacteristicType(facts: $0) }
    }

    /// Returns the correlation type with this identifier; nil if it is unknown.
    public static func correlationType(forIdentifier identifier: HKCorrelationTypeIdentifier) -> HKCorrelationType? {
        TypeFacts.known(identifier.rawValue, .correlation).map { HKCorrelationType(facts: $0) }
    }

    /// Returns the document type with this identifier; nil if it is unknown.
    public static func documentType(forIdentifier identifier: HKDocumentTypeIdentifier) -> HKDocumentType? {
        TypeFacts.known(identifier.rawValue, .document).map { HKDocumentType(facts: $0) }
    }

    /// Returns the type of clinical records with this identifier; nil if it is unknown.
    public static func clinicalType(forIdentifier identifier: HKClinicalTypeIdentifier) -> HKClinicalType? {
        TypeFacts.known(identifier.rawValue, .clinical).map { HKClinicalType(facts: $0) }
    }

    /// Returns the series type with this identifier; nil if it is unknown.
    public static func seriesType(forIdentifier identifier: String) -> HKSeriesType? {
        TypeFacts.known(identifier, .series).map { HKSeriesType(facts: $0) }
    }

    /// Returns the type of workouts.
    public static func workoutType() -> HKWorkoutType { HKWorkoutType(facts: .only(.workout)) }

    /// Returns the type of activity summaries.
    public static func activitySummaryType() -> HKActivitySummaryType {
        HKActivitySummaryType(facts: .only(.activitySummary))
    }

    /// Returns the type of hearing tests.
    public static func audiogramSampleType() -> HKAudiogramSampleType {
        HKAudiogramSampleType(facts: .only(.audiogram))
    }

    /// Returns the type of electrocardiograms.
    public static func electrocardiogramType() -> HKElectrocardiogramType {
        HKElectrocardiogramType(facts: .only(.electrocardiogram))
    }

    /// Returns the type of prescriptions for glasses and contact lenses.
    public static func visionPrescriptionType() -> HKPrescriptionType {
        HKPrescriptionType(facts: .only(.prescription))
    }

    /// Returns the type of state-of-mind entries.
    public static func stateOfMindType() -> HKStateOfMindType { HKStateOfMindType(facts: .only(.stateOfMind)) }

    /// Returns the type of medication doses.
    public static func medicationDoseEventType() -> HKMedicationDoseEventType {
        HKMedicationDoseEventType(facts: .only(.medicationDoseEvent))
    }

    /// Returns the type of medications that a person tracks.
    public static func userAnnotatedMedicationType() -> HKUserAnnotatedMedicationType {
        HKUserAnnotatedMedicationType(facts: .only(.userAnnotatedMedication))
    }
}
