// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// A query with one result.
public protocol HKAsyncQuery: Sendable {
    /// The type of the result.
    associatedtype Output

    /// Runs the query.
    ///
    /// - Throws: `HKError`, and `CancellationError` if the task was cancelled.
    func result(for healthStore: HKHealthStore) async throws -> Output
}

/// A query with a sequence of results, as the store changes.
public protocol HKAsyncSequenceQuery: Sendable {
    /// The sequence of results.
    associatedtype Sequence: AsyncSequence

    /// Starts the query. It ends when its loop ends or its task is cancelled.
    func results(for healthStore: HKHealthStore) -> Sequence
}

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
