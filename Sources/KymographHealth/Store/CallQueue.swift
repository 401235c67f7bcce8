// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HealthModel

/// A queue for the blocking calls of one object, which take effect in the order in which they were made.
///
/// Completion handlers are called in the same order, on another queue: a handler may wait for a later call.
final class CallQueue: Sendable {
    private let works: DispatchQueue
    private let handlers: DispatchQueue

    /// - Parameter name: the name of the queue, for debuggers.
    init(_ name: String) {
        works = DispatchQueue(label: "kymograph.\(name)", qos: .userInitiated)
        handlers = DispatchQueue(label: "kymograph.\(name).handlers", qos: .userInitiated)
    }

    /// Runs work after the works before it, then reports success or the error to a handler.
    func run(
        _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void,
        _ work: @escaping @Sendable () throws(HKError) -> Void
    ) {
        run({ (done: Void?, error) in completion(done != nil, error) }, work)
    }

    /// Runs work after the works before it, then reports its result or the error to a handler.
    func run<R: Sendable>(
        _ completion: @escaping @Sendable (R?, (any Error)?) -> Void,
        _ work: @escaping @Sendable () throws(HKError) -> R
    ) {
        works.async { [handlers] in
            let result = Result { () throws(HKError) in try work() }
            handlers.async {
                switch result {
                case .success(let value): completion(value, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    /// Runs work after the works before it, and waits for its result without blocking a thread.
    func result<R: Sendable>(_ work: @escaping @Sendable () throws(HKError) -> R) async throws(HKError) -> R {
        let result = await withCheckedContinuation { waiting in
            works.async { waiting.resume(returning: Result { () throws(HKError) in try work() }) }
        }
        return try result.get()
    }

    /// Waits for the works so far. Must not be called by one of them.
    func drain() { works.sync {} }
}
