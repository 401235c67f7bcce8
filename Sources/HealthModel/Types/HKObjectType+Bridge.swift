// SPDX-License-Identifier: Apache-2.0

// Between the classes that programs see and the identifiers and `HealthType`s that a store works with.
extension HKObjectType {
    /// What the type's objects are.
    package var objectKind: ObjectTypeKind { facts.kind }

    /// Whether the tables have the type; one that they do not have is newer than this build.
    package var isKnown: Bool { facts.isKnown }

    /// Style and unit of a quantity type, values of a category type; nil for all other types.
    package var healthType: HealthType? { facts.sample }

    /// The type with this identifier, known or not, as an object of its class.
    ///
    /// Of an identifier that the tables do not have, the prefix tells the class; without one it is a quantity type, as
    /// `HealthTypes.type(for:)` has it. One dictionary look-up for known types, which are the same object every time.
    package static func type(for identifier: String) -> HKObjectType {
        shared[identifier] ?? object(TypeFacts.find(identifier))
    }

    private static let shared: [String: HKObjectType] = {
        let identifiers = HealthTypes.all.map(\.identifier) + TypeTables.otherTypes.map(\.identifier)
        return Dictionary(identifiers.map { ($0, object(TypeFacts.find($0))) }) { first, _ in first }
    }()

    private static func object(_ facts: TypeFacts) -> HKObjectType {
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
        }
    }
}

extension HKQuantityType {
    /// The class of a `HealthType` that is a quantity; nil for a category.
    package convenience init?(_ type: HealthType) {
        guard type.kind == .quantity else { return nil }
        self.init(facts: .of(type))
    }

    /// The unit that the SDK's header names; nil for a type that the tables do not have.
    package var canonicalUnit: HKUnit? { facts.sample?.canonicalUnit }
}

extension HKCategoryType {
    /// The class of a `HealthType` that is a category; nil for a quantity.
    package convenience init?(_ type: HealthType) {
        guard type.kind == .category else { return nil }
        self.init(facts: .of(type))
    }
}
