// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

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
    /// What becomes of calls that are not acknowledged.
    let patience: ObserverRun.Patience

    /// A query over one type.
    ///
    /// - Parameters:
    ///   - predicate: only samples that it means, and deletions, are told of; all, without one.
    ///   - updateHandler: called on a thread of the store after each commit, or after several that follow each other
    ///     closely, that brought or deleted something; not for what was there before, unless background delivery is
    ///     on for the type. It calls its completion when it is done.
    public convenience init(
        sampleType: HKSampleType, predicate: NSPredicate?, updateHandler: @escaping UpdateHandler
    ) {
        self.init(sampleType: sampleType, predicate: predicate, patience: .init(), updateHandler: updateHandler)
    }

    init(
        sampleType: HKSampleType, predicate: NSPredicate?, patience: ObserverRun.Patience,
        updateHandler: @escaping UpdateHandler
    ) {
        self.patience = patience
        descriptors = [HKQueryDescriptor(sampleType: sampleType, predicate: predicate)]
        handler = { query, _, completion, error in updateHandler(query, completion, error) }
        super.init(objectType: sampleType, predicate: predicate)
    }

    /// A query over several types.
    public init(queryDescriptors: [HKQueryDescriptor], updateHandler: @escaping TypesHandler) {
        patience = ObserverRun.Patience()
        descriptors = queryDescriptors
        handler = updateHandler
        super.init(objectType: nil, predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let parts = try descriptors.map { one throws(HKError) in try one.part() }
        let run = try ObserverRun(store.store(), store.owner, parts, course, patience) { [self] changed, done in
            handler(self, changed, done, nil)
        }
        try follow(store.store()) { try run.step() }
    }

    func fail(_ error: HKError) { handler(self, nil, {}, error) }
}
