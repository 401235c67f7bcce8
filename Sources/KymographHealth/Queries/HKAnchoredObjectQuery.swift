// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// Gives the samples that came since an anchor and are still there, and the identities of those that were deleted;
/// with an update handler, also what comes and goes later.
public final class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes what came, what went and the anchor for the next query, or says why there is no answer.
    public typealias Handler =
        @Sendable (HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?) -> Void

    private let descriptors: [HKQueryDescriptor]
    private let anchor: HKQueryAnchor?
    private let limit: Int
    private let handler: Handler
    private let updates = Mutex<Handler?>(nil)

    /// A query over one type.
    ///
    /// - Parameters:
    ///   - predicate: which samples; all, without one. What was deleted is told whatever the predicate says, but for
    ///     its sources.
    ///   - anchor: that of the query before with the same type and predicate; nil for all that is there.
    ///   - limit: the most samples and deleted objects together; ``HKObjectQueryNoLimit`` for all.
    ///   - resultsHandler: called once, on a thread of the store.
    public init(
        type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
        resultsHandler handler: @escaping Handler
    ) {
        descriptors = [HKQueryDescriptor(sampleType: type, predicate: predicate)]
        self.anchor = anchor
        self.limit = limit
        self.handler = handler
        super.init(objectType: type, predicate: predicate)
    }

    /// A query over several types.
    public init(
        queryDescriptors: [HKQueryDescriptor], anchor: HKQueryAnchor?, limit: Int,
        resultsHandler handler: @escaping Handler
    ) {
        descriptors = queryDescriptors
        self.anchor = anchor
        self.limit = limit
        self.handler = handler
        super.init(objectType: nil, predicate: nil)
    }

    /// Called on a thread of the store, after the results handler, whenever something came or went; the query then
    /// runs until it is stopped.
    ///
    /// Set it before the query is executed. In a query with a limit it is not called: the next query goes on.
    public var updateHandler: Handler? {
        get { updates.withLock { $0 } }
        set { updates.withLock { $0 = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let parts = try descriptors.map { one throws(HKError) in try one.part() }
        let health = try store.store()
        let page = try health.feed(parts, since: anchor?.position, limit: QueryLimit.count(limit), course)
        if course.isStopped { return }
        let update = updateHandler
        handler(self, page.added, page.deleted, HKQueryAnchor(page.position), nil)
        guard let update, QueryLimit.count(limit) == .max else { return }
        let last = Mutex(page.position)
        follow(health) { [self] in
            let page = try health.feed(parts, since: last.withLock { $0 }, course)
            if course.isStopped { return }
            last.withLock { $0 = page.position }
            if page.count > 0 { update(self, page.added, page.deleted, HKQueryAnchor(page.position), nil) }
        }
    }

    func fail(_ error: HKError) { handler(self, nil, nil, nil, error) }
}
