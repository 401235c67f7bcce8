// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A type of samples and a predicate over them: what a query descriptor asks for, and the class of what it gives.
public struct HKSamplePredicate<Sample: HKSample>: Sendable {
    /// The type of the samples.
    public let sampleType: HKSampleType
    private let read: ReadPredicate

    init(_ type: HKSampleType, _ predicate: NSPredicate?) {
        sampleType = type
        read = ReadPredicate(predicate)
    }

    /// What the predicate means; the error of one that a store cannot read, which the query throws.
    package var condition: Result<SamplePredicate, HKError> { read.condition }

    /// The predicate, nil where none was given; one that a store cannot read comes back as one that nothing fulfils.
    public var nsPredicate: NSPredicate? { read.nsPredicate }
}

extension HKSamplePredicate where Sample == HKSample {
    /// Samples of any type.
    public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> Self { Self(type, predicate) }
}

extension HKSamplePredicate where Sample == HKQuantitySample {
    /// Quantity samples of a type.
    public static func quantitySample(type: HKQuantityType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKCategorySample {
    /// Category samples of a type.
    public static func categorySample(type: HKCategoryType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKCorrelation {
    /// Correlations of a type.
    public static func correlation(type: HKCorrelationType, predicate: NSPredicate? = nil) -> Self {
        Self(type, predicate)
    }
}

extension HKSamplePredicate where Sample == HKHeartbeatSeriesSample {
    /// Series of heartbeats.
    public static func heartbeatSeries(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKSeriesType.heartbeat(), predicate)
    }
}

extension HKSamplePredicate where Sample == HKElectrocardiogram {
    /// Electrocardiograms.
    public static func electrocardiogram(_ predicate: NSPredicate? = nil) -> Self {
        Self(HKObjectType.electrocardiogramType(), predicate)
    }
}
