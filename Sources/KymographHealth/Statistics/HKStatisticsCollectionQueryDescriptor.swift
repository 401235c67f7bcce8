// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of statistics of adjacent time intervals: once, or repeatedly as they change.
public struct HKStatisticsCollectionQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
    /// The type, and the predicate for its samples.
    public var predicate: HKSamplePredicate<HKQuantitySample>
    /// The statistics to compute.
    public var options: HKStatisticsOptions
    /// An edge between two intervals.
    public var anchorDate: Date
    /// The length of an interval, in its own calendar and time zone, else in the current ones.
    public var intervalComponents: DateComponents

    /// Creates a query of statistics of intervals.
    public init(
        predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions, anchorDate: Date,
        intervalComponents: DateComponents
    ) {
        self.predicate = predicate
        self.options = options
        self.anchorDate = anchorDate
        self.intervalComponents = intervalComponents
    }

    /// A collection, and the changed intervals.
    public struct Result: Sendable {
        /// The statistics of all intervals.
        public let statisticsCollection: HKStatisticsCollection
        /// The statistics of the changed intervals in order of time; nil in the first result, and if very many
        /// intervals changed.
        public let updatedStatistics: [HKStatistics]?
    }

    /// Returns the statistics of all intervals; without samples, an empty collection.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for options that the type does not support, for intervals without
    ///   a length and for an unreadable predicate, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: for a predicate with only dates and sources, O(intervals + index entries + blocks cut by an edge);
    ///   otherwise O(samples in the range of dates).
    public func result(for healthStore: HKHealthStore) async throws -> HKStatisticsCollection {
        try await BlockingQueue.answer { lifecycle in
            let question = try question.get()
            return try healthStore.store().statisticsCollection(question, lifecycle)
        }
    }

    /// Returns a sequence of results: the statistics of all intervals, then again after each commit that changes
    /// any of them.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, question: question)
    }

    private var question: Swift.Result<CollectionQuestion, HKError> {
        predicate.condition.map { condition in
            CollectionQuestion(
                statistics: StatisticsQuestion(
                    type: predicate.quantityType, predicate: condition, options: options),
                anchor: anchorDate, components: intervalComponents)
        }
    }

    /// The results of a running query.
    public struct Results: AsyncSequence, Sendable {
        /// A collection, and the changed intervals.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let question: Swift.Result<CollectionQuestion, HKError>

        /// Starts the query.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, question: question) }

        /// An iterator that reads each result when it is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let question: Swift.Result<CollectionQuestion, HKError>
            fileprivate var commits: CommitLoop?
            fileprivate var live: LiveCollection?

            /// Returns the next result; nil once the task is cancelled.
            ///
            /// - Throws: ``HKError``, as ``HKStatisticsCollectionQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> Result? {
                while !Task.isCancelled {
                    let isFirst = live == nil
                    if !isFirst {
                        if commits == nil { commits = try await CommitLoop(healthStore) }
                        guard try await commits?.wait() ?? false else { return nil }
                    }
                    let (known, question, healthStore) = (live, question, healthStore)
                    let (now, changes): (LiveCollection, [HKStatistics?])
                    do {
                        (now, changes) = try await BlockingQueue.answer { lifecycle in
                            let store = try healthStore.store()
                            guard var live = known else {
                                return (try LiveCollection(question.get(), store, lifecycle), [nil])
                            }
                            let changes = try live.update(store, lifecycle)
                            return (live, changes)
                        }
                    } catch is CancellationError {
                        return nil
                    }
                    live = now
                    if changes.isEmpty { continue }
                    // A single nil stands for no list: the first result, or very many intervals.
                    let updated = changes.compactMap(\.self)
                    return Result(
                        statisticsCollection: now.collection, updatedStatistics: updated.isEmpty ? nil : updated)
                }
                return nil
            }
        }
    }
}
