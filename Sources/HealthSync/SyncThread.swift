// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KymographHealth
import Synchronization

/// Threads that may wait for a connection.
enum SyncThread {
    /// Runs a closure in another thread.
    static func detach(_ body: @escaping @Sendable () -> Void) {
        // The system starts a thread for a serial queue at once, but one for a concurrent queue only after a second, if
        // as many threads as processors wait.
        DispatchQueue(label: "kymograph.sync", qos: .userInitiated).async(execute: body)
    }
}

/// The outcome of a side that runs in another thread.
final class SyncAnswer: Sendable {
    private let result = Mutex<(failure: SyncError?, conflicts: [SyncConflict])>((nil, []))
    private let ended = DispatchSemaphore(value: 0)

    /// The uses of rules that the side noted.
    var conflicts: [SyncConflict] { result.withLock { $0.conflicts } }

    func end(_ failure: SyncError?, _ conflicts: [SyncConflict] = []) {
        result.withLock { $0 = (failure, conflicts) }
        ended.signal()
    }

    /// Waits for the end; returns the error of the side.
    func wait() -> SyncError? {
        ended.wait()
        return result.withLock { $0.failure }
    }
}
