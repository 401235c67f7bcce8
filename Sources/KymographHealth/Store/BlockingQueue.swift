// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HealthModel

/// Where work for programs is done that must not wait: completion handlers are called there, too.
enum BlockingQueue {
    private static let queue = DispatchQueue(label: "kymograph.health", qos: .userInitiated, attributes: .concurrent)

    /// Does work elsewhere.
    static func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Does work elsewhere, and waits for it without keeping a thread.
    static func result<R: Sendable>(_ work: @escaping @Sendable () throws(HKError) -> R) async throws(HKError) -> R {
        let result = await withCheckedContinuation { waiting in
            run { waiting.resume(returning: Result { () throws(HKError) in try work() }) }
        }
        return try result.get()
    }

    /// Answers a query elsewhere. When the caller's task is cancelled, the course is stopped.
    ///
    /// - Throws: what the work throws, as `HKError`; `CancellationError`.
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
