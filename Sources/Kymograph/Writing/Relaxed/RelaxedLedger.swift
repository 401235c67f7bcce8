// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// What became of the commits of an appender, and who waits for one.
final class RelaxedLedger: Sendable {
    typealias Outcome = Result<CommitReceipt, StoreError>

    fileprivate struct State {
        /// The commit that begins next.
        var next: Int64 = 1
        /// All commits up to this one have ended.
        var ended: Int64 = 0
        /// The last one that stored something.
        var last: CommitReceipt?
        /// Those that failed, ascending; neighbours with one kind of error are one, with the first of the errors, so
        /// that a disk that is full for days takes no memory.
        var failures: [(commits: ClosedRange<Int64>, error: StoreError)] = []
        /// A failure that no call has been told.
        var untold: StoreError?
        var isClosed = false
        var waiting: [(commit: Int64, tell: @Sendable (Outcome) -> Void)] = []
    }

    private let state = Mutex(State())
    /// The process whose threads end the commits.
    private let owner = ProcessMark.current
    /// The thread that has the store's writer, for which every commit waits.
    private let writer: ThreadOwner

    init(_ writer: ThreadOwner) { self.writer = writer }

    /// Whether a failure has not been told.
    let hasNews = Atomic(false)

    /// The last commit that stored something.
    var last: CommitReceipt? { state.withLock { $0.last } }
    /// How many stretches of failed commits are remembered.
    var failures: Int { state.withLock { $0.failures.count } }
    /// The commit that begins next.
    var next: Int64 { state.withLock { $0.next } }

    /// Begins a commit.
    func begin() -> Int64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Ends a commit, and tells everybody who waited for it; nil is one of nothing.
    func end(_ commit: Int64, _ result: Result<CommitReceipt?, StoreError>) {
        let told = state.withLock { state in
            state.ended = commit
            switch result {
            case .success(let receipt?): state.last = receipt
            case .success(nil): state.extendFailure(to: commit)
            case .failure(let error):
                state.untold = error
                hasNews.store(true, ordering: .relaxed)
                if state.failures.last?.error.kind != error.kind || !state.extendFailure(to: commit) {
                    state.failures.append((commit...commit, error))
                }
            }
            let ready = state.waiting.filter { $0.commit <= commit }.map { ($0.tell, state.outcome($0.commit)) }
            state.waiting.removeAll { $0.commit <= commit }
            return ready
        }
        for (tell, outcome) in told { tell(outcome) }
    }

    /// Throws the failure that no call has been told of yet; on a closed appender always.
    func tellFailure() throws(StoreError) {
        let error = state.withLock { state in
            defer { state.untold = nil }
            if !state.isClosed { hasNews.store(false, ordering: .relaxed) }
            return state.untold.map(Self.told) ?? (state.isClosed ? .closedStore : nil)
        }
        if let error { throw error }
    }

    /// What a call says that learns of a commit before it.
    private static func told(_ error: StoreError) -> StoreError {
        StoreError(
            error.kind,
            "a commit in the background failed, and the samples that were taken for it are given up, as their receipts "
                + "say; nothing of this call was taken. It failed because: \(error.message)",
            path: error.path, offset: error.offset)
    }

    /// From now on nothing is taken any more.
    func close() {
        state.withLock { $0.isClosed = true }
        hasNews.store(true, ordering: .relaxed)
    }

    /// Calls `tell` once when a commit has ended: now, if it has.
    func notify(_ commit: Int64, _ tell: @escaping @Sendable (Outcome) -> Void) {
        if owner != .current { return tell(.failure(.forkedStore)) }
        let known = state.withLock { state -> Outcome? in
            if commit <= state.ended { return state.outcome(commit) }
            state.waiting.append((commit, tell))
            return nil
        }
        if let known { tell(known) }
    }

    /// Waits for the end of a commit.
    ///
    /// - Throws: what the commit threw; `invalidArgument` in a closure that the commit would have to wait for.
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

    /// Waits until a commit has ended, or until a time; whether it has.
    func wait(forEndOf commit: Int64, until end: ContinuousClock.Instant) -> Bool {
        let done = DispatchSemaphore(value: 0)
        notify(commit) { _ in done.signal() }
        let left = max(.zero, end - ContinuousClock().now)
        return done.wait(timeout: .now() + left.interval) == .success
    }
}

extension RelaxedLedger.State {
    /// Makes a commit part of the failures right before it, if there are any: one more, or one of nothing, for which
    /// nobody has a receipt.
    @discardableResult
    fileprivate mutating func extendFailure(to commit: Int64) -> Bool {
        guard let before = failures.last?.commits, before.upperBound == commit - 1 else { return false }
        failures[failures.count - 1].commits = before.lowerBound...commit
        return true
    }

    /// What became of a commit that has ended.
    fileprivate func outcome(_ commit: Int64) -> RelaxedLedger.Outcome {
        if let failure = failures.last(where: { $0.commits.contains(commit) }) { return .failure(failure.error) }
        return .success(last ?? CommitReceipt(sequence: 0))
    }
}
