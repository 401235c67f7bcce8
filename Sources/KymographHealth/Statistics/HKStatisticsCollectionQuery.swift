// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A query of statistics of adjacent time intervals; with an update handler, also of their changes.
///
/// For options that the type does not support, and for an interval without a length, the handler receives
/// `errorInvalidArgument`; HealthKit raises an exception.
open class HKStatisticsCollectionQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the collection, or the error. Without samples the collection is empty.
    public typealias ResultsHandler =
        @Sendable (HKStatisticsCollectionQuery, HKStatisticsCollection?, (any Error)?) -> Void
    /// Receives the statistics of a changed interval and the new collection, or the error that ended the query.
    public typealias UpdateHandler =
        @Sendable (HKStatisticsCollectionQuery, HKStatistics?, HKStatisticsCollection?, (any Error)?) -> Void

    /// An edge between two intervals.
    public let anchorDate: Date
    /// The statistics to compute.
    public let options: HKStatisticsOptions
    /// The length of an interval, in its own calendar and time zone, else in the current ones.
    public let intervalComponents: DateComponents
    private let quantityType: HKQuantityType

    private struct Handlers {
        var results: ResultsHandler?
        var update: UpdateHandler?
        var isAnswered = false
    }

    private let handlers = Mutex(Handlers())

    /// - Parameters:
    ///   - quantitySamplePredicate: selects the samples; nil for all samples.
    ///   - anchorDate: an edge between two intervals, in the past or in the future.
    public init(
        quantityType: HKQuantityType, quantitySamplePredicate: NSPredicate?, options: HKStatisticsOptions = [],
        anchorDate: Date, intervalComponents: DateComponents
    ) {
        self.quantityType = quantityType
        self.options = options
        self.anchorDate = anchorDate
        self.intervalComponents = intervalComponents
        super.init(objectType: quantityType, predicate: quantitySamplePredicate)
    }

    /// The handler of the first results: called once, on a thread of the store. Set it before the query is executed.
    @preconcurrency public var initialResultsHandler: ResultsHandler? {
        get { handlers.withLock { $0.results } }
        set { handlers.withLock { $0.results = newValue } }
    }

    /// The handler of changes: called on a thread of the store, after the first results, for each interval that a
    /// commit changed. If a commit changed very many intervals, it is called once, without statistics.
    ///
    /// With a handler, the query runs until it is stopped. Set the handler before the query is executed.
    @preconcurrency public var statisticsUpdateHandler: UpdateHandler? {
        get { handlers.withLock { $0.update } }
        set { handlers.withLock { $0.update = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let question = CollectionQuestion(
            statistics: StatisticsQuestion(type: quantityType, predicate: try condition.get(), options: options),
            anchor: anchorDate, components: intervalComponents)
        let health = try store.store()
        guard let update = statisticsUpdateHandler else {
            let found = try health.statisticsCollection(question, lifecycle)
            if !lifecycle.isStopped { initialResultsHandler?(self, found, nil) }
            return
        }
        let first = try LiveCollection(question, health, lifecycle)
        if lifecycle.isStopped { return }
        handlers.withLock { $0.isAnswered = true }
        initialResultsHandler?(self, first.collection, nil)
        let live = Mutex(first)
        follow(health) { [self] in
            // Steps run one after another; the handler is called without the lock.
            var now = live.withLock { $0 }
            let changes = try now.update(health, lifecycle)
            live.withLock { [now] in $0 = now }
            for one in changes where !lifecycle.isStopped { update(self, one, now.collection, nil) }
        }
    }

    func fail(_ error: HKError) {
        let known = handlers.withLock { $0 }
        if known.isAnswered {
            known.update?(self, nil, nil, error)
        } else {
            known.results?(self, nil, error)
        }
    }
}
