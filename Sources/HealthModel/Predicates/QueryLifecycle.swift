// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lifecycle of a query: it executes once and ends when it is stopped.
package final class QueryLifecycle: Sendable {
    private struct State {
        var isBegun = false
        var isStopped = false
        var atEnd: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Marks the query as begun; returns true for the first execution.
    package func begin() -> Bool {
        state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
    }

    /// True if the query was stopped and must not call its handlers any more.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops the query and runs the registered actions; a second call does nothing.
    package func stop() {
        let actions = state.withLock { state in
            state.isStopped = true
            defer { state.atEnd = [] }
            return state.atEnd
        }
        for action in actions { action() }
    }

    /// Runs an action when the query is stopped; runs it immediately if the query is already stopped.
    package func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isStopped { state.atEnd.append(action) }
            return state.isStopped
        }
        if isLate { action() }
    }
}
