// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Tells those who wait that there was a commit. Without any it costs a commit one look at a number.
final class CommitBell: Sendable {
    private struct State {
        var waiting: [Int: AsyncStream<Int64>.Continuation] = [:]
        var last = 0
    }

    private let count = Atomic(0)
    private let state = Mutex(State())

    /// Adds one to be told, who is told of a commit at once.
    func add(_ continuation: AsyncStream<Int64>.Continuation, _ seq: Int64) -> Int {
        state.withLock { state in
            state.last += 1
            state.waiting[state.last] = continuation
            count.store(state.waiting.count, ordering: .releasing)
            continuation.yield(seq)
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.waiting[number] = nil
            count.store(state.waiting.count, ordering: .releasing)
        }
    }

    func ring(_ seq: Int64) {
        if count.load(ordering: .acquiring) == 0 { return }
        state.withLock { state in
            for one in state.waiting.values { one.yield(seq) }
        }
    }

    /// Nobody is told any more, and whoever waits hears the end.
    func end() {
        // Each that ends takes itself off the list.
        for one in state.withLock({ Array($0.waiting.values) }) { one.finish() }
    }
}

extension TimeSeriesStore {
    /// The numbers of commits, as they come: the last one at once, then each later state once. Of commits that follow
    /// each other faster than they are taken only the last is told. Ends when the store is closed, or when the loop
    /// over it is left.
    ///
    /// A snapshot that is taken after a number was told shows that commit. In an opening that does not write the store
    /// is refreshed for it; if that fails, the sequence ends, and the next call says why.
    /// - Parameter interval: how often an opening that does not write looks for commits of others.
    public func commits(lookingEvery interval: Duration = .milliseconds(50)) -> AsyncStream<Int64> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = bell.add(continuation, snapshot().sequence)
            let watch = mode == .readWrite ? nil : CommitWatch(self, interval)
            continuation.onTermination = { [bell] _ in
                bell.remove(number)
                watch?.cancel()
            }
        }
    }
}

/// Looks again and again for the commits of other processes.
private final class CommitWatch: Sendable {
    private let pause: DispatchTimeInterval
    private let isOver = Atomic(false)
    private let told: Mutex<Int64>

    init(_ store: TimeSeriesStore, _ interval: Duration) {
        let (seconds, attoseconds) = interval.components
        let nanoseconds = min(max(seconds, 0), 3_600) * 1_000_000_000 + attoseconds / 1_000_000_000
        pause = .nanoseconds(Int(max(nanoseconds, 1_000_000)))
        told = Mutex(store.snapshot().sequence)
        lookLater(store)
    }

    private func lookLater(_ store: TimeSeriesStore) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self, weak store] in
            guard let store, !isOver.load(ordering: .relaxed) else { return }
            do throws(StoreError) {
                try store.refresh()
            } catch {
                return store.bell.end()
            }
            // Others refresh, too.
            let seq = store.snapshot().sequence
            let isNew = told.withLock { told in
                defer { told = seq }
                return told != seq
            }
            if isNew { store.bell.ring(seq) }
            lookLater(store)
        }
    }

    func cancel() { isOver.store(true, ordering: .relaxed) }
}
