// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Tells those who wait that there was a commit. Without any it costs a commit one look at a number.
final class CommitBell: Sendable {
    private struct State {
        var waiting: [Int: AsyncStream<Int64>.Continuation] = [:]
        var last = 0
        /// The last commit that was told to all.
        var told: Int64 = 0
        var isOver = false
    }

    private let count = Atomic(0)
    private let state = Mutex(State())

    /// Adds one to be told, from the next commit on; 0 if nobody will be told any more.
    func add(_ continuation: AsyncStream<Int64>.Continuation) -> Int {
        state.withLock { state in
            if state.isOver { return 0 }
            state.last += 1
            state.waiting[state.last] = continuation
            count.store(state.waiting.count, ordering: .releasing)
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.waiting[number] = nil
            count.store(state.waiting.count, ordering: .releasing)
        }
    }

    /// Tells of a commit, unless it or a later one was told of.
    func ring(_ seq: Int64) {
        if count.load(ordering: .acquiring) == 0 { return }
        state.withLock { state in
            if seq <= state.told { return }
            state.told = seq
            for one in state.waiting.values { one.yield(seq) }
        }
    }

    /// Whoever waits hears the end; nobody is told any more if it is for good.
    func end(forGood: Bool) {
        let waiting = state.withLock { state in
            state.isOver = state.isOver || forGood
            return Array(state.waiting.values)
        }
        // Each that ends takes itself off the list.
        for one in waiting { one.finish() }
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
            let number = bell.add(continuation)
            continuation.yield(snapshot().sequence)
            if number == 0 { return continuation.finish() }
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
        pause = interval.pause
        told = Mutex(store.snapshot().sequence)
        lookLater(store)
    }

    private func lookLater(_ store: TimeSeriesStore) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self, weak store] in
            guard let store, !isOver.load(ordering: .relaxed) else { return }
            do throws(StoreError) {
                try store.refresh()
            } catch {
                return store.bell.end(forGood: false)
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
