// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// Gives statistics of all samples of a quantity type that a predicate means, once.
public final class HKStatisticsQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the statistics, or says why there are none: `errorNoData` where no sample matches.
    public typealias Handler = @Sendable (HKStatisticsQuery, HKStatistics?, (any Error)?) -> Void

    private let quantityType: HKQuantityType
    private let options: HKStatisticsOptions
    private let handler: Handler

    /// - Parameters:
    ///   - quantitySamplePredicate: which samples; all, without one.
    ///   - options: what is asked for. Options that the type does not have are `errorInvalidArgument`, told to the
    ///     handler, where HealthKit raises an exception.
    ///   - handler: called once, on a thread of the store.
    public init(
        quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
        completionHandler handler: @escaping Handler
    ) {
        self.quantityType = quantityType
        self.options = options
        self.handler = handler
        super.init(objectType: quantityType, predicate: quantitySamplePredicate)
    }

    func run(in store: HKHealthStore) throws {
        let found = try store.store().statistics(of: quantityType, where: condition.get(), options, course)
        if !course.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// Asks for statistics of all samples of a quantity type that a predicate means, once.
public struct HKStatisticsQueryDescriptor: HKAsyncQuery {
    /// The type, and what is asked of its samples.
    public var predicate: HKSamplePredicate<HKQuantitySample>
    /// What is asked for.
    public var options: HKStatisticsOptions

    /// Asks for statistics.
    public init(predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions) {
        self.predicate = predicate
        self.options = options
    }

    /// The statistics; never nil, which HealthKit's signature allows.
    ///
    /// - Throws: ``HKError``: `errorNoData` where no sample matches, `errorInvalidArgument` for options that the type
    ///   does not have and a predicate that no store can read, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: with dates and sources alone, O(log n) for each source; else O(samples that the dates leave).
    public func result(for healthStore: HKHealthStore) async throws -> HKStatistics? {
        try await BlockingQueue.answer { course in
            try healthStore.store().statistics(
                of: predicate.quantityType, where: predicate.condition.get(), options, course)
        }
    }
}

extension HKSamplePredicate where Sample == HKQuantitySample {
    /// The type of the samples.
    var quantityType: HKQuantityType {
        sampleType as? HKQuantityType
            ?? HKQuantityType(HKQuantityTypeIdentifier(rawValue: sampleType.identifier))
    }
}
