// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HealthModel

/// A queue for blocking work, so that the caller's thread does not block. Completion handlers are called on it, too.
enum BlockingQueue {
    private static let queue = DispatchQueue(label: "kymograph.health", qos: .userInitiated, attributes: .concurrent)

    /// Runs work on the queue.
    static func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs work on the queue, and waits for its result without blocking a thread.
    static func result<R: Sendable>(_ work: @escaping @Sendable () throws(HKError) -> R) async throws(HKError) -> R {
        let result = await withCheckedContinuation { waiting in
            run { waiting.resume(returning: Result { () throws(HKError) in try work() }) }
        }
        return try result.get()
    }

    /// Answers a query on the queue. Cancellation of the caller's task stops the query's lifecycle.
    ///
    /// - Throws: the error of `work` as `HKError`; `CancellationError`.
    static func answer<R: Sendable>(_ work: @escaping @Sendable (QueryLifecycle) throws -> R) async throws -> R {
        let course = QueryLifecycle()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                run { waiting.resume(returning: Result { () throws(any Error) in try work(course) }) }
            }
        } onCancel: {
            course.stop()
        }
        try Task.checkCancellation()
        do {
            return try result.get()
        } catch {
            throw HKError(any: error)
        }
    }
}
