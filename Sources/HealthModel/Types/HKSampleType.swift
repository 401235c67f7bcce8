// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The type of samples: what is stored with a start and an end.
public class HKSampleType: HKObjectType, @unchecked Sendable {
    /// Whether a sample of the type may be too long to be saved.
    ///
    /// HealthKit's limits are not public; the tables have the one that was seen, 4 days for CDA documents. For all
    /// other types this is false, so that nothing is refused for a guess.
    public var isMaximumDurationRestricted: Bool { facts.maximumDuration != nil }

    /// The longest that a sample may be, in seconds; infinity where ``isMaximumDurationRestricted`` is false (there
    /// HealthKit raises an exception).
    public var maximumAllowedDuration: TimeInterval { facts.maximumDuration ?? .infinity }

    /// Whether a sample of the type may be too short to be saved: false, since no such type is known.
    public var isMinimumDurationRestricted: Bool { false }

    /// The shortest that a sample may be, in seconds: 0 (where nothing is restricted, HealthKit raises an exception).
    public var minimumAllowedDuration: TimeInterval { 0 }

    /// Whether a sample's end may be open, which is written as `Date.distantFuture`.
    ///
    /// Those are states that a person enters without knowing their end (pregnancy, lactation, a contraceptive), and
    /// prescriptions, some of which do not expire.
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

/// The type of samples that are a number with a unit.
public final class HKQuantityType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .quantity }

    /// The type with this identifier, known or not.
    ///
    /// HealthKit stops the program for an identifier that it does not know. Here that is a type like any other: it is
    /// discrete, and takes every unit.
    public convenience init(_ identifier: HKQuantityTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .quantity))
    }

    /// How samples of the type are put together.
    public var aggregationStyle: HKQuantityAggregationStyle { facts.sample?.aggregationStyle ?? .discreteArithmetic }

    /// Whether a quantity in this unit can be a sample of the type; always, if the tables do not have the type.
    public func `is`(compatibleWith unit: HKUnit) -> Bool { facts.sample?.isCompatible(with: unit) ?? true }
}

/// The type of samples that are one of a few named values.
public final class HKCategoryType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .category }

    /// The type with this identifier, known or not; any value is valid in one that the tables do not have.
    public convenience init(_ identifier: HKCategoryTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .category))
    }
}

/// The type of samples that are several samples taken together, such as the two numbers of a blood pressure.
public final class HKCorrelationType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .correlation }

    /// The type with this identifier, known or not.
    public convenience init(_ identifier: HKCorrelationTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .correlation))
    }
}

/// The type of documents.
public final class HKDocumentType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .document }

    /// The type with this identifier, known or not.
    public convenience init(_ identifier: HKDocumentTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .document))
    }
}

/// The type of records of a clinic or an insurance.
public final class HKClinicalType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .clinical }

    /// The type with this identifier, known or not.
    public convenience init(_ identifier: HKClinicalTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .clinical))
    }
}

/// The type of questionnaires with a score.
public final class HKScoredAssessmentType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .scoredAssessment }

    /// The type with this identifier, known or not.
    public convenience init(_ identifier: HKScoredAssessmentTypeIdentifier) {
        self.init(facts: .of(identifier.rawValue, .scoredAssessment))
    }
}

/// The type of workouts.
public final class HKWorkoutType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .workout }
}

/// The type of samples that hold a series: routes of workouts, and heartbeats.
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .series }

    /// The type of the routes of workouts.
    public static func workoutRoute() -> HKSeriesType {
        HKSeriesType(facts: .of(HKWorkoutRouteTypeIdentifier, .series))
    }

    /// The type of series of heartbeats.
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

/// The type of entries about how a person feels.
public final class HKStateOfMindType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .stateOfMind }
}

/// The type of doses of a medication that were taken, skipped or forgotten.
public final class HKMedicationDoseEventType: HKSampleType, @unchecked Sendable {
    override class var kind: ObjectTypeKind? { .medicationDoseEvent }
}

/// The identifier of the workout type.
public let HKWorkoutTypeIdentifier = "HKWorkoutTypeIdentifier"
/// The identifier of the type of routes of workouts.
public let HKWorkoutRouteTypeIdentifier = "HKWorkoutRouteTypeIdentifier"
/// The identifier of the type of series of heartbeats.
public let HKDataTypeIdentifierHeartbeatSeries = "HKDataTypeIdentifierHeartbeatSeries"
