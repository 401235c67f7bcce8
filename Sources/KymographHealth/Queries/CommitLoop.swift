// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// Waits for commits, for an asynchronous sequence that goes on with each.
struct CommitLoop {
    private let store: HealthStore
    private var commits: AsyncStream<Int64>.Iterator

    init(_ healthStore: HKHealthStore) async throws {
        let store = try await BlockingQueue.result { () throws(HKError) in try healthStore.store() }
        self.store = store
        commits = store.engine.commits().makeAsyncIterator()
    }

    /// Waits for a commit; the first time for none. False once the task is cancelled.
    ///
    /// - Throws: why there are no more: the store was closed, or could not be read.
    mutating func wait() async throws -> Bool {
        if await commits.next() != nil { return true }
        if Task.isCancelled { return false }
        throw await HKError.endOfCommits(store)
    }
}
