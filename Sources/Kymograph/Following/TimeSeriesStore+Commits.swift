// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension TimeSeriesStore {
    /// Returns a sequence of commit numbers: the last commit at once, then each later one. If commits follow faster
    /// than the loop reads them, the loop gets only the last. The sequence ends when the store is closed or the loop is
    /// left.
    ///
    /// A snapshot that is taken after a number was delivered shows that commit. An opening that does not write is
    /// refreshed for this; if a refresh fails, the sequence ends, and the next call of the store throws the reason.
    /// - Parameter interval: how often an opening that does not write checks for commits of other processes.
    public func commits(lookingEvery interval: Duration = .milliseconds(50)) -> AsyncStream<Int64> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // A forked child has no thread that would notify.
            guard context.isInOwnProcess else { return continuation.finish() }
            let notifier = context.notifier
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

/// Checks periodically for the commits of other processes.
private final class CommitWatch: Sendable {
    private let pause: DispatchTimeInterval
    private let isOver = Atomic(false)
    private let last: Mutex<Int64>

    init(_ store: TimeSeriesStore, _ interval: Duration) {
        pause = interval.pause
        last = Mutex(store.snapshot().sequence)
        checkLater(store)
    }

    private func checkLater(_ store: TimeSeriesStore) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self, weak store] in
            guard let store, !isOver.load(ordering: .relaxed) else { return }
            do throws(StoreError) {
                try store.refresh()
            } catch {
                return store.context.notifier.end(forGood: false)
            }
            // Other callers refresh, too.
            let seq = store.snapshot().sequence
            let isNew = last.withLock { last in
                defer { last = seq }
                return last != seq
            }
            if isNew { store.context.notifier.notify(seq) }
            checkLater(store)
        }
    }

    func cancel() { isOver.store(true, ordering: .relaxed) }
}
