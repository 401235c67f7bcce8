// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// Gives the summaries of days, by date; with an update handler, also as they change.
public final class HKActivitySummaryQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the summaries, or says why there are none. Where no day is meant that has anything, there are none of
    /// them, and no error.
    public typealias Handler = @Sendable (HKActivitySummaryQuery, [HKActivitySummary]?, (any Error)?) -> Void

    private struct State {
        var update: Handler?
        var isAnswered = false
    }

    private let handler: Handler
    private let state = Mutex(State())

    /// - Parameters:
    ///   - predicate: which days; all, without one. One that asks for anything but days is `errorInvalidArgument`, told
    ///     to the handler.
    ///   - handler: called once, on a thread of the store.
    public init(predicate: NSPredicate?, resultsHandler handler: @escaping Handler) {
        self.handler = handler
        super.init(objectType: HKObjectType.activitySummaryType(), predicate: predicate)
    }

    /// Called on a thread of the store, after the first results, with all summaries whenever a commit changed one of
    /// them; the query then runs until it is stopped. Set it before the query is executed.
    public var updateHandler: Handler? {
        get { state.withLock { $0.update } }
        set { state.withLock { $0.update = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let question = try SummaryQuestion(condition)
        let health = try store.store()
        let first = try LiveSummaries(question, health, course)
        if course.isStopped { return }
        state.withLock { $0.isAnswered = true }
        handler(self, first.summaries, nil)
        guard let update = updateHandler else { return }
        let live = Mutex(first)
        follow(health) { [self] in
            // Steps follow each other; the handler is called outside of the lock.
            var now = live.withLock { $0 }
            let isChanged = try now.update(health, course)
            live.withLock { [now] in $0 = now }
            if isChanged, !course.isStopped { update(self, now.summaries, nil) }
        }
    }

    func fail(_ error: HKError) {
        let known = state.withLock { $0 }
        (known.isAnswered ? known.update : handler)?(self, nil, error)
    }
}
