// SPDX-License-Identifier: Apache-2.0

public import HealthModel

/// A query that a store can run.
protocol RunnableQuery: HKQuery {
    /// Answers; called on a thread of the store. One that goes on returns, and calls its handlers until it is stopped.
    ///
    /// - Throws: what keeps it from an answer; `fail` is called with it.
    func run(in store: HKHealthStore) throws

    /// Tells the handler of an error. Not called once the query is stopped.
    func fail(_ error: HKError)
}

extension HKHealthStore {
    /// Runs a query. Its handlers are called on threads of the store, one at a time.
    ///
    /// A query runs once. Where HealthKit raises an exception for a second execution, here the handler is called with
    /// `errorInvalidArgument`; so it is for a predicate that no store can read. A query with an update handler, and an
    /// observer query, run until ``stop(_:)`` is called, until the store is closed, or until they fail.
    public func execute(_ query: HKQuery) {
        guard let query = query as? any RunnableQuery else { return }
        let isFirst = query.course.begin()
        BlockingQueue.run { [query] in
            do {
                guard isFirst else {
                    throw HKError(
                        .errorInvalidArgument, reason: "the query was executed before",
                        place: "\(type(of: query))", advice: "make a new query; one runs once")
                }
                if !query.course.isStopped { try query.run(in: self) }
            } catch {
                if !isFirst || !query.course.isStopped { query.fail(HKError(any: error)) }
            }
        }
    }

    /// Ends a query: its handlers are not called again, but for a call that is under way. A query that was stopped, or
    /// never executed, may be stopped.
    public func stop(_ query: HKQuery) { query.course.stop() }
}

extension RunnableQuery {
    /// Does something after each commit, until the query is stopped or the step fails: then `fail` is told.
    ///
    /// - Parameter step: called on a thread of the store, once at first for what was committed meanwhile.
    func follow(_ store: HealthStore, _ step: @escaping @Sendable () throws -> Void) {
        let task = Task { [query = self] in
            do {
                for await _ in store.engine.commits() where !query.course.isStopped {
                    try await BlockingQueue.result { () throws(HKError) in
                        do { try step() } catch { throw HKError(any: error) }
                    }
                }
                if query.course.isStopped { return }
                throw await HKError.endOfCommits(store)
            } catch {
                if !query.course.isStopped { query.fail(HKError(any: error)) }
            }
        }
        course.whenStopped { task.cancel() }
    }
}

extension HKError {
    /// Why a store tells of no more commits: it was closed, or cannot be read.
    static func endOfCommits(_ store: HealthStore) async -> HKError {
        do throws(HKError) {
            try await BlockingQueue.result { () throws(HKError) in
                do throws(HealthStoreError) { try store.refresh() } catch { throw HKError(error) }
            }
        } catch {
            return error
        }
        return HKError(
            .errorDatabaseInaccessible, reason: "the store was closed while a query ran", place: store.path,
            advice: "stop queries before you close a store")
    }
}
