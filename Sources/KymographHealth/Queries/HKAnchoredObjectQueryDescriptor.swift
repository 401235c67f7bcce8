// SPDX-License-Identifier: Apache-2.0

public import HealthModel

/// Asks for the samples that came since an anchor and are still there, and for what was deleted: once, or again and
/// again.
public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: HKAsyncQuery, HKAsyncSequenceQuery {
    /// Which types, and what is asked of their samples. Of several, what any of them means.
    public var predicates: [HKSamplePredicate<Sample>]
    /// That of the query before with the same predicates; nil for all that is there.
    public var anchor: HKQueryAnchor?
    /// The most samples and deleted objects of one result together; nil for all.
    public var limit: Int?

    /// Asks for what came and went.
    public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
        self.predicates = predicates
        self.anchor = anchor
        self.limit = limit
    }

    /// What came and went.
    public struct Result: Sendable {
        /// The samples that came and are still there.
        public let addedSamples: [Sample]
        /// What is left of those that were deleted.
        public let deletedObjects: [HKDeletedObject]
        /// Up to where this was told: the anchor for the next query.
        public let newAnchor: HKQueryAnchor
    }

    /// What came and went since the anchor.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a predicate that no store can read and for an anchor that is
    ///   no longer good, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: O(what came and went); with nothing new, some microseconds.
    public func result(for healthStore: HKHealthStore) async throws -> Result {
        // That nothing is new can be told at once: a change of threads takes longer.
        if let anchor, let store = healthStore.storeIfOpen {
            _ = try SampleSearch.parts(predicates)
            try Task.checkCancellation()
            do {
                if try store.isCurrent(anchor.position) {
                    return Result(addedSamples: [], deletedObjects: [], newAnchor: anchor)
                }
            } catch {
                throw HKError(error)
            }
        }
        return try await BlockingQueue.answer { course in try answer(healthStore, anchor?.position, course).result }
    }

    /// What came and went since the anchor, then each time that something comes or goes. The first result comes at
    /// once, also where it is empty. With a limit, results follow each other until all is told.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, descriptor: self)
    }

    fileprivate func answer(
        _ healthStore: HKHealthStore, _ position: FeedPosition?, _ course: QueryLifecycle
    ) throws -> (result: Result, position: FeedPosition, isComplete: Bool) {
        let parts = try SampleSearch.parts(predicates)
        let page = try healthStore.store().feed(parts, since: position, limit: QueryLimit.count(limit), course)
        let result = Result(
            addedSamples: page.added.ofClass(Sample.self), deletedObjects: page.deleted,
            newAnchor: HKQueryAnchor(page.position))
        return (result, page.position, page.isComplete)
    }

    /// The results of a query that goes on.
    public struct Results: AsyncSequence, Sendable {
        /// What came and went.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKAnchoredObjectQueryDescriptor<Sample>

        /// Begins the query.
        public func makeAsyncIterator() -> Iterator {
            Iterator(healthStore: healthStore, descriptor: descriptor, position: descriptor.anchor?.position)
        }

        /// Goes on with each result that is taken: what nobody takes is not read.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKAnchoredObjectQueryDescriptor<Sample>
            fileprivate var position: FeedPosition?
            private var commits: CommitLoop?
            private var isFirst = true
            private var isComplete = false

            fileprivate init(
                healthStore: HKHealthStore, descriptor: HKAnchoredObjectQueryDescriptor<Sample>,
                position: FeedPosition?
            ) {
                self.healthStore = healthStore
                self.descriptor = descriptor
                self.position = position
            }

            /// The next result; nil once the task is cancelled.
            ///
            /// - Throws: ``HKError``, as ``HKAnchoredObjectQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> Result? {
                while !Task.isCancelled {
                    if isComplete {
                        if commits == nil { commits = try await CommitLoop(healthStore) }
                        guard try await commits?.wait() ?? false else { return nil }
                    }
                    let (position, descriptor, healthStore) = (position, descriptor, healthStore)
                    let answer: (result: Result, position: FeedPosition, isComplete: Bool)
                    do {
                        answer = try await BlockingQueue.answer { try descriptor.answer(healthStore, position, $0) }
                    } catch is CancellationError {
                        return nil
                    }
                    self.position = answer.position
                    isComplete = answer.isComplete
                    defer { isFirst = false }
                    let isEmpty = answer.result.addedSamples.isEmpty && answer.result.deletedObjects.isEmpty
                    if isFirst || !isEmpty { return answer.result }
                }
                return nil
            }
        }
    }
}
