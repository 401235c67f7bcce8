// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A running query of the effort samples of workouts. It returns all relationships first, then changed relationships.
open class HKWorkoutEffortRelationshipQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives relationships and the anchor for the next query, or the error.
    public typealias Handler =
        @Sendable (
            HKWorkoutEffortRelationshipQuery, [HKWorkoutEffortRelationship]?, HKQueryAnchor?, (any Error)?
        ) -> Void

    private let anchor: HKQueryAnchor?
    private let options: HKWorkoutEffortRelationshipQueryOptions
    private let handler: Handler

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - predicate: selects workouts; nil for all workouts.
    ///   - anchor: the anchor of a previous query, for changed relationships only; nil for all relationships.
    ///   - resultsHandler: called on a thread of the store: once, also without relationships, then after each change of
    ///     relations, until the query is stopped.
    @preconcurrency public init(
        predicate: NSPredicate?, anchor: HKQueryAnchor?, options: HKWorkoutEffortRelationshipQueryOptions,
        resultsHandler: @escaping Handler
    ) {
        self.anchor = anchor
        self.options = options
        handler = resultsHandler
        super.init(objectType: HKObjectType.workoutType(), predicate: predicate)
    }

    func run(in store: HKHealthStore) throws {
        let question = EffortQuestion(predicate: try condition.get(), options: options)
        let health = try store.store()
        let first = try question.answer(health, since: anchor?.position)
        if lifecycle.isStopped { return }
        handler(self, first.relationships, HKQueryAnchor(first.position), nil)
        let last = Mutex(first.position)
        follow(health) { [self] in
            let answer = try question.answer(health, since: last.withLock { $0 })
            if lifecycle.isStopped { return }
            last.withLock { $0 = answer.position }
            if !answer.relationships.isEmpty {
                handler(self, answer.relationships, HKQueryAnchor(answer.position), nil)
            }
        }
    }

    func fail(_ error: HKError) { handler(self, nil, nil, error) }
}

/// A query of the effort samples of workouts, for one result or for a sequence of results.
public struct HKWorkoutEffortRelationshipQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
    /// The predicate for workouts; nil for all workouts.
    public var predicate: NSPredicate? { read.nsPredicate }
    /// The anchor of a previous query; nil for all relationships.
    public var anchor: HKQueryAnchor?
    /// Which samples of a relationship are returned.
    public var option: HKWorkoutEffortRelationshipQueryOptions
    private let read: ReadPredicate

    /// Creates a query.
    public init(
        predicate: NSPredicate?, anchor: HKQueryAnchor?, option: HKWorkoutEffortRelationshipQueryOptions
    ) {
        read = ReadPredicate(predicate)
        self.anchor = anchor
        self.option = option
    }

    /// Relationships, and the anchor after them.
    public struct Result: Sendable {
        /// The relationships, ascending by the start of the workout.
        public let relationships: [HKWorkoutEffortRelationship]
        /// The anchor for the next query.
        public let newAnchor: HKQueryAnchor
    }

    /// Returns the relationships. With an anchor, only changed relationships are returned.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`.
    public func result(for healthStore: HKHealthStore) async throws -> Result {
        try await BlockingQueue.answer { _ in try answer(healthStore, anchor?.position) }
    }

    /// Returns a sequence of results: first the relationships, then changed relationships as they are committed.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, descriptor: self)
    }

    fileprivate func answer(_ healthStore: HKHealthStore, _ position: FeedPosition?) throws -> Result {
        let question = EffortQuestion(predicate: try read.condition.get(), options: option)
        let answer = try question.answer(healthStore.store(), since: position)
        return Result(relationships: answer.relationships, newAnchor: HKQueryAnchor(answer.position))
    }

    /// The results of a running query.
    public struct Results: AsyncSequence, Sendable {
        /// The relationships that changed since the previous result.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKWorkoutEffortRelationshipQueryDescriptor

        /// Starts the query.
        public func makeAsyncIterator() -> Iterator {
            Iterator(healthStore: healthStore, descriptor: descriptor, position: descriptor.anchor?.position)
        }

        /// An iterator that reads each result when it is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKWorkoutEffortRelationshipQueryDescriptor
            fileprivate var position: FeedPosition?
            fileprivate var commits: CommitLoop?

            /// Returns the next result; nil once the task is cancelled.
            ///
            /// - Throws: ``HKError``, as ``HKWorkoutEffortRelationshipQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> Result? {
                let isFirst = commits == nil
                if isFirst { commits = try await CommitLoop(healthStore) }
                while !Task.isCancelled {
                    guard try await commits?.wait() ?? false else { return nil }
                    let (position, descriptor, healthStore) = (position, descriptor, healthStore)
                    let result: Result
                    do {
                        result = try await BlockingQueue.answer { _ in try descriptor.answer(healthStore, position) }
                    } catch is CancellationError {
                        return nil
                    }
                    self.position = result.newAnchor.position
                    if isFirst || !result.relationships.isEmpty { return result }
                }
                return nil
            }
        }
    }
}
