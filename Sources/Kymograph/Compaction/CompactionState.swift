// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// What a store that is open knows of its compaction: whether a merge is under way, what was done so far, and when the
/// next one may begin by itself.
final class CompactionState: Sendable {
    /// The thread that makes a merge.
    private let owner = ThreadOwner()
    /// Whether the caller is inside of a merge, as who is told of its progress is.
    var isInside: Bool { owner.isMine }

    private struct Memory {
        var total = CompactionReport()
        /// Whether merges that are due are being made, or will be at once.
        var isScheduled = false
        /// Whether somebody looks now and then for what has been deleted for long.
        var isWatched = false
        /// The commit before which none begins, after one failed.
        var notBefore: Int64 = 0
        var failures = 0
        /// Segments that cannot be read.
        var avoided: Set<Int64> = []
        /// The newest of the deletions that were taken out of the catalog's log as well.
        var cleanThrough: Int64 = 0
    }

    /// Held while a merge is under way: there is one at a time.
    private let running = Mutex(())
    private let memory = Mutex(Memory())
    private let background = DispatchQueue(label: "kymograph.compaction", qos: .background)

    /// What all merges since opening did.
    var total: CompactionReport { memory.withLock { $0.total } }

    /// Segments that no merge by itself reads any more.
    var avoided: Set<Int64> { memory.withLock { $0.avoided } }

    /// Runs a merge, after those that others began.
    func run<R: Sendable>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try owner.refuse(
            "a progress closure of compact() cannot start a compaction; start it when compact() has returned")
        let result = running.withLock { _ in
            owner.own { Result { () throws(StoreError) in try body() } }
        }
        return try result.get()
    }

    /// Waits for the end of the merge under way, unless the caller is inside of it.
    func waitUntilIdle() {
        if !isInside { running.withLock { _ in } }
    }

    func note(_ report: CompactionReport) { memory.withLock { $0.total.add(report) } }
}

// When merges begin by themselves.
extension CompactionState {
    /// Runs `body` in the background, unless it is about to, or failed not long before this commit.
    func schedule(at commit: Int64, _ body: @escaping @Sendable () -> Void) {
        let isNew = memory.withLock { memory in
            if memory.isScheduled || commit < memory.notBefore { return false }
            memory.isScheduled = true
            return true
        }
        if isNew { background.async(execute: body) }
    }

    /// Whether nobody watches yet; the caller does from now on.
    func beginWatch() -> Bool {
        memory.withLock { memory in
            defer { memory.isWatched = true }
            return !memory.isWatched
        }
    }

    /// Runs `body` in the background after some time.
    func schedule(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
        background.asyncAfter(deadline: .now() + seconds, execute: body)
    }

    /// What was scheduled is over. After an error there is a pause that grows; a segment that cannot be read is left
    /// alone.
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

    /// Leaves a segment alone from now on.
    func avoid(_ segment: Int64) { memory.withLock { _ = $0.avoided.insert(segment) } }

    /// The newest of the deletions that were taken out of the catalog's log as well.
    var cleanThrough: Int64 { memory.withLock { $0.cleanThrough } }

    func noteClean(through commit: Int64) { memory.withLock { $0.cleanThrough = max($0.cleanThrough, commit) } }
}
