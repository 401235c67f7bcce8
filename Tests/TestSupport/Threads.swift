// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs a body on this many threads at once and waits for all. Returns the results in the order of the threads.
///
/// Tests that spin or block need their own threads: tasks share as many threads as there are processors.
package func onThreads<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> R) -> [R] {
    let results = Results<R>()
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            let result = body(index)
            results.values.withLock { $0[index] = result }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    group.wait()
    return results.values.withLock { values in (0..<count).compactMap { values[$0] } }
}

private final class Results<R: Sendable>: Sendable {
    let values = Mutex<[Int: R]>([:])
}
