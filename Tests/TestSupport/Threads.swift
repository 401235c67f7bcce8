// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs a body on this many real threads at once and waits for all; results in the order of the threads.
///
/// Tests that spin or block need threads of their own: tasks share as many threads as there are processors.
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
