// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The life of a query: it is executed once, and ends when it is stopped.
package final class QueryLifecycle: Sendable {
    private struct State {
        var isBegun = false
        var isStopped = false
        var atEnd: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether this is the first execution.
    package func begin() -> Bool {
        state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
    }

    /// Whether its handlers are not to be called any more.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the query; a second call does nothing.
    package func stop() {
        let actions = state.withLock { state in
            state.isStopped = true
            defer { state.atEnd = [] }
            return state.atEnd
        }
        for action in actions { action() }
    }

    /// Does something when the query is stopped, at once if it is stopped already.
    package func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isStopped { state.atEnd.append(action) }
            return state.isStopped
        }
        if isLate { action() }
    }
}
