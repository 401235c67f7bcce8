// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// An append that is ready to be committed, and what its caller will be told.
final class PendingAppend: Sendable {
    let draft: TailDraft
    private let result = Mutex<Result<CommitReceipt, StoreError>?>(nil)
    private let turn = DispatchSemaphore(value: 0)

    init(_ draft: TailDraft) { self.draft = draft }

    /// Its outcome, once another caller has committed it; nil if it is this caller's turn to lead.
    func wait() -> Result<CommitReceipt, StoreError>? {
        turn.wait()
        return result.withLock { $0 }
    }

    func finish(_ outcome: Result<CommitReceipt, StoreError>) {
        result.withLock { $0 = outcome }
        turn.signal()
    }

    /// Makes its caller the leader.
    func lead() { turn.signal() }
}

/// Where appends of several threads meet, so that they share a commit: one caller leads and commits what waits, its own
/// append first, while others queue behind it. Nobody waits for company: a caller alone leads at once.
final class CommitQueue: Sendable {
    /// Bounds of one commit.
    private static let mostAppends = 256, mostSamples = 32_768

    private struct State {
        /// The first one's caller leads, if anybody does.
        var waiting = [PendingAppend]()
        var isLed = false
    }

    private let state = Mutex(State())

    /// How many wait to be taken.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Queues an append; whether its caller leads now.
    func enter(_ one: PendingAppend) -> Bool {
        state.withLock { state in
            state.waiting.append(one)
            defer { state.isLed = true }
            return !state.isLed
        }
    }

    /// The appends that the leader commits together: its own one, and those behind it.
    func take() -> [PendingAppend] {
        state.withLock { state in
            var samples = 0, count = 0
            for one in state.waiting.prefix(Self.mostAppends) {
                samples += Int(one.draft.samples)
                if count > 0, samples > Self.mostSamples { break }
                count += 1
            }
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
    }

    /// Ends the leader's turn: the next one's begins.
    func pass() {
        let next = state.withLock { state in
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.lead()
    }
}
