// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

/// A query of documents with their content, which other queries do not return.
///
/// In the mode `enforced` the query asks the person for the content of each document of another program that the person
/// did not decide about, and returns the allowed ones. The decisions are kept.
open class HKDocumentQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives some documents, whether they are the last ones, and the error.
    public typealias Handler = (HKDocumentQuery, [HKDocumentSample]?, Bool, (any Error)?) -> Void

    /// The maximum number of documents; ``HKObjectQueryNoLimit`` for all.
    public let limit: Int
    /// Whether the documents have their XML.
    public let includeDocumentData: Bool
    private let type: HKDocumentType
    private let order: Result<SampleOrder<HKSample>, HKError>
    private let handler: Handler
    /// The number of documents in a call of the handler.
    private static let page = 16

    /// Creates a query of documents.
    ///
    /// - Parameters:
    ///   - predicate: selects the documents, also by the key paths of their title and names; nil for all.
    ///   - limit: the maximum number of documents, counted in the given order; ``HKObjectQueryNoLimit`` for all.
    ///   - sortDescriptors: the order, by start or end; nil or empty for ascending start.
    ///   - includeDocumentData: whether the documents have their XML.
    ///   - resultsHandler: called with up to 16 documents at a time, on a thread of the store.
    @preconcurrency public init(
        documentType: HKDocumentType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
        includeDocumentData: Bool, resultsHandler: @escaping Handler
    ) {
        self.limit = limit
        self.includeDocumentData = includeDocumentData
        type = documentType
        order = Result { () throws(HKError) in try SampleOrder(sortDescriptors, of: [documentType]) }
        handler = resultsHandler
        super.init(objectType: documentType, predicate: predicate)
    }

    /// The order of the documents; nil if none was given.
    public var sortDescriptors: [NSSortDescriptor]? { (try? order.get()).flatMap(\.sortDescriptors) }

    func run(in store: HKHealthStore) throws {
        let health = try store.store()
        let access = try health.access()
        let most = QueryLimit.count(limit)
        let part = SampleSearch.Part(type: type, predicate: try condition.get())
        let all: [HKSample] = try health.samples(
            [part], in: order.get(), limit: access == nil ? most : .max, lifecycle, documents: .names)
        let found = all.ofClass(HKCDADocumentSample.self)
        guard let access else { return try deliver(found, health) }
        // A limit counts allowed documents, so that it does not show which ones the person refused.
        let undecided = access.isGuest ? [] : found.filter { access.mayReadContent(of: $0) == nil }
        if !undecided.isEmpty { return ask(undecided, among: found, store) }
        try deliver(Array(found.filter { access.mayReadContent(of: $0) ?? false }.prefix(most)), health)
    }

    /// Asks the person for the content of documents, and delivers the allowed ones.
    private func ask(
        _ undecided: [HKCDADocumentSample], among found: [HKCDADocumentSample], _ store: HKHealthStore
    ) {
        let objects = undecided.map {
            HealthAuthorizationRequest.Object(
                uuid: $0.uuid, type: type, date: $0.startDate,
                title: "document \"\(($0.document?.title ?? "").prefix(100))\"")
        }
        let task = Task { [self] in
            do {
                let decision = try await store.decide(about: objects, type)
                try await store.record(objects, decision, type)
                try await BlockingQueue.result { () throws(HKError) in
                    try HKError.converting {
                        let health = try store.store()
                        let access = try health.access()
                        let allowed = found.filter { access?.mayReadContent(of: $0) ?? false }
                        try self.deliver(Array(allowed.prefix(QueryLimit.count(self.limit))), health)
                    }
                }
            } catch {
                if !lifecycle.isStopped { fail(HKError(any: error)) }
            }
        }
        lifecycle.whenStopped { task.cancel() }
    }

    private func deliver(_ found: [HKCDADocumentSample], _ store: HealthStore) throws {
        var place = 0
        repeat {
            if lifecycle.isStopped { return }
            let some = Array(found[place..<min(found.count, place + Self.page)])
            place += some.count
            handler(self, includeDocumentData ? try store.documents(some) : some, place == found.count, nil)
        } while place < found.count
    }

    func fail(_ error: HKError) { handler(self, nil, true, error) }
}

extension HealthStore {
    /// Returns samples with their documents. Samples that were deleted meanwhile are missing.
    func documents(_ samples: [HKCDADocumentSample]) throws -> [HKCDADocumentSample] {
        let view = try currentView()
        let reader = try ObjectReader(self, view.tables)
        reader.documents = .all
        let rows = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(
                uuids: samples.map { SampleIdentity($0.uuid).bytes }, asOf: view.snapshot.sequence, $0)
        }
        return try rows.compactMap { row in try row.flatMap { try reader.outline($0) as? HKCDADocumentSample } }
    }
}
