// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// Gives statistics of adjoining intervals of time; with an update handler, also as they change.
///
/// Where options are none of the type's, or an interval has no length, HealthKit raises an exception; here the handler
/// is called with `errorInvalidArgument`.
public final class HKStatisticsCollectionQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the collection, or says why there is none. Without samples the collection is empty.
    public typealias ResultsHandler =
        @Sendable (HKStatisticsCollectionQuery, HKStatisticsCollection?, (any Error)?) -> Void
    /// Takes the statistics of an interval that changed and the new collection, or says why the query ended.
    public typealias UpdateHandler =
        @Sendable (HKStatisticsCollectionQuery, HKStatistics?, HKStatisticsCollection?, (any Error)?) -> Void

    /// An edge between two intervals.
    public let anchorDate: Date
    /// What is asked for.
    public let options: HKStatisticsOptions
    /// How long an interval is, by the calendar and time zone that they carry, else the current ones.
    public let intervalComponents: DateComponents
    private let quantityType: HKQuantityType

    private struct Handlers {
        var results: ResultsHandler?
        var update: UpdateHandler?
        var isAnswered = false
    }

    private let handlers = Mutex(Handlers())

    /// - Parameters:
    ///   - quantitySamplePredicate: which samples; all, without one.
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

    /// Called once, on a thread of the store. Set it before the query is executed.
    public var initialResultsHandler: ResultsHandler? {
        get { handlers.withLock { $0.results } }
        set { handlers.withLock { $0.results = newValue } }
    }

    /// Called on a thread of the store, after the first results, for each interval that a commit changed; the query
    /// then runs until it is stopped. Where a commit changed very many it is called once, without statistics.
    ///
    /// Set it before the query is executed.
    public var statisticsUpdateHandler: UpdateHandler? {
        get { handlers.withLock { $0.update } }
        set { handlers.withLock { $0.update = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let question = CollectionQuestion(
            type: quantityType, predicate: try condition.get(), options: options, anchor: anchorDate,
            components: intervalComponents)
        let health = try store.store()
        guard let update = statisticsUpdateHandler else {
            let found = try question.answer(health, course)
            if !course.isStopped { initialResultsHandler?(self, found, nil) }
            return
        }
        let first = try LiveCollection(question, health, course)
        if course.isStopped { return }
        handlers.withLock { $0.isAnswered = true }
        initialResultsHandler?(self, first.collection, nil)
        let live = Mutex(first)
        follow(health) { [self] in
            // Steps follow each other; the handler is called outside of the lock.
            var now = live.withLock { $0 }
            let changes = try now.update(health, course)
            live.withLock { [now] in $0 = now }
            for one in changes where !course.isStopped { update(self, one, now.collection, nil) }
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
