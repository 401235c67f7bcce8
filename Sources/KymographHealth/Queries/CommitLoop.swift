// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// A wait for commits, for an asynchronous sequence with a result after each commit.
struct CommitLoop {
    private let store: HealthStore
    private var commits: AsyncStream<Int64>.Iterator

    init(_ healthStore: HKHealthStore) async throws {
        let store = try await BlockingQueue.result { () throws(HKError) in try healthStore.store() }
        self.store = store
        commits = store.engine.commits().makeAsyncIterator()
    }

    /// Waits for the next commit; the first call returns at once. Returns false once the task is cancelled.
    ///
    /// - Throws: the reason for the end of the commits: the store was closed, or could not be read.
    mutating func wait() async throws -> Bool {
        if await commits.next() != nil { return true }
        if Task.isCancelled { return false }
        throw await HKError.endOfCommits(store)
    }
}
