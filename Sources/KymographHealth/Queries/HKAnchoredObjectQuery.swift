// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A query of the samples added since an anchor that still exist, and of the identities of deleted samples; with an
/// update handler, also of later changes.
public final class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable, RunnableQuery {
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

    /// Creates a query of several types.
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

    /// The handler of later changes: called on a thread of the store, after the results handler, whenever objects were
    /// added or deleted.
    ///
    /// With a handler, the query runs until it is stopped. Set the handler before the query is executed. In a query
    /// with a limit it is not called: use another query with the new anchor.
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
