// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sample type with a predicate: the request of a query descriptor; `Sample` is the class of its results.
public struct HKSamplePredicate<Sample: HKSample>: Sendable {
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
