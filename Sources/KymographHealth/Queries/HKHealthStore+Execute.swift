// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// A query that a store can run.
protocol RunnableQuery: HKQuery {
    /// Runs the query; called on a thread of the store. A continuing query returns, and calls its handlers until it is
    /// stopped.
    ///
    /// - Throws: the error for `fail`.
    func run(in store: HKHealthStore) throws

    /// Reports an error to the handler. Not called once the query is stopped.
    func fail(_ error: HKError)
}

extension HKHealthStore {
    /// Runs a query. See `execute(_:)`.
    func run(_ query: HKQuery) {
        guard let query = query as? any RunnableQuery else { return }
        let isFirst = query.lifecycle.begin()
        BlockingQueue.run { [query] in
            do {
                guard isFirst else {
                    throw HKError(
                        .errorInvalidArgument, reason: "the query was executed already",
                        place: "\(type(of: query))", advice: "create a new query; each query runs once")
                }
                if !query.lifecycle.isStopped { try query.run(in: self) }
            } catch {
                if !isFirst || !query.lifecycle.isStopped { query.fail(HKError(any: error)) }
            }
        }
    }
}

extension RunnableQuery {
    /// Runs a step after each commit, until the query is stopped or the step throws; then the error is reported with
    /// `fail`.
    ///
    /// - Parameter step: called on a thread of the store; the first call is for the commits since the query started.
    func follow(_ store: HealthStore, _ step: @escaping @Sendable () throws -> Void) {
        let task = Task { [query = self] in
            do {
                for await _ in store.engine.commits() where !query.lifecycle.isStopped {
                    try await BlockingQueue.result { () throws(HKError) in try HKError.converting(step) }
                }
                if query.lifecycle.isStopped { return }
                throw await HKError.endOfCommits(store)
            } catch {
                if !query.lifecycle.isStopped { query.fail(HKError(any: error)) }
            }
        }
        lifecycle.whenStopped { task.cancel() }
    }
}

extension HKError {
    /// Returns the reason for the end of a store's commits: the store was closed, or cannot be read.
    static func endOfCommits(_ store: HealthStore) async -> HKError {
        do throws(HKError) {
            _ = try await BlockingQueue.result { () throws(HKError) in try HKError.converting { try store.refresh() } }
        } catch {
            return error
        }
        return HKError(
            .errorDatabaseInaccessible, reason: "the store was closed while a query ran", place: store.path,
            advice: "stop queries before you close a store")
    }
}
