// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Tells those who wait that there was a commit. Without any it costs a commit one look at a number.
final class CommitNotifier: Sendable {
    private struct State {
        /// With the last commit that each was told.
        var waiting: [Int: (continuation: AsyncStream<Int64>.Continuation, told: Int64)] = [:]
        var last = 0
        var isOver = false
    }

    private let count = Atomic(0)
    private let state = Mutex(State())

    /// Adds one to be told: a first commit at once, and each later one; 0 if nobody will be told any more.
    ///
    /// - Parameter first: gives the last commit. Nobody rings meanwhile, or what a later commit told would be
    ///   overwritten by an earlier one.
    func add(_ continuation: AsyncStream<Int64>.Continuation, _ first: () -> Int64) -> Int {
        state.withLock { state in
            state.last += 1
            // Before the number is asked for, so that a commit that comes after it rings.
            count.store(state.waiting.count + 1, ordering: .sequentiallyConsistent)
            let told = first()
            continuation.yield(told)
            if state.isOver {
                count.store(state.waiting.count, ordering: .releasing)
                return 0
            }
            state.waiting[state.last] = (continuation, told)
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.waiting[number] = nil
            count.store(state.waiting.count, ordering: .releasing)
        }
    }

    /// Tells of a commit, to those who were not told of it or a later one.
    func ring(_ seq: Int64) {
        if count.load(ordering: .sequentiallyConsistent) == 0 { return }
        state.withLock { state in
            for (number, one) in state.waiting where seq > one.told {
                state.waiting[number]?.told = seq
                one.continuation.yield(seq)
            }
        }
    }

    /// Whoever waits hears the end; nobody is told any more if it is for good.
    func end(forGood: Bool) {
        let waiting = state.withLock { state in
            state.isOver = state.isOver || forGood
            return state.waiting.values.map(\.continuation)
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
            // No thread of a forked child rings the bell.
            guard isInOwnProcess else { return continuation.finish() }
            let number = notifier.add(continuation) { snapshot().sequence }
            if number == 0 { return continuation.finish() }
            let watch = mode == .readWrite ? nil : CommitWatch(self, interval)
            continuation.onTermination = { [notifier] _ in
                notifier.remove(number)
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
                return store.notifier.end(forGood: false)
            }
            // Others refresh, too.
            let seq = store.snapshot().sequence
            let isNew = told.withLock { told in
                defer { told = seq }
                return told != seq
            }
            if isNew { store.notifier.ring(seq) }
            lookLater(store)
        }
    }

    func cancel() { isOver.store(true, ordering: .relaxed) }
}
