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

/// A caller whose append another one commits: a thread that waits, and may have to lead, or a task that is told.
final class WaitingCaller: Sendable {
    typealias Outcome = Result<CommitReceipt, StoreError>

    private let outcome = Mutex<Outcome?>(nil)
    private let turn = DispatchSemaphore(value: 0)
    /// Tells a task; nil for a thread.
    private let tell: (@Sendable (Outcome) -> Void)?

    init(_ tell: (@Sendable (Outcome) -> Void)? = nil) { self.tell = tell }

    /// Whether it is a thread, which waits until it leads or has its outcome.
    var isThread: Bool { tell == nil }

    /// What became of the append, or nil if this caller leads now.
    func wait() -> Outcome? {
        turn.wait()
        return outcome.withLock { $0 }
    }

    func finish(_ found: Outcome) {
        if let tell { return tell(found) }
        outcome.withLock { $0 = found }
        turn.signal()
    }

    func lead() { turn.signal() }
}

/// What a leader has committed, or failed to.
struct CommittedGroup {
    /// The leader's own first.
    let appends: [PendingAppend]
    /// One for each append, or one for all.
    let outcomes: [WaitingCaller.Outcome]
    /// Whether the next one is a task, so that a thread of the store must lead.
    let isLeft: Bool

    func outcome(of place: Int) -> WaitingCaller.Outcome { outcomes[min(place, outcomes.count - 1)] }

    /// Tells those what became of their appends who wait for it.
    func tellAll(from first: Int) {
        for (place, one) in appends.enumerated().dropFirst(first) { one.caller?.finish(outcome(of: place)) }
    }
}

/// Where appends of several threads and tasks meet, so that they share a commit: one thread leads and commits what
/// waits, its own append first, while others queue behind it. A task never leads; where only tasks wait, a thread of
/// the store does.
///
/// A caller alone leads at once. Right after a commit its callers are about to come again: the next leader waits until
/// as many are there as that commit had and it left waiting, half as long as it took at most. Without that they fall
/// into two halves, each of which waits for the other one's commit; which is better is measured (`CommitPace`). A
/// leader that waited in vain is a sign that they do not come again, and the next ones do not wait.
final class CommitQueue: Sendable {
    /// Bounds of one commit.
    private static let mostAppends = 256
    static let mostSamples = 32_768
    /// Nanoseconds.
    private static let longestWait: Int64 = 1_000_000
    /// Leaders in a row that do not wait.
    private static let longestHurry = 63

    private struct State {
        /// The first one's caller leads, if anybody does.
        var waiting = [PendingAppend]()
        var isLed = false
        /// How many appends the last commit had, and how many waited when it ended.
        var last = 0, left = 0
        /// When the last one began and ended.
        var begun: Int64 = 0, ended: Int64 = 0
        /// How many the leader waits for; 0 while it does not.
        var wanted = 0
        /// How many leaders do not wait, and how many did not after the last one that waited in vain.
        var hurried = 0, hurry = 0
        /// Whether waiting is worth it.
        var pace = CommitPace()
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
            add(PendingAppend(draft: draft, caller: caller, batch: batch), to: &state)
            return caller
        }
    }

    /// Queues an append of a task, which is told its outcome.
    ///
    /// - Returns: whether nobody leads, so that a thread of the store must.
    func enter(_ draft: TailDraft, _ tell: @escaping @Sendable (WaitingCaller.Outcome) -> Void) -> Bool {
        state.withLock { state in
            defer { add(PendingAppend(draft: draft, caller: WaitingCaller(tell)), to: &state) }
            return !state.isLed
        }
    }

    private func add(_ append: PendingAppend, to state: inout State) {
        state.isLed = true
        state.waiting.append(append)
        if state.wanted > 0, state.waiting.count >= state.wanted {
            state.wanted = 0
            company.signal()
        }
    }

    /// Lets those come who came a moment ago.
    func waitForCompany() {
        let longest = state.withLock { state -> Int64 in
            let taken = state.ended - state.begun
            let wanted = min(state.last + state.left, Self.mostAppends)
            if !state.pace.waits || wanted < 2 || state.waiting.count >= wanted { return 0 }
            if SystemClock.monotonicNanoseconds() - state.ended >= taken { return 0 }
            if state.hurried > 0 {
                state.hurried -= 1
                return 0
            }
            state.wanted = wanted
            return min(taken / 2, Self.longestWait)
        }
        if longest == 0 { return }
        _ = company.wait(timeout: .now() + .nanoseconds(Int(longest)))
        state.withLock { state in
            // One that came alone since is company, too, if it was all that was missing but one in four.
            let isInVain = state.wanted > 0 && state.waiting.count < state.wanted - state.wanted / 4
            state.hurry = isInVain ? min(2 * state.hurry + 1, Self.longestHurry) : 0
            state.hurried = state.hurry
            state.wanted = 0
        }
        // One that came in the last moment.
        while company.wait(timeout: .now()) == .success {}
    }

    /// The appends that the leader commits together: its own one, and those behind it.
    func take() -> [PendingAppend] {
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

    /// Puts back what the leader has taken and leaves to the next commit; never the leader's own.
    func putBack(_ some: [PendingAppend]) {
        if !some.isEmpty { state.withLock { $0.waiting.insert(contentsOf: some, at: 0) } }
    }

    /// Ends the leader's turn: the next one's begins.
    ///
    /// - Returns: whether the next one is a task, so that a thread of the store must lead.
    func pass() -> Bool {
        let next = state.withLock { state in
            state.ended = SystemClock.monotonicNanoseconds()
            state.left = state.waiting.count
            state.pace.note(state.last, left: state.left, begun: state.begun, ended: state.ended)
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first?.caller
        }
        guard let next else { return false }
        if next.isThread { next.lead() }
        return !next.isThread
    }
}
