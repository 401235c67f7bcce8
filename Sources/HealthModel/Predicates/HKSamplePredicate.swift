// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sample type with a predicate: the request of a query descriptor; `Sample` is the class of its results.
public struct HKSamplePredicate<Sample: HKSample>: Hashable, Sendable {
    /// The type of the samples.
    public let sampleType: HKSampleType
    private let read: ReadPredicate

    init(_ type: HKSampleType, _ predicate: NSPredicate?) {
        sampleType = type
        read = ReadPredicate(predicate)
    }

    /// The meaning of the predicate, or the error if a store cannot read the predicate; the query throws this error.
    package var condition: Result<SamplePredicate, HKError> { read.condition }

    /// The predicate; nil if none was given. An unreadable predicate is replaced by `NSPredicate(value: false)`.
    public var nsPredicate: NSPredicate? { read.nsPredicate }
}

extension HKSamplePredicate where Sample == HKSample {
    /// Returns a request for samples of any type.
    public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> Self { Self(type, predicate) }
}

extension HKSamplePredicate where Sample == HKQuantitySample {
    /// Returns a request for quantity samples of a type.
    public static func quantitySample(type: HKQuantityType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKCategorySample {
    /// Returns a request for category samples of a type.
    public static func categorySample(type: HKCategoryType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKCorrelation {
    /// Returns a request for correlations of a type.
    public static func correlation(type: HKCorrelationType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKHeartbeatSeriesSample {
    /// Returns a request for heartbeat series.
    public static func heartbeatSeries(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKSeriesType.heartbeat(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKWorkoutRoute {
    /// Returns a request for workout routes.
    public static func workoutRoute(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKSeriesType.workoutRoute(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKElectrocardiogram {
    /// Returns a request for electrocardiograms.
    public static func electrocardiogram(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.electrocardiogramType(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKWorkout {
    /// Returns a request for workouts.
    public static func workout(_ predicate: NSPredicate? = nil) -> Self { Self(HKObjectType.workoutType(), predicate) }
}

extension HKSamplePredicate where Sample == HKVisionPrescription {
    /// Returns a request for prescriptions of glasses and contact lenses.
    public static func visionPrescription(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.visionPrescriptionType(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKAudiogramSample {
    /// Returns a request for hearing tests.
    public static func audiogram(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.audiogramSampleType(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKStateOfMind {
    /// Returns a request for state-of-mind entries.
    public static func stateOfMind(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.stateOfMindType(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKGAD7Assessment {
    /// Returns a request for GAD-7 questionnaires.
    public static func gad7Assessment(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKScoredAssessmentType(.GAD7), predicate)
    }
}

extension HKSamplePredicate where Sample == HKPHQ9Assessment {
    /// Returns a request for PHQ-9 questionnaires.
    public static func phq9Assessment(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKScoredAssessmentType(.PHQ9), predicate)
    }
}

extension HKSamplePredicate where Sample == HKClinicalRecord {
    /// Returns a request for clinical records of a type.
    public static func clinicalRecord(type: HKClinicalType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKMedicationDoseEvent {
    /// Returns a request for dose events of medications. HealthKit has no such function.
    public static func medicationDoseEvent(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.medicationDoseEventType(), predicate)
    }
}
