// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Threads, for producers that wait for the disk, and tasks, which share as many threads as there are processors.
package enum Threads {
    /// Runs a body on this many threads at once and waits for all of them. Returns the results in the order of the
    /// threads; throws the first error in this order.
    package static func run<R: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> R
    ) throws -> [R] {
        let results = Results<R>()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            let thread = Thread {
                let result = Result { try body(index) }
                results.values.withLock { $0[index] = result }
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        return try results.values.withLock { values in try (0..<count).compactMap { try values[$0]?.get() } }
    }

    /// Runs a body in this many tasks at once and waits for all of them.
    package static func runTasks<R: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> R
    ) throws -> [R] {
        let results = Results<R>()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Task.detached {
                let result: Result<R, any Error>
                do { result = .success(try await body(index)) } catch { result = .failure(error) }
                results.values.withLock { $0[index] = result }
                group.leave()
            }
        }
        group.wait()
        return try results.values.withLock { values in try (0..<count).compactMap { try values[$0]?.get() } }
    }

    private final class Results<R: Sendable>: Sendable {
        let values = Mutex<[Int: Result<R, any Error>]>([:])
    }
}
