// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HealthModel
import Synchronization

/// A queue for blocking work, so that the caller's thread does not block. Completion handlers are called on it, too.
///
/// At most `width` works run at once, each on a thread of its own; others wait in order. Saves that wait for the same
/// commit share it, so more threads would not be faster. A handler must not block until a later call of the store ends:
/// `width` such handlers would wait for ever.
enum BlockingQueue {
    /// The most works, and threads, at once.
    static let width = 64

    private struct State {
        var running = 0
        /// Works that wait, the oldest at `first`.
        var waiting: [(@Sendable () -> Void)?] = []
        var first = 0

        /// Takes the oldest waiting work; a worker without one ends.
        mutating func next() -> (@Sendable () -> Void)? {
            guard first < waiting.count else {
                waiting = []
                first = 0
                running -= 1
                return nil
            }
            let work = waiting[first]
            waiting[first] = nil
            first += 1
            if first > 1_024, first > waiting.count / 2 {
                waiting.removeFirst(first)
                first = 0
            }
            return work
        }
    }

    private static let queue = DispatchQueue(label: "kymograph.health", qos: .userInitiated, attributes: .concurrent)
    private static let state = Mutex(State())

    static func run(_ work: @escaping @Sendable () -> Void) {
        let isNew = state.withLock { state in
            if state.running == width {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        if isNew { queue.async { runAll(from: work) } }
    }

    /// Runs work, and then the works that wait.
    private static func runAll(from first: @escaping @Sendable () -> Void) {
        var work = Optional(first)
        while let current = work {
            current()
            work = state.withLock { $0.next() }
        }
    }

    /// Runs work on the queue, then reports success or the error to a handler.
    static func run(
        _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void,
        _ work: @escaping @Sendable () throws(HKError) -> Void
    ) {
        run({ (done: Void?, error) in completion(done != nil, error) }, work)
    }

    /// Runs work on the queue, then reports its result or the error to a handler.
    static func run<R>(
        _ completion: @escaping @Sendable (R?, (any Error)?) -> Void,
        _ work: @escaping @Sendable () throws(HKError) -> R
    ) {
        run {
            do throws(HKError) {
                completion(try work(), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

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
        let lifecycle = QueryLifecycle()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                run { waiting.resume(returning: Result { () throws(any Error) in try work(lifecycle) }) }
            }
        } onCancel: {
            lifecycle.stop()
        }
        try Task.checkCancellation()
        return try HKError.converting { try result.get() }
    }
}
