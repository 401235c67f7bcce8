// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// What a collection query asks.
struct CollectionQuestion: Sendable {
    let type: HKQuantityType
    let predicate: SamplePredicate
    let options: HKStatisticsOptions
    let anchor: Date
    let components: DateComponents

    func answer(_ store: HealthStore, _ course: QueryCourse) throws -> HKStatisticsCollection {
        try store.statisticsCollection(
            of: type, where: predicate, options, anchor: anchor, every: components, course)
    }
}

/// A collection that is computed anew when samples of its type come or go.
struct LiveCollection: Sendable {
    private let question: CollectionQuestion
    private var position: FeedPosition
    private(set) var collection: HKStatisticsCollection

    /// More intervals than these are told as one change.
    static let mostChanges = 32

    init(_ question: CollectionQuestion, _ store: HealthStore, _ course: QueryCourse) throws {
        self.question = question
        // Before the answer: what comes in between is looked at twice, and nothing is missed.
        position = try store.feedPosition()
        collection = try question.answer(store, course)
    }

    /// Looks at what came and went since.
    ///
    /// - Returns: the intervals that changed, in order of time; nil alone for very many; nothing where none did.
    mutating func update(_ store: HealthStore, _ course: QueryCourse) throws -> [HKStatistics?] {
        let now = try store.feedPosition()
        if now == position { return [] }
        // A sample that the predicate does not mean may still change which source counts first.
        let part = SampleSearch.Part(type: question.type, predicate: .always(true))
        let page = try? store.feed([part], since: position, limit: 1, course)
        position = now
        // Where it can no longer be told what went, something may have.
        if let page, page.count == 0 { return [] }
        let old = collection
        collection = try question.answer(store, course)
        let changes = collection.changes(since: old)
        return changes.count > Self.mostChanges ? [nil] : changes
    }
}
