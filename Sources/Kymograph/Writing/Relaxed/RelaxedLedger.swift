// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// The outcomes of an appender's commits, and the callers that wait for them.
final class RelaxedLedger: Sendable {
    typealias Outcome = Result<CommitReceipt, StoreError>

    fileprivate struct State {
        /// The commit that begins next.
        var next: Int64 = 1
        /// The last commit that has ended, with all commits before it.
        var ended: Int64 = 0
        /// The receipt of the last commit that stored samples.
        var last: CommitReceipt?
        /// Failed commits, ascending. Adjacent commits with one kind of error are one entry, with the first of the
        /// errors, so that a disk that is full for days needs no memory.
        var failures: [(commits: ClosedRange<Int64>, error: StoreError)] = []
        /// A failure that no call has reported.
        var unreported: StoreError?
        var isClosed = false
        var waiting: [(commit: Int64, handler: @Sendable (Outcome) -> Void)] = []
    }

    private let state = Mutex(State())
    /// The process whose threads run the commits.
    private let owner = ProcessMark.current
    /// The thread that holds the store's writer, for which every commit waits.
    private let writer: ThreadOwner

    init(_ writer: ThreadOwner) { self.writer = writer }

    /// True if a failure is not reported yet, or the appender is closed.
    let hasNews = Atomic(false)

    /// The receipt of the last commit that stored samples.
    var last: CommitReceipt? { state.withLock { $0.last } }
    /// The number of entries for failed commits.
    var failures: Int { state.withLock { $0.failures.count } }
    /// The commit that begins next.
    var next: Int64 { state.withLock { $0.next } }

    /// Begins a commit, and returns its number.
    func begin() -> Int64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Ends a commit, and notifies its waiting callers. The receipt is nil if there were no samples.
    func end(_ commit: Int64, _ result: Result<CommitReceipt?, StoreError>) {
        let ready = state.withLock { state in
            state.ended = commit
            switch result {
            case .success(let receipt?): state.last = receipt
            case .success(nil): state.extendFailure(to: commit)
            case .failure(let error):
                state.unreported = error
                hasNews.store(true, ordering: .relaxed)
                if state.failures.last?.error.kind != error.kind || !state.extendFailure(to: commit) {
                    state.failures.append((commit...commit, error))
                }
            }
            let handlers = state.waiting.filter { $0.commit <= commit }.map { ($0.handler, state.outcome($0.commit)) }
            state.waiting.removeAll { $0.commit <= commit }
            return handlers
        }
        for (handler, outcome) in ready { handler(outcome) }
    }

    /// Throws the failure that no call has reported; always throws if the appender is closed.
    func reportFailure() throws(StoreError) {
        let error = state.withLock { state in
            defer { state.unreported = nil }
            if !state.isClosed { hasNews.store(false, ordering: .relaxed) }
            return state.unreported.map(Self.lateReport) ?? (state.isClosed ? .closedStore : nil)
        }
        if let error { throw error }
    }

    /// Returns the error of a call that reports the failure of an earlier commit.
    private static func lateReport(_ error: StoreError) -> StoreError {
        StoreError(
            error.kind,
            "a background commit failed, and its samples are not stored (see their receipts); nothing of this call was "
                + "appended. The commit failed because: \(error.message)",
            path: error.path, offset: error.offset)
    }

    /// Refuses further samples.
    func close() {
        state.withLock { $0.isClosed = true }
        hasNews.store(true, ordering: .relaxed)
    }

    /// Calls the closure once when a commit has ended: at once if it has ended already.
    func notify(_ commit: Int64, _ handler: @escaping @Sendable (Outcome) -> Void) {
        if owner != .current { return handler(.failure(.forkedStore)) }
        let known = state.withLock { state -> Outcome? in
            if commit <= state.ended { return state.outcome(commit) }
            state.waiting.append((commit, handler))
            return nil
        }
        if let known { handler(known) }
    }

    /// Waits for the end of a commit.
    ///
    /// - Throws: the error of the commit; `invalidArgument` in a closure for which the commit would wait.
    func wait(for commit: Int64) throws(StoreError) -> CommitReceipt {
        if owner != .current { throw .forkedStore }
        if commit > state.withLock({ $0.ended }) { try writer.refuse(StoreError.calledWhileWriting) }
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Outcome?>(nil)
        notify(commit) { found in
            outcome.withLock { $0 = found }
            done.signal()
        }
        done.wait()
        guard let found = outcome.withLock({ $0 }) else { throw .closedStore }
        return try found.get()
    }

    /// The commit that ends next.
    var nextToEnd: Int64 { state.withLock { $0.ended + 1 } }

    /// Waits until a commit has ended, or until a time; returns whether it has ended.
    func wait(forEndOf commit: Int64, until end: ContinuousClock.Instant) -> Bool {
        let done = DispatchSemaphore(value: 0)
        notify(commit) { _ in done.signal() }
        let left = max(.zero, end - ContinuousClock().now)
        return done.wait(timeout: .now() + left.interval) == .success
    }
}

extension RelaxedLedger.State {
    /// Extends the last entry of failed commits by the commit right after it: a further failure, or a commit without
    /// samples, for which there is no receipt. Returns false if there is no such entry.
    @discardableResult
    fileprivate mutating func extendFailure(to commit: Int64) -> Bool {
        guard let before = failures.last?.commits, before.upperBound == commit - 1 else { return false }
        failures[failures.count - 1].commits = before.lowerBound...commit
        return true
    }

    /// Returns the outcome of a commit that has ended.
    fileprivate func outcome(_ commit: Int64) -> RelaxedLedger.Outcome {
        if let failure = failures.last(where: { $0.commits.contains(commit) }) { return .failure(failure.error) }
        return .success(last ?? CommitReceipt(sequence: 0))
    }
}
