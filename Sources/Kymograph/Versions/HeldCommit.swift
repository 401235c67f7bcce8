// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// An earlier commit that a snapshot still shows.
public struct HeldCommit: Hashable, Sendable {
    /// Its number.
    public var commit: Int64
    /// How long it has not been the last one, where this opening holds it itself; nil where only others do.
    public var age: Duration?
    /// The processes that hold it, ascending, as far as the system reports them: those of the same user.
    public var processes: [Int]
}

extension StoreContext {
    /// The held commits before one, ascending.
    func heldCommits(before seq: Int64) throws(StoreError) -> [HeldCommit] {
        let commits = try slots.held().filter { $0 < seq }
        if commits.isEmpty { return [] }
        let (mine, others) = (slots.ages, LockHolders.of(layout.lock))
        return commits.map { commit in
            var processes = Set(others.filter { $0.byte == ReaderSlots.firstByte + commit }.map { Int($0.process) })
            let age = mine[commit]
            if age != nil { processes.insert(Int(Environment.processIdentifier)) }
            return HeldCommit(
                commit: commit, age: age.map { .nanoseconds($0) }, processes: processes.sorted())
        }
    }

    /// The oldest commit that a snapshot shows, in any process; else the latest. No snapshot needs an earlier one.
    func oldestHeldCommit() throws(StoreError) -> Int64 {
        let latest = published.withLock { $0.seq }
        return min(try slots.oldest() ?? latest, latest)
    }
}
