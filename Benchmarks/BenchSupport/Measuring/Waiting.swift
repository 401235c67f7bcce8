// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A bridge from synchronous commands to asynchronous libraries.
package enum Waiting {
    /// Runs an asynchronous body and blocks the caller's thread until it is done.
    package static func result<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let box = ResultBox<R>()
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                let result = try await body()
                box.result.withLock { $0 = .success(result) }
            } catch {
                box.result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        guard let result = box.result.withLock({ $0 }) else { throw BenchError("a measurement ended without a result") }
        return try result.get()
    }

    private final class ResultBox<R: Sendable>: Sendable {
        let result = Mutex<Result<R, any Error>?>(nil)
    }
}
