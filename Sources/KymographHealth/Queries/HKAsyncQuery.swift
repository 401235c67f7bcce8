// SPDX-License-Identifier: Apache-2.0

/// A query with one result.
public protocol HKAsyncQuery {
    /// The type of the result.
    associatedtype Output

    /// Runs the query.
    ///
    /// - Throws: `HKError`, and `CancellationError` if the task was cancelled.
    func result(for healthStore: HKHealthStore) async throws -> Output
}

/// A query with a sequence of results, as the store changes.
public protocol HKAsyncSequenceQuery {
    /// The sequence of results.
    associatedtype Sequence: AsyncSequence

    /// Starts the query. It ends when its loop ends or its task is cancelled.
    func results(for healthStore: HKHealthStore) -> Sequence
}
