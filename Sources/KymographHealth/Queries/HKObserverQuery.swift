// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// The completion of an observer query's handler: to be called when the handler has handled the change.
public typealias HKObserverQueryCompletionHandler = @Sendable () -> Void

/// A query that reports changes in some sample types, without the changed samples; runs until it is stopped.
open class HKObserverQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives a change, or the error that ended the query.
    public typealias UpdateHandler =
        @Sendable (HKObserverQuery, @escaping HKObserverQueryCompletionHandler, (any Error)?) -> Void
    /// Receives the changed types, or the error that ended the query.
    public typealias TypesHandler =
        @Sendable (HKObserverQuery, Set<HKSampleType>?, @escaping HKObserverQueryCompletionHandler, (any Error)?) ->
        Void

    private let descriptors: [HKQueryDescriptor]
    private let handler: TypesHandler
    /// The retries of calls that are not acknowledged.
    private(set) var patience = ObserverRun.Patience()

    /// Creates a query of one type.
    ///
    /// - Parameters:
    ///   - predicate: selects the samples to report; nil for all samples. Deletions are always reported.
    ///   - updateHandler: called on a thread of the store once when the query is executed, and then after each commit,
    ///     or after several commits in close succession, with additions or deletions. The handler must call its
    ///     completion when it is done.
    @preconcurrency public init(
        sampleType: HKSampleType, predicate: NSPredicate?, updateHandler: @escaping UpdateHandler
    ) {
        descriptors = [HKQueryDescriptor(sampleType: sampleType, predicate: predicate)]
        handler = { query, _, completion, error in updateHandler(query, completion, error) }
        super.init(objectType: sampleType, predicate: predicate)
    }

    convenience init(
        sampleType: HKSampleType, predicate: NSPredicate?, patience: ObserverRun.Patience,
        updateHandler: @escaping UpdateHandler
    ) {
        self.init(sampleType: sampleType, predicate: predicate, updateHandler: updateHandler)
        self.patience = patience
    }

    /// Creates a query of several types.
    @preconcurrency public init(queryDescriptors: [HKQueryDescriptor], updateHandler: @escaping TypesHandler) {
        descriptors = queryDescriptors
        handler = updateHandler
        super.init(objectType: nil, predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let parts = try descriptors.map { one throws(HKError) in try one.part() }
        let run = try ObserverRun(store.store(), store.owner, parts, lifecycle, patience) { [self] changed, done in
            handler(self, changed, done, nil)
        }
        try run.start()
        try follow(store.store()) { try run.step() }
    }

    func fail(_ error: HKError) { handler(self, nil, {}, error) }
}
