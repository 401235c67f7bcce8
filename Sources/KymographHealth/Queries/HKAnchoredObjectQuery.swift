// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// The anchor value of the first version of HealthKit for all samples: `HKQueryAnchor(fromValue:)` takes it.
public let HKAnchoredObjectQueryNoAnchor = 0

/// A query of the samples added since an anchor that still exist, and of the identities of deleted samples; with an
/// update handler, also of later changes.
open class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the added samples, the deleted objects and the anchor for the next query, or the error.
    public typealias Handler =
        @Sendable (HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?) -> Void

    private let descriptors: [HKQueryDescriptor]
    private let anchor: HKQueryAnchor?
    private let limit: Int
    private let handler: Handler
    private let updates = Mutex<Handler?>(nil)

    /// Creates a query of one type.
    ///
    /// - Parameters:
    ///   - predicate: selects the samples; nil for all samples. Deleted objects are reported for any predicate, except
    ///     for its conditions on sources.
    ///   - anchor: the anchor of the previous query with the same type and predicate; nil for all samples.
    ///   - limit: the maximum number of samples and deleted objects together; ``HKObjectQueryNoLimit`` for all.
    ///   - resultsHandler: called once, on a thread of the store.
    @preconcurrency public init(
        type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
        resultsHandler handler: @escaping Handler
    ) {
        descriptors = [HKQueryDescriptor(sampleType: type, predicate: predicate)]
        self.anchor = anchor
        self.limit = limit
        self.handler = handler
        super.init(objectType: type, predicate: predicate)
    }

    /// Creates a query of several types.
    @preconcurrency public init(
        queryDescriptors: [HKQueryDescriptor], anchor: HKQueryAnchor?, limit: Int,
        resultsHandler handler: @escaping Handler
    ) {
        descriptors = queryDescriptors
        self.anchor = anchor
        self.limit = limit
        self.handler = handler
        super.init(objectType: nil, predicate: nil)
    }

    /// The handler of later changes: called on a thread of the store, after the results handler, whenever objects were
    /// added or deleted.
    ///
    /// With a handler, the query runs until it is stopped. Set the handler before the query is executed. In a query
    /// with a limit it is not called: use another query with the new anchor.
    @preconcurrency public var updateHandler: Handler? {
        get { updates.withLock { $0 } }
        set { updates.withLock { $0 = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let parts = try descriptors.map { one throws(HKError) in try one.part() }
        let health = try store.store()
        let page = try health.feed(parts, since: anchor?.position, limit: QueryLimit.count(limit), lifecycle)
        if lifecycle.isStopped { return }
        let update = updateHandler
        handler(self, page.added, page.deleted, HKQueryAnchor(page.position), nil)
        guard let update, QueryLimit.count(limit) == .max else { return }
        let last = Mutex(page.position)
        follow(health) { [self] in
            let page = try health.feed(parts, since: last.withLock { $0 }, lifecycle)
            if lifecycle.isStopped { return }
            last.withLock { $0 = page.position }
            if page.count > 0 { update(self, page.added, page.deleted, HKQueryAnchor(page.position), nil) }
        }
    }

    func fail(_ error: HKError) { handler(self, nil, nil, nil, error) }
}

/// A query of the samples added since an anchor that still exist, and of deleted objects: once, or repeatedly.
public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
    /// The types, each with a predicate for its samples. A sample matches if any predicate matches.
    public var predicates: [HKSamplePredicate<Sample>]
    /// The anchor of the previous query with the same predicates; nil for all samples.
    public var anchor: HKQueryAnchor?
    /// The maximum number of samples and deleted objects together in one result; nil for all.
    public var limit: Int?

    /// Creates a query of changes.
    public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
        self.predicates = predicates
        self.anchor = anchor
        self.limit = limit
    }

    /// The changes since an anchor.
    public struct Result: Sendable {
        /// The added samples that still exist.
        public let addedSamples: [Sample]
        /// The deleted objects.
        public let deletedObjects: [HKDeletedObject]
        /// The anchor for the next query.
        public let newAnchor: HKQueryAnchor
    }

    /// Returns the changes since the anchor.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate and for an anchor that is no longer
    ///   valid, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: O(changes); without changes, some microseconds.
    public func result(for healthStore: HKHealthStore) async throws -> Result {
        // The fast path without changes: a switch of threads takes longer.
        if let anchor, let store = healthStore.storeIfOpen {
            _ = try SampleSearch.parts(predicates)
            try Task.checkCancellation()
            if try HKError.converting({ try store.isCurrent(anchor.position) }) {
                return Result(addedSamples: [], deletedObjects: [], newAnchor: anchor)
            }
        }
        return try await BlockingQueue.answer { lifecycle in try answer(healthStore, anchor?.position, lifecycle).result
        }
    }

    /// Returns a sequence of results: the changes since the anchor, then later changes as they are committed. The first
    /// result comes at once, even if it is empty. With a limit, several results follow each other until all changes are
    /// reported.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, descriptor: self)
    }

    fileprivate func answer(
        _ healthStore: HKHealthStore, _ position: FeedPosition?, _ lifecycle: QueryLifecycle
    ) throws -> (result: Result, position: FeedPosition, isComplete: Bool) {
        let parts = try SampleSearch.parts(predicates)
        let page = try healthStore.store().feed(parts, since: position, limit: QueryLimit.count(limit), lifecycle)
        let result = Result(
            addedSamples: page.added.ofClass(Sample.self), deletedObjects: page.deleted,
            newAnchor: HKQueryAnchor(page.position))
        return (result, page.position, page.isComplete)
    }

    /// The results of a running query.
    public struct Results: AsyncSequence, Sendable {
        /// The changes since the previous result.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKAnchoredObjectQueryDescriptor<Sample>

        /// Starts the query.
        public func makeAsyncIterator() -> Iterator {
            Iterator(healthStore: healthStore, descriptor: descriptor, position: descriptor.anchor?.position)
        }

        /// An iterator that reads each result when it is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKAnchoredObjectQueryDescriptor<Sample>
            fileprivate var position: FeedPosition?
            fileprivate var commits: CommitLoop?
            fileprivate var isFirst = true
            fileprivate var isComplete = false

            /// Returns the next result; nil once the task is cancelled.
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
