// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// To be called by an observer query's handler when it has done what it does.
public typealias HKObserverQueryCompletionHandler = @Sendable () -> Void

/// Tells whenever samples of some types come or go, but not which; runs until it is stopped.
public final class HKObserverQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Is told of a change, or why the query ended.
    public typealias UpdateHandler =
        @Sendable (HKObserverQuery, @escaping HKObserverQueryCompletionHandler, (any Error)?) -> Void
    /// Is told which types changed, or why the query ended.
    public typealias TypesHandler =
        @Sendable (HKObserverQuery, Set<HKSampleType>?, @escaping HKObserverQueryCompletionHandler, (any Error)?) ->
        Void

    private let descriptors: [HKQueryDescriptor]
    private let handler: TypesHandler

    /// A query over one type.
    ///
    /// - Parameters:
    ///   - predicate: only samples that it means, and deletions, are told of; all, without one.
    ///   - updateHandler: called on a thread of the store after each commit, or after several that follow each other
    ///     closely, that brought or deleted something; not for what was there before.
    public init(sampleType: HKSampleType, predicate: NSPredicate?, updateHandler: @escaping UpdateHandler) {
        descriptors = [HKQueryDescriptor(sampleType: sampleType, predicate: predicate)]
        handler = { query, _, completion, error in updateHandler(query, completion, error) }
        super.init(objectType: sampleType, predicate: predicate)
    }

    /// A query over several types.
    public init(queryDescriptors: [HKQueryDescriptor], updateHandler: @escaping TypesHandler) {
        descriptors = queryDescriptors
        handler = updateHandler
        super.init(objectType: nil, predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let parts = try descriptors.map { one throws(HKError) in try one.part() }
        let health = try store.store()
        let last = Mutex(try health.feedPosition())
        follow(health) { [self] in
            let since = last.withLock { $0 }
            let now = try health.feedPosition()
            if now == since { return }
            // What comes after `now` is told with the next commit, and perhaps twice; nothing is missed.
            last.withLock { $0 = now }
            var changed: Set<HKSampleType> = []
            for part in parts where try health.feed([part], since: since, limit: 1, course).count > 0 {
                changed.insert(part.type)
            }
            if !changed.isEmpty, !course.isStopped { handler(self, changed, {}, nil) }
        }
    }

    func fail(_ error: HKError) { handler(self, nil, {}, error) }
}
