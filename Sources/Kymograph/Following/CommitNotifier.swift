// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notifies subscribers of commits. Without subscribers a commit costs one atomic read.
final class CommitNotifier: Sendable {
    private struct State {
        /// The subscribers, each with the last commit that it was notified of.
        var subscribers: [Int: (continuation: AsyncStream<Int64>.Continuation, last: Int64)] = [:]
        var lastNumber = 0
        var isOver = false
    }

    private let count = Atomic(0)
    private let state = Mutex(State())

    /// Adds a subscriber, and notifies it of a first commit at once.
    ///
    /// - Parameter first: returns the last commit. It runs under the lock: otherwise an earlier commit could overwrite
    ///   the number of a later one.
    /// - Returns: the subscriber's number; 0 if the store was closed.
    func add(_ continuation: AsyncStream<Int64>.Continuation, _ first: () -> Int64) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            // Ordering: before `first` is called, so that every later commit notifies.
            count.store(state.subscribers.count + 1, ordering: .sequentiallyConsistent)
            let seq = first()
            continuation.yield(seq)
            if state.isOver {
                count.store(state.subscribers.count, ordering: .releasing)
                return 0
            }
            state.subscribers[state.lastNumber] = (continuation, seq)
            return state.lastNumber
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.subscribers[number] = nil
            count.store(state.subscribers.count, ordering: .releasing)
        }
    }

    /// Notifies the subscribers that have not seen this commit or a later one.
    func notify(_ seq: Int64) {
        if count.load(ordering: .sequentiallyConsistent) == 0 { return }
        state.withLock { state in
            for (number, one) in state.subscribers where seq > one.last {
                state.subscribers[number]?.last = seq
                one.continuation.yield(seq)
            }
        }
    }

    /// Ends all subscriptions.
    ///
    /// - Parameter forGood: whether later subscribers are refused.
    func end(forGood: Bool) {
        let ended = state.withLock { state in
            state.isOver = state.isOver || forGood
            return state.subscribers.values.map(\.continuation)
        }
        // Each subscription removes itself when it finishes.
        for one in ended { one.finish() }
    }
}
