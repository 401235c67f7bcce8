// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a store that is open knows of its compaction.
final class CompactionState: Sendable {
    /// Held while a merge is under way: there is one at a time.
    let running = Mutex(())
    private let stopped = Atomic(false)

    /// Whether the merge under way has to end.
    var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// Deletions up to this commit have waited long enough.
    var overdue: Int64 { 0 }

    /// Ends the merge under way and begins no other.
    func stop() { stopped.store(true, ordering: .relaxed) }
}
