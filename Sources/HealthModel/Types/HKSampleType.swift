// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The type of samples: objects with a start and an end.
public class HKSampleType: HKObjectType, @unchecked Sendable {
    /// Whether samples of the type have a maximum duration.
    ///
    /// HealthKit's limits are not public. The tables contain the only observed one, 4 days for CDA documents; all other
    /// types return false, so that no sample is rejected because of a guess.
    public var isMaximumDurationRestricted: Bool { facts.maximumDuration != nil }

    /// The maximum duration of a sample in seconds; infinity if ``isMaximumDurationRestricted`` is false (HealthKit
    /// then raises an exception).
    public var maximumAllowedDuration: TimeInterval { facts.maximumDuration ?? .infinity }

    /// Whether samples of the type have a minimum duration: always false, since no such type is known.
    public var isMinimumDurationRestricted: Bool { false }

    /// The minimum duration of a sample in seconds: always 0 (HealthKit raises an exception for unrestricted types).
    public var minimumAllowedDuration: TimeInterval { 0 }

    /// Whether the system's estimates of the type can be recalibrated: always false, since a store has no estimates.
    public var allowsRecalibrationForEstimates: Bool { false }

    /// Whether a sample's end may be open, that is, `Date.distantFuture`.
    ///
    /// True for states without a known end (pregnancy, lactation, contraceptive) and for prescriptions, some of which
    /// do not expire.
    var allowsUndeterminedDuration: Bool {
        switch facts.kind {
        case .prescription: true
        case .category: Self.openEnded.contains(identifier)
        default: false
        }
    }

    private static let openEnded: Set<String> = [
        HKCategoryTypeIdentifier.pregnancy.rawValue, HKCategoryTypeIdentifier.lactation.rawValue,
        HKCategoryTypeIdentifier.contraceptive.rawValue,
    ]
}

/// The type of samples with a quantity.
public final class HKQuantityType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .quantity }

    /// Creates the type with this identifier, which may be unknown.
    ///
    /// HealthKit ends the program for an unknown identifier. Here an unknown type is discrete and accepts every unit.
    public convenience init(_ identifier: HKQuantityTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .quantity))
    }

    /// The style in which samples of the type are aggregated.
    public var aggregationStyle: HKQuantityAggregationStyle { facts.sample?.aggregationStyle ?? .discreteArithmetic }

    /// Returns whether a sample of the type may have a quantity in this unit; always true for an unknown type.
    public func `is`(compatibleWith unit: HKUnit) -> Bool { facts.sample?.isCompatible(with: unit) ?? true }
}

/// The type of samples with one of a few named values.
public final class HKCategoryType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .category }

    /// Creates the type with this identifier, which may be unknown; an unknown type accepts every value.
    public convenience init(_ identifier: HKCategoryTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .category))
    }
}

/// The type of samples that group other samples, such as the two values of a blood pressure.
public final class HKCorrelationType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .correlation }

    /// Creates the type with this identifier, which may be unknown.
    public convenience init(_ identifier: HKCorrelationTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .correlation))
    }
}

/// The type of documents.
public final class HKDocumentType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .document }

    /// Creates the type with this identifier, which may be unknown.
    public convenience init(_ identifier: HKDocumentTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .document))
    }
}

/// The type of records from a clinic or an insurer.
public final class HKClinicalType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .clinical }

    /// Creates the type with this identifier, which may be unknown.
    public convenience init(_ identifier: HKClinicalTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .clinical))
    }
}

/// The type of questionnaires with a score.
public final class HKScoredAssessmentType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .scoredAssessment }

    /// Creates the type with this identifier, which may be unknown.
    public convenience init(_ identifier: HKScoredAssessmentTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .scoredAssessment))
    }
}

/// The type of workouts.
public final class HKWorkoutType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .workout }
}

/// The type of samples that represent a series: workout routes and heartbeats.
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .series }

    /// Returns the type of workout routes.
    public static func workoutRoute() -> HKSeriesType {
        HKSeriesType(facts: .of(HKWorkoutRouteTypeIdentifier, .series))
    }

    /// Returns the type of heartbeat series.
    public static func heartbeat() -> HKSeriesType {
        HKSeriesType(facts: .of(HKDataTypeIdentifierHeartbeatSeries, .series))
    }
}

/// The type of hearing tests.
public final class HKAudiogramSampleType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .audiogram }
}

/// The type of electrocardiograms.
public final class HKElectrocardiogramType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .electrocardiogram }
}

/// The type of prescriptions.
public final class HKPrescriptionType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .prescription }
}

/// The type of state-of-mind entries.
public final class HKStateOfMindType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .stateOfMind }
}

/// The type of medication doses, whether taken, skipped or forgotten.
public final class HKMedicationDoseEventType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .medicationDoseEvent }
}

/// The identifier of the workout type.
public let HKWorkoutTypeIdentifier = "HKWorkoutTypeIdentifier"
/// The identifier of the type of workout routes.
public let HKWorkoutRouteTypeIdentifier = "HKWorkoutRouteTypeIdentifier"
/// The identifier of the type of heartbeat series.
public let HKDataTypeIdentifierHeartbeatSeries = "HKDataTypeIdentifierHeartbeatSeries"
/// The identifier of the type of activity summaries.
public let HKActivitySummaryTypeIdentifier = "HKActivitySummaryTypeIdentifier"
/// The identifier of the type of medications that a person tracks.
public let HKDataTypeIdentifierUserAnnotatedMedicationConcept = "HKDataTypeUserAnnotatedMedicationConcept"
/// The identifier of the type of medication doses.
public let HKMedicationDoseEventTypeIdentifierMedicationDoseEvent =
    "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent"
