// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// Asks for statistics of adjoining intervals of time: once, or again and again as they change.
public struct HKStatisticsCollectionQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery {
    /// The type, and what is asked of its samples.
    public var predicate: HKSamplePredicate<HKQuantitySample>
    /// What is asked for.
    public var options: HKStatisticsOptions
    /// An edge between two intervals.
    public var anchorDate: Date
    /// How long an interval is, by the calendar and time zone that they carry, else the current ones.
    public var intervalComponents: DateComponents

    /// Asks for statistics of intervals.
    public init(
        predicate: HKSamplePredicate<HKQuantitySample>, options: HKStatisticsOptions, anchorDate: Date,
        intervalComponents: DateComponents
    ) {
        self.predicate = predicate
        self.options = options
        self.anchorDate = anchorDate
        self.intervalComponents = intervalComponents
    }

    /// A collection, and what changed.
    public struct Result: Sendable {
        /// The statistics of all intervals.
        public let statisticsCollection: HKStatisticsCollection
        /// Those of the interval that changed; nil in the first result, and where very many changed.
        public let updatedStatistics: HKStatistics?
    }

    /// The statistics of all intervals; without samples, an empty collection.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for options that the type does not have, intervals without a
    ///   length and a predicate that no store can read, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: with dates and sources alone, O(intervals + index entries + blocks that an edge cuts); else
    ///   O(samples that the dates leave).
    public func result(for healthStore: HKHealthStore) async throws -> HKStatisticsCollection {
        try await BlockingQueue.answer { try question.get().answer(healthStore.store(), $0) }
    }

    /// The statistics of all intervals, then again for each interval that a commit changes.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, question: question)
    }

    private var question: Swift.Result<CollectionQuestion, HKError> {
        predicate.condition.map { condition in
            CollectionQuestion(
                type: predicate.quantityType, predicate: condition, options: options, anchor: anchorDate,
                components: intervalComponents)
        }
    }

    /// The results of a query that goes on.
    public struct Results: AsyncSequence, Sendable {
        /// A collection, and what changed.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let question: Swift.Result<CollectionQuestion, HKError>

        /// Begins the query.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, question: question) }

        /// Goes on with each result that is taken.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let question: Swift.Result<CollectionQuestion, HKError>
            private var commits: CommitLoop?
            private var live: LiveCollection?
            private var waiting: ArraySlice<Result> = []

            fileprivate init(healthStore: HKHealthStore, question: Swift.Result<CollectionQuestion, HKError>) {
                self.healthStore = healthStore
                self.question = question
            }

            /// The next result; nil once the task is cancelled.
            ///
            /// - Throws: ``HKError``, as ``HKStatisticsCollectionQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> Result? {
                while !Task.isCancelled {
                    if let result = waiting.popFirst() { return result }
                    let isFirst = live == nil
                    if !isFirst {
                        if commits == nil { commits = try await CommitLoop(healthStore) }
                        guard try await commits?.wait() ?? false else { return nil }
                    }
                    let (known, question, healthStore) = (live, question, healthStore)
                    let (now, changes): (LiveCollection, [HKStatistics?])
                    do {
                        (now, changes) = try await BlockingQueue.answer { course in
                            let store = try healthStore.store()
                            guard var live = known else {
                                return (try LiveCollection(question.get(), store, course), [nil])
                            }
                            let changes = try live.update(store, course)
                            return (live, changes)
                        }
                    } catch is CancellationError {
                        return nil
                    }
                    live = now
                    waiting =
                        changes.map {
                            Result(statisticsCollection: now.collection, updatedStatistics: $0)
                        }[...]
                }
                return nil
            }
        }
    }
}
