// SPDX-License-Identifier: Apache-2.0

// Conversions between the classes of the API and the identifiers and `HealthType`s of the store.
extension HKObjectType {
    /// True if the tables contain the type; other types are newer than this build.
    package var isKnown: Bool { facts.isKnown }

    /// The style and unit of a quantity type, or the values of a category type; nil for all other types.
    package var healthType: HealthType? { facts.sample }

    /// Returns the type with this identifier as an object of its class; the identifier may be unknown.
    ///
    /// The class of an unknown identifier follows from its prefix; without a known prefix it is a quantity type, as in
    /// `HealthTypes.type(for:)`. One dictionary lookup for known types, which always return the same object.
    package static func type(for identifier: String) -> HKObjectType {
        shared[identifier] ?? object(TypeFacts.find(identifier))
    }

    /// All types of the tables, by identifier.
    package static var allKnown: [HKObjectType] { shared.values.sorted { $0.identifier < $1.identifier } }

    private static let shared: [String: HKObjectType] = {
        let identifiers = HealthTypes.all.map(\.identifier) + TypeTables.otherTypes.map(\.identifier)
        return Dictionary(identifiers.map { ($0, object(TypeFacts.find($0))) }) { first, _ in first }
    }()

    /// Returns the object of the class of a kind.
    static func object(_ facts: TypeFacts) -> HKObjectType {
        switch facts.kind {
        case .quantity: HKQuantityType(facts: facts)
        case .category: HKCategoryType(facts: facts)
        case .correlation: HKCorrelationType(facts: facts)
        case .characteristic: HKCharacteristicType(facts: facts)
        case .clinical: HKClinicalType(facts: facts)
        case .document: HKDocumentType(facts: facts)
        case .scoredAssessment: HKScoredAssessmentType(facts: facts)
        case .series: HKSeriesType(facts: facts)
        case .workout: HKWorkoutType(facts: facts)
        case .audiogram: HKAudiogramSampleType(facts: facts)
        case .electrocardiogram: HKElectrocardiogramType(facts: facts)
        case .prescription: HKPrescriptionType(facts: facts)
        case .stateOfMind: HKStateOfMindType(facts: facts)
        case .activitySummary: HKActivitySummaryType(facts: facts)
        case .medicationDoseEvent: HKMedicationDoseEventType(facts: facts)
        case .userAnnotatedMedication: HKUserAnnotatedMedicationType(facts: facts)
        case .verifiableRecord: VerifiableRecordType(facts: facts)
        }
    }
}

extension HKQuantityType {
    /// The unit in the SDK's header; nil for a type that is not in the tables.
    package var canonicalUnit: HKUnit? { facts.sample?.canonicalUnit }
}
