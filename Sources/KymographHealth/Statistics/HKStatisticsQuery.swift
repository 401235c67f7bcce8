// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of statistics of all samples of a quantity type that match a predicate.
open class HKStatisticsQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the statistics, or the error: `errorNoData` if no sample matches.
    public typealias Handler = @Sendable (HKStatisticsQuery, HKStatistics?, (any Error)?) -> Void

    private let quantityType: HKQuantityType
    private let options: HKStatisticsOptions
    private let handler: Handler

    /// - Parameters:
    ///   - quantitySamplePredicate: selects the samples; nil for all samples.
    ///   - options: the statistics to compute. For options that the type does not support, the handler receives
    ///     `errorInvalidArgument`; HealthKit raises an exception.
    ///   - handler: called once, on a thread of the store.
    @preconcurrency public init(
        quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
        completionHandler handler: @escaping Handler
    ) {
        self.quantityType = quantityType
        self.options = options
        self.handler = handler
        super.init(objectType: quantityType, predicate: quantitySamplePredicate)
    }

    func run(in store: HKHealthStore) throws {
        let found = try store.store().statistics(of: quantityType, where: condition.get(), options, lifecycle)
        if !lifecycle.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// A query of statistics of all samples of a quantity type that match a predicate.
public struct HKStatisticsQueryDescriptor: HKAsyncQuery, Sendable {
    /// The type, and the predicate for its samples.
    public var predicate: HKSamplePredicate<HKQuantitySample>
    /// The statistics to compute.
    public var options: HKStatisticsOptions

    /// Creates a query of statistics.
    public init(predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions) {
        self.predicate = predicate
        self.options = options
    }

    /// Returns the statistics. The result is never nil; the optional type is that of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorNoData` if no sample matches, `errorInvalidArgument` for options that the type does
    ///   not support and for an unreadable predicate, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: for a predicate with only dates and sources, O(log n) per source; otherwise O(samples in the range
    ///   of dates).
    public func result(for healthStore: HKHealthStore) async throws -> HKStatistics? {
        try await BlockingQueue.answer { lifecycle in
            try healthStore.store().statistics(
                of: predicate.quantityType, where: predicate.condition.get(), options, lifecycle)
        }
    }
}

extension HKSamplePredicate where Sample == HKQuantitySample {
    var quantityType: HKQuantityType {
        sampleType as? HKQuantityType
            ?? HKQuantityType(HKQuantityTypeIdentifier(rawValue: sampleType.identifier))
    }
}
