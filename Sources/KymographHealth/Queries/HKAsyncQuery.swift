// SPDX-License-Identifier: Apache-2.0

/// A query that is answered once.
public protocol HKAsyncQuery: Sendable {
    /// What it gives.
    associatedtype Output

    /// Runs the query.
    ///
    /// - Throws: `HKError`, and `CancellationError` where the task was cancelled.
    func result(for healthStore: HKHealthStore) async throws -> Output
}

/// A query that gives an answer after the other, as the store changes.
public protocol HKAsyncSequenceQuery: Sendable {
    /// The answers.
    associatedtype Sequence: AsyncSequence

    /// Begins the query, which ends when the loop over it is left or its task is cancelled.
    func results(for healthStore: HKHealthStore) -> Sequence
}
