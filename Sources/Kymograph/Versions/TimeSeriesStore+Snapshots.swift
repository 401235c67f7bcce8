// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// A commit before the last that somebody's snapshots still show.
public struct HeldCommit: Hashable, Sendable {
    /// Its number.
    public var commit: Int64
    /// For how long it has not been the last one, where this opening holds it itself; nil where only others do.
    public var age: Duration?
    /// The processes that hold it, ascending, as far as the system tells: those of the same user.
    public var processes: [Int]
}

// How long snapshots may keep back what was replaced. `Docs/TimeTravel.md` has the promises.
extension TimeSeriesStore {
    /// In nanoseconds, at most some hundred years.
    private var snapshotAge: Int64 { max(0, min(options.snapshotAge, .seconds(3_000_000_000)).wholeNanoseconds) }

    /// Looks from now on whether snapshots of this opening are too old.
    func watchSnapshots() {
        slots.watch(snapshotAge) { [weak self] in self.map { $0.expireSnapshots() } != nil }
        eraseInTime()
    }

    /// An opening that was not refreshed for long is, so that what it shows is not what is too old.
    private func prepareExpiry() {
        guard mode != .readWrite, !compaction.isStopped, (try? hasNews()) == true else { return }
        if slots.ageOfNewest() >= snapshotAge { _ = try? refresh() }
    }

    /// After closing: what snapshots that stay need ends in time as well.
    func outlive(_ files: [SegmentFile]) {
        if slots.end(files) { slots.watch(snapshotAge) { false } }
    }

    /// Ends what is held too long, now, and removes what nothing needs any more.
    func expireSnapshots() {
        prepareExpiry()
        slots.expire(after: snapshotAge)
        if mode == .readWrite, !compaction.isStopped { try? removeReplaced() }
    }

    /// Commits before one that are held, ascending.
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
}
