// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// A write that waits for its commit.
struct PendingAppend: Sendable {
    let draft: TailDraft
    /// The caller, if it waits for another thread to commit the write; nil if it leads.
    let caller: WaitingCaller?
    /// A batch, which has no draft before its closure runs with the writer.
    var batch: PendingBatch?
}

/// A caller whose write another thread commits: a thread that waits and may have to lead, or a task that is notified.
final class WaitingCaller: Sendable {
    typealias Outcome = Result<CommitReceipt, StoreError>

    private let outcome = Mutex<Outcome?>(nil)
    private let turn = DispatchSemaphore(value: 0)
    /// Resumes a task; nil for a thread.
    private let resume: (@Sendable (Outcome) -> Void)?

    init(_ resume: (@Sendable (Outcome) -> Void)? = nil) { self.resume = resume }

    /// True for a thread, which waits until it leads or has its outcome.
    var isThread: Bool { resume == nil }

    /// Returns the outcome of the write, or nil if this caller leads now.
    func wait() -> Outcome? {
        turn.wait()
        return outcome.withLock { $0 }
    }

    func finish(_ found: Outcome) {
        if let resume { return resume(found) }
        outcome.withLock { $0 = found }
        turn.signal()
    }

    func becomeLeader() { turn.signal() }
}

/// The writes that a leader committed, or failed to commit, with their outcomes.
struct CommittedGroup {
    /// The writes, the leader's own first.
    let appends: [PendingAppend]
    /// One outcome for each write, or one for all.
    let outcomes: [WaitingCaller.Outcome]
    /// True if a task is next, so that a thread of the store must lead.
    let isLeft: Bool

    func outcome(of place: Int) -> WaitingCaller.Outcome { outcomes[min(place, outcomes.count - 1)] }

    /// Passes the outcomes to the waiting callers.
    func notifyCallers(from first: Int) {
        for (place, one) in appends.enumerated().dropFirst(first) { one.caller?.finish(outcome(of: place)) }
    }
}

/// The writes of several threads and tasks that share a commit: one thread leads and commits the waiting writes, its
/// own first, while others queue. A task never leads; if only tasks wait, a thread of the store leads.
///
/// A caller alone leads at once. Right after a commit its callers are likely to write again: the next leader waits
/// until as many followers arrived as the last commit had and left waiting, at most half as long as that commit took.
/// Without this wait the callers split into two halves, each of which waits for the other's commit; `CommitPace`
/// measures which is faster. After a wait in vain the next leaders do not wait.
final class CommitQueue: Sendable {
    /// Bounds of one commit.
    private static let mostAppends = 256
    static let mostSamples = 32_768
    /// Maximum wait in nanoseconds.
    private static let longestWait: Int64 = 1_000_000
    /// Maximum leaders in a row that do not wait.
    private static let mostSkipped = 63

    private struct State {
        /// The waiting writes; the caller of the first one leads, if there is a leader.
        var waiting = [PendingAppend]()
        var isLed = false
        /// The writes of the last commit, and the writes that waited when it ended.
        var last = 0, left = 0
        /// The begin and the end of the last commit.
        var begun: Int64 = 0, ended: Int64 = 0
        /// The followers that the leader waits for; 0 while it does not wait.
        var wanted = 0
        /// The waits still to be skipped, and how many were skipped after the last wait in vain.
        var waitsToSkip = 0, skippedWaits = 0
        /// The measurement that decides whether waits are worth their time.
        var pace = CommitPace()
    }

    private let state = Mutex(State())
    /// Signalled when all wanted followers arrived.
    private let followers = DispatchSemaphore(value: 0)

    /// The number of waiting writes.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Queues a write.
    ///
    /// - Returns: the caller to wait with; nil if the caller leads.
    func enter(_ draft: TailDraft, _ batch: PendingBatch? = nil) -> WaitingCaller? {
        state.withLock { state in
            let caller = state.isLed ? WaitingCaller() : nil
            add(PendingAppend(draft: draft, caller: caller, batch: batch), to: &state)
            return caller
        }
    }

    /// Queues an append of a task.
    ///
    /// - Parameter resume: called with the outcome.
    /// - Returns: whether there is no leader, so that a thread of the store must lead.
    func enter(_ draft: TailDraft, _ resume: @escaping @Sendable (WaitingCaller.Outcome) -> Void) -> Bool {
        state.withLock { state in
            defer { add(PendingAppend(draft: draft, caller: WaitingCaller(resume)), to: &state) }
            return !state.isLed
        }
    }

    private func add(_ append: PendingAppend, to state: inout State) {
        state.isLed = true
        state.waiting.append(append)
        if state.wanted > 0, state.waiting.count >= state.wanted {
            state.wanted = 0
            followers.signal()
        }
    }

    /// Waits briefly for the callers of the last commit to write again.
    func waitForFollowers() {
        let longest = state.withLock { state -> Int64 in
            let taken = state.ended - state.begun
            let wanted = min(state.last + state.left, Self.mostAppends)
            if !state.pace.waits || wanted < 2 || state.waiting.count >= wanted { return 0 }
            if SystemClock.monotonicNanoseconds() - state.ended >= taken { return 0 }
            if state.waitsToSkip > 0 {
                state.waitsToSkip -= 1
                return 0
            }
            state.wanted = wanted
            return min(taken / 2, Self.longestWait)
        }
        if longest == 0 { return }
        _ = followers.wait(timeout: .now() + .nanoseconds(Int(longest)))
        state.withLock { state in
            // A wait counts as useful if at least three quarters of the expected writes arrived.
            let isInVain = state.wanted > 0 && state.waiting.count < state.wanted - state.wanted / 4
            state.skippedWaits = isInVain ? min(2 * state.skippedWaits + 1, Self.mostSkipped) : 0
            state.waitsToSkip = state.skippedWaits
            state.wanted = 0
        }
        // The signal of a follower that arrived at the last moment must not end the next wait.
        while followers.wait(timeout: .now()) == .success {}
    }

    /// Removes and returns the writes that the leader commits together: its own, and the writes after it.
    func takeGroup() -> [PendingAppend] {
        state.withLock { state in
            state.begun = SystemClock.monotonicNanoseconds()
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

    /// Puts writes back for the next commit; never the leader's own.
    func requeue(_ some: [PendingAppend]) {
        if !some.isEmpty { state.withLock { $0.waiting.insert(contentsOf: some, at: 0) } }
    }

    /// Passes the lead to the next caller.
    ///
    /// - Returns: whether a task is next, so that a thread of the store must lead.
    func passLead() -> Bool {
        let next = state.withLock { state in
            state.ended = SystemClock.monotonicNanoseconds()
            state.left = state.waiting.count
            state.pace.note(state.last, left: state.left, begun: state.begun, ended: state.ended)
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first?.caller
        }
        guard let next else { return false }
        if next.isThread { next.becomeLeader() }
        return !next.isThread
    }
}
