// SPDX-License-Identifier: Apache-2.0

/// The kind of a type's objects: one case per class of types that has its own objects.
package enum ObjectTypeKind: String, Hashable, Sendable, CaseIterable {
    case quantity, category
    case correlation, characteristic, clinical, document, scoredAssessment, series
    case workout, audiogram, electrocardiogram, prescription, stateOfMind, activitySummary
    case medicationDoseEvent, userAnnotatedMedication, verifiableRecord

    /// The identifier prefix of unknown types; nil for kinds with a single type or without a common prefix.
    var prefix: String? {
        switch self {
        case .quantity: HealthType.quantityPrefix
        case .category: HealthType.categoryPrefix
        case .correlation: "HKCorrelationTypeIdentifier"
        case .characteristic: "HKCharacteristicTypeIdentifier"
        case .clinical: "HKClinicalTypeIdentifier"
        case .document: "HKDocumentTypeIdentifier"
        case .scoredAssessment: "HKScoredAssessmentTypeIdentifier"
        case .verifiableRecord: "HKVerifiableClinicalRecordTypeIdentifier"
        default: nil
        }
    }
}

/// One row of the table of types other than quantities and categories.
struct OtherTypeRow: Sendable {
    let kind: ObjectTypeKind
    let identifier: String
    /// The maximum duration of a sample in seconds; nil if no limit is known.
    let maximumDuration: Double?

    init(_ kind: ObjectTypeKind, _ identifier: String, _ maximumDuration: Double?) {
        self.kind = kind
        self.identifier = identifier
        self.maximumDuration = maximumDuration
    }
}
