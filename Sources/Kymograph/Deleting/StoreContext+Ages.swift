// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The ages of `StoreOptions`, in nanoseconds, at most about a hundred years.
extension StoreContext {
    /// The age at which the bytes of deleted samples are erased.
    var erasureAge: Int64 { Self.bounded(options.erasureAge) }

    /// The age at which a tombstone that hides nothing is removed.
    var deletionsKept: Int64 { Self.bounded(options.deletionsKept) }

    /// The age at which a snapshot of an earlier commit expires.
    var snapshotAge: Int64 { Self.bounded(options.snapshotAge) }

    private static func bounded(_ age: Duration) -> Int64 {
        max(0, min(age, .seconds(3_000_000_000)).wholeNanoseconds)
    }

    /// The last commit whose deletions are old enough to be erased; 0 if there is none.
    var overdueCommit: Int64 {
        let times = published.withLock { $0.past.times }
        return times.lastCommit(before: erasureAge, at: options.wallClock())
    }

    /// Returns the times of deletions with the time of a commit that deletes now.
    func times(_ times: DeletionTimes, adding commit: Int64) -> DeletionTimes {
        times.adding(commit, at: options.wallClock(), age: erasureAge, kept: deletionsKept)
    }
}
