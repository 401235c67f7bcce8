// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// What a collection query asks.
struct CollectionQuestion: Sendable {
    let type: HKQuantityType
    let predicate: SamplePredicate
    let options: HKStatisticsOptions
    let anchor: Date
    let components: DateComponents

    func answer(_ store: HealthStore, _ course: QueryLifecycle) throws -> HKStatisticsCollection {
        try store.statisticsCollection(
            of: type, where: predicate, options, anchor: anchor, every: components, course)
    }
}

/// A collection that is computed anew when samples of its type come or go, or when other sources count first.
struct LiveCollection: Sendable {
    private let question: CollectionQuestion
    private var position: FeedPosition
    private var order: [String]
    private(set) var collection: HKStatisticsCollection

    /// More intervals than these are told as one change.
    static let mostChanges = 32

    init(_ question: CollectionQuestion, _ store: HealthStore, _ course: QueryLifecycle) throws {
        self.question = question
        // Before the answer: what comes in between is looked at twice, and nothing is missed.
        position = try store.feedPosition()
        order = try Self.order(question, store)
        collection = try question.answer(store, course)
    }

    /// Looks at what came and went since.
    ///
    /// - Returns: the intervals that changed, in order of time; nil alone for very many; nothing where none did.
    mutating func update(_ store: HealthStore, _ course: QueryLifecycle) throws -> [HKStatistics?] {
        let now = try store.feedPosition()
        if now == position { return [] }
        // A sample that the predicate does not mean may still change which source counts first.
        let part = SampleSearch.Part(type: question.type, predicate: .always(true))
        let page = try? store.feed([part], since: position, limit: 1, course)
        position = now
        let newOrder = try Self.order(question, store)
        let isSame = newOrder == order
        order = newOrder
        // Where it can no longer be told what went, something may have.
        if isSame, let page, page.count == 0 { return [] }
        let old = collection
        collection = try question.answer(store, course)
        let changes = collection.changes(since: old)
        return changes.count > Self.mostChanges ? [nil] : changes
    }

    private static func order(_ question: CollectionQuestion, _ store: HealthStore) throws -> [String] {
        SourceOrder.chosen(for: question.type.identifier, try store.view().tables.rows.settings)
    }
}
