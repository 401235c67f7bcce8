// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A query of the activity summaries of days, by date; with an update handler, also of their changes.
open class HKActivitySummaryQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the summaries, or the error. The list is empty, without an error, if no matching day has data.
    public typealias Handler = @Sendable (HKActivitySummaryQuery, [HKActivitySummary]?, (any Error)?) -> Void

    private struct State {
        var update: Handler?
        var isAnswered = false
    }

    private let handler: Handler
    private let state = Mutex(State())

    /// - Parameters:
    ///   - predicate: selects the days; nil for all days. For a predicate with anything but days the handler receives
    ///     `errorInvalidArgument`.
    ///   - handler: called once, on a thread of the store.
    @preconcurrency public init(predicate: NSPredicate?, resultsHandler handler: @escaping Handler) {
        self.handler = handler
        super.init(objectType: HKObjectType.activitySummaryType(), predicate: predicate)
    }

    /// The handler of changes: called on a thread of the store, after the first results, with all summaries whenever a
    /// commit changed any summary.
    ///
    /// With a handler, the query runs until it is stopped. Set the handler before the query is executed.
    @preconcurrency public var updateHandler: Handler? {
        get { state.withLock { $0.update } }
        set { state.withLock { $0.update = newValue } }
    }

    func run(in store: HKHealthStore) throws {
        let question = try SummaryQuestion(condition)
        let health = try store.store()
        let first = try LiveSummaries(question, health, lifecycle)
        if lifecycle.isStopped { return }
        state.withLock { $0.isAnswered = true }
        handler(self, first.summaries, nil)
        guard let update = updateHandler else { return }
        let live = Mutex(first)
        follow(health) { [self] in
            // Steps run one after another; the handler is called without the lock.
            var now = live.withLock { $0 }
            let isChanged = try now.update(health, lifecycle)
            live.withLock { [now] in $0 = now }
            if isChanged, !lifecycle.isStopped { update(self, now.summaries, nil) }
        }
    }

    func fail(_ error: HKError) {
        let known = state.withLock { $0 }
        (known.isAnswered ? known.update : handler)?(self, nil, error)
    }
}
