// SPDX-License-Identifier: Apache-2.0

/// What a type's objects are: one kind for each class of types that has objects of its own.
package enum ObjectTypeKind: String, Hashable, Sendable, CaseIterable {
    case quantity, category
    case correlation, characteristic, clinical, document, scoredAssessment, series
    case workout, audiogram, electrocardiogram, prescription, stateOfMind, activitySummary
    case medicationDoseEvent, userAnnotatedMedication

    /// The prefix of identifiers of types that no table has yet; nil where there is one type only, or no common prefix.
    var prefix: String? {
        switch self {
        case .quantity: HealthType.quantityPrefix
        case .category: HealthType.categoryPrefix
        case .correlation: "HKCorrelationTypeIdentifier"
        case .characteristic: "HKCharacteristicTypeIdentifier"
        case .clinical: "HKClinicalTypeIdentifier"
        case .document: "HKDocumentTypeIdentifier"
        case .scoredAssessment: "HKScoredAssessmentTypeIdentifier"
        default: nil
        }
    }
}

/// One row of the table of types that are neither quantities nor categories.
struct OtherTypeRow: Sendable {
    let kind: ObjectTypeKind
    let identifier: String
    /// The longest that a sample may be, in seconds; nil where no limit is known.
    let maximumDuration: Double?

    init(_ kind: ObjectTypeKind, _ identifier: String, _ maximumDuration: Double?) {
        self.kind = kind
        self.identifier = identifier
        self.maximumDuration = maximumDuration
    }
}
