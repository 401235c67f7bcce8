// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// The compaction state of an open store: the merge under way, the totals, and when the next background merge may
/// begin.
final class CompactionState: Sendable {
    /// The thread that runs a merge.
    private let owner = ThreadOwner()
    /// True on the thread that runs a merge, for example in a progress closure.
    var isInside: Bool { owner.isMine }

    private struct Memory {
        var total = CompactionReport()
        /// True if due merges run in the background, or will at once.
        var isScheduled = false
        /// True if the periodic check for overdue deletions runs.
        var isWatched = false
        /// The commit before which no merge begins, after a failure.
        var notBefore: Int64 = 0
        var failures = 0
        /// Segments that cannot be read.
        var avoided: Set<Int64> = []
        /// The newest deletion whose samples are erased from the catalog's log, too.
        var cleanThrough: Int64 = 0
    }

    /// Held during a merge: merges run one at a time.
    private let running = Mutex(())
    private let memory = Mutex(Memory())
    private let background = DispatchQueue(label: "kymograph.compaction", qos: .background)

    /// The totals of all merges since opening.
    var total: CompactionReport { memory.withLock { $0.total } }

    /// Segments that background merges no longer read.
    var avoided: Set<Int64> { memory.withLock { $0.avoided } }

    /// Runs a merge after all merges that began earlier.
    func run<R: Sendable>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try owner.refuse(
            "a progress closure of compact() cannot start a compaction; start it when compact() has returned")
        let result = running.withLock { _ in
            owner.own { Result { () throws(StoreError) in try body() } }
        }
        return try result.get()
    }

    /// Waits for the end of the merge under way, unless the caller runs inside it.
    func waitUntilIdle() {
        if !isInside { running.withLock { _ in } }
    }

    func note(_ report: CompactionReport) { memory.withLock { $0.total.add(report) } }

    // Background merges.

    /// Runs `body` in the background, unless a run is scheduled, or a merge failed shortly before this commit.
    func schedule(at commit: Int64, _ body: @escaping @Sendable () -> Void) {
        let isNew = memory.withLock { memory in
            if memory.isScheduled || commit < memory.notBefore { return false }
            memory.isScheduled = true
            return true
        }
        if isNew { background.async(execute: body) }
    }

    /// Marks the periodic check as running. Returns false if it ran already.
    func beginWatch() -> Bool {
        memory.withLock { memory in
            defer { memory.isWatched = true }
            return !memory.isWatched
        }
    }

    /// Runs `body` in the background after a delay in seconds.
    func schedule(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
        background.asyncAfter(deadline: .now() + seconds, execute: body)
    }

    /// Records the end of a scheduled run. After an error the pause before the next run grows; a segment that cannot be
    /// read is excluded instead.
    func finish(_ error: StoreError?, at commit: Int64, reading files: [Int64: String]) {
        memory.withLock { memory in
            memory.isScheduled = false
            guard let error else { return memory.failures = 0 }
            if let bad = files.first(where: { $0.value == error.path })?.key {
                memory.avoided.insert(bad)
            } else {
                memory.failures = min(memory.failures + 1, 12)
                memory.notBefore = commit + 64 << Int64(memory.failures)
            }
        }
    }

    /// Excludes a segment from background merges.
    func avoid(_ segment: Int64) { memory.withLock { _ = $0.avoided.insert(segment) } }

    /// The newest deletion whose samples are erased from the catalog's log, too.
    var cleanThrough: Int64 { memory.withLock { $0.cleanThrough } }

    func noteClean(through commit: Int64) { memory.withLock { $0.cleanThrough = max($0.cleanThrough, commit) } }
}
