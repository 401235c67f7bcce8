// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// An append that is ready to be committed.
struct PendingAppend: Sendable {
    let draft: TailDraft
    /// Its caller, if that one waits for another one to commit it.
    let caller: WaitingCaller?
}

/// A caller whose append another one commits, or whose turn to lead comes.
final class WaitingCaller: Sendable {
    typealias Outcome = Result<CommitReceipt, StoreError>

    private let outcome = Mutex<Outcome?>(nil)
    private let turn = DispatchSemaphore(value: 0)

    /// What became of the append, or nil if this caller leads now.
    func wait() -> Outcome? {
        turn.wait()
        return outcome.withLock { $0 }
    }

    func finish(_ found: Outcome) {
        outcome.withLock { $0 = found }
        turn.signal()
    }

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

    /// Queues an append; its caller leads now, or waits as this says.
    func enter(_ draft: TailDraft) -> WaitingCaller? {
        state.withLock { state in
            let caller = state.isLed ? WaitingCaller() : nil
            state.isLed = true
            state.waiting.append(PendingAppend(draft: draft, caller: caller))
            return caller
        }
    }

    /// The appends that the leader commits together: its own one, and those behind it.
    func take() -> [PendingAppend] {
        state.withLock { state in
            if state.waiting.count == 1 {
                defer { state.waiting = [] }
                return state.waiting
            }
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
        next?.caller?.lead()
    }
}
