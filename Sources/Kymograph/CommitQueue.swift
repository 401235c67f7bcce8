// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// An append that is ready to be committed.
struct PendingAppend: Sendable {
    let draft: TailDraft
    /// Its caller, if that one waits for another one to commit it.
    let caller: WaitingCaller?
    /// What is decided with the writer, and has no draft before.
    var batch: PendingBatch?
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
/// append first, while others queue behind it.
///
/// A caller alone leads at once. Right after a commit of several appends their callers are about to come again: the
/// next leader waits for as many as the last two commits had, half as long as the last one took at most. Without that
/// they would fall into two halves, each of which waits for the other one's commit.
final class CommitQueue: Sendable {
    /// Bounds of one commit.
    private static let mostAppends = 256
    static let mostSamples = 32_768
    /// Nanoseconds.
    private static let longestWait: Int64 = 1_000_000

    private struct State {
        /// The first one's caller leads, if anybody does.
        var waiting = [PendingAppend]()
        var isLed = false
        /// How many appends the last two commits had.
        var last = 0, before = 0
        /// When the last one began and ended.
        var begun: Int64 = 0, ended: Int64 = 0
        /// How many the leader waits for; 0 while it does not.
        var wanted = 0
    }

    private let state = Mutex(State())
    /// Tells the leader that all are there.
    private let company = DispatchSemaphore(value: 0)

    /// How many wait to be taken.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Queues an append; its caller leads now, or waits as this says.
    func enter(_ draft: TailDraft, _ batch: PendingBatch? = nil) -> WaitingCaller? {
        state.withLock { state in
            let caller = state.isLed ? WaitingCaller() : nil
            state.isLed = true
            state.waiting.append(PendingAppend(draft: draft, caller: caller, batch: batch))
            if state.wanted > 0, state.waiting.count >= state.wanted {
                state.wanted = 0
                company.signal()
            }
            return caller
        }
    }

    /// Lets those come who came a moment ago.
    func waitForCompany() {
        let longest = state.withLock { state -> Int64 in
            if state.last < 2 { return 0 }
            let taken = state.ended - state.begun
            let wanted = min(state.last + state.before, Self.mostAppends)
            if state.waiting.count >= wanted || SystemClock.monotonicNanoseconds() - state.ended >= taken { return 0 }
            state.wanted = wanted
            return min(taken / 2, Self.longestWait)
        }
        if longest == 0 { return }
        _ = company.wait(timeout: .now() + .nanoseconds(Int(longest)))
        state.withLock { $0.wanted = 0 }
        // One that came in the last moment.
        while company.wait(timeout: .now()) == .success {}
    }

    /// The appends that the leader commits together: its own one, and those behind it.
    func take() -> [PendingAppend] {
        state.withLock { state in
            state.begun = SystemClock.monotonicNanoseconds()
            state.before = state.last
            if state.waiting.count == 1 {
                state.last = 1
                defer { state.waiting = [] }
                return state.waiting
            }
            var samples = 0, count = 0
            for one in state.waiting.prefix(Self.mostAppends) {
                samples += Int(one.draft.samples)
                if count > 0, samples > Self.mostSamples { break }
                count += 1
            }
            state.last = count
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
    }

    /// Puts back what the leader has taken and leaves to the next commit; never the leader's own.
    func putBack(_ some: [PendingAppend]) {
        if !some.isEmpty { state.withLock { $0.waiting.insert(contentsOf: some, at: 0) } }
    }

    /// Ends the leader's turn: the next one's begins.
    func pass() {
        let next = state.withLock { state in
            state.ended = SystemClock.monotonicNanoseconds()
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.caller?.lead()
    }
}
