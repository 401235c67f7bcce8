// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The parameters of a collection query.
struct CollectionQuestion: Sendable {
    let statistics: StatisticsQuestion
    /// An edge between two intervals.
    let anchor: Date
    /// The length of an interval, in its own calendar and time zone, else in the current ones.
    let components: DateComponents
}

/// A collection that is recomputed when samples of its type or the source order change.
struct LiveCollection: Sendable {
    private let question: CollectionQuestion
    private var position: FeedPosition
    private var order: [String]
    /// The number of the decision about the access to the type.
    private var decision: Int64
    private(set) var collection: HKStatisticsCollection

    /// The maximum number of changed intervals that are reported separately.
    static let mostChanges = 32

    init(_ question: CollectionQuestion, _ store: HealthStore, _ lifecycle: QueryLifecycle) throws {
        self.question = question
        // Read before the answer: changes in between are checked twice, and none is missed.
        position = try store.feedPosition()
        order = try Self.order(question, store)
        decision = try store.access()?.decision(question.statistics.type) ?? 0
        collection = try store.statisticsCollection(question, lifecycle)
    }

    /// Checks the commits since the last update, and recomputes the collection if these commits may affect it.
    ///
    /// - Returns: the changed intervals in order of time; a single nil for very many; empty for none.
    mutating func update(_ store: HealthStore, _ lifecycle: QueryLifecycle) throws -> [HKStatistics?] {
        let now = try store.feedPosition()
        if now == position { return [] }
        // A sample that does not match the predicate may still change the priority of sources.
        let part = SampleSearch.Part(type: question.statistics.type, predicate: .always(true))
        let page = try? store.feed([part], since: position, limit: 1, lifecycle)
        position = now
        let newOrder = try Self.order(question, store)
        let newDecision = try store.access()?.decision(question.statistics.type) ?? 0
        let isSame = newOrder == order && newDecision == decision
        (order, decision) = (newOrder, newDecision)
        // If the deletions are no longer known, the collection is recomputed.
        if isSame, let page, page.count == 0 { return [] }
        let old = collection
        collection = try store.statisticsCollection(question, lifecycle)
        let changes = collection.changes(since: old)
        return changes.count > Self.mostChanges ? [nil] : changes
    }

    private static func order(_ question: CollectionQuestion, _ store: HealthStore) throws -> [String] {
        SourceOrder.chosen(for: question.statistics.type.identifier, try store.view().tables.rows.settings)
    }
}
