// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// The past commits of a store: how far back snapshots and change feeds reach, and which commits are the store's own.
struct CommitHistory: Hashable, Sendable {
    /// A range of commits of one copy of the store. A copy starts a new epoch, so its later commits are
    /// distinguishable.
    struct Epoch: Hashable, Sendable {
        /// A random number; 0 for the first epoch.
        let number: Int64
        /// The last commit before the epoch.
        let start: Int64
    }

    /// The earliest commit whose samples all still exist: the newest deletion whose samples sealing or compaction has
    /// removed.
    var horizon: Int64 = 0
    /// The epochs after the first, in order.
    var epochs: [Epoch] = []
    /// By series, the newest deletion whose tombstone is gone. Changes since an earlier commit are unknown. A series
    /// whose deletions are all known has no entry.
    var feedHorizons: [Int64: Int64] = [:]
    /// The times of deletions.
    var times = DeletionTimes()

    /// The epoch of new commits.
    var epoch: Int64 { epochs.last?.number ?? 0 }

    /// Returns the earliest commit since which all changes of some series are known; nil means all series.
    func feedHorizon(of ids: [SeriesID]?) -> Int64 {
        if feedHorizons.isEmpty { return 0 }
        guard let ids else { return feedHorizons.values.max() ?? 0 }
        return ids.reduce(0) { max($0, feedHorizons[$1.rawValue] ?? 0) }
    }

    /// Returns the last commit of an epoch in this store's history, which has `last` commits; nil for an epoch of
    /// another copy.
    func end(ofEpoch number: Int64, last: Int64) -> Int64? {
        var later = epochs[...]
        if number != 0 {
            guard let at = epochs.firstIndex(where: { $0.number == number }) else { return nil }
            later = epochs[(at + 1)...]
        }
        return later.map(\.start).min() ?? last
    }
}

extension CommitHistory {
    init(_ image: CatalogImage) {
        // An older catalog format does not record the horizon; then any deleted sample may have been removed.
        horizon = image.history.horizon ?? image.deletions.tombstones.last?.born ?? 0
        epochs = image.history.epochs.map { Epoch(number: $0.number, start: $0.start) }
        feedHorizons = image.history.feedHorizons
        times = DeletionTimes(image.deletions.times)
    }

    /// Returns a random number for a new epoch.
    static func newEpoch() throws(StoreError) -> Int64 {
        let bytes = try onDisk { () throws(DiskError) in try SystemRandom.bytes(8) }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number == 0 ? 1 : Int64(bitPattern: number)
    }
}

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

/// A range of successive commits, used to select samples by the commit that added them.
struct CommitRange: Hashable, Sendable {
    /// The commit before the first one in the range.
    let after: Int64
    /// The last commit in the range.
    let through: Int64

    func contains(_ born: Int64) -> Bool { born > after && born <= through }

    /// Returns the effect of hiding all other commits on samples of the commits `first` to `last`.
    func overlap(_ first: Int64, _ last: Int64) -> Mask.Overlap {
        if last <= after || first > through { return .all }
        return first > after && last <= through ? .none : .some
    }
}

extension Version {
    /// Returns a version with only the samples that a range of commits added.
    ///
    /// Sample counts are those of the whole runs, so the version is suitable for scans only. `asOf` supports all
    /// queries.
    func born(in window: CommitRange) -> Version {
        var part = self
        part.runs = runs(in: window)
        var hidden = tombstones
        for (series, _) in part.mixedRuns(window) {
            hidden[series] = Tombstones(tombstones[series]?.all ?? [], births: window)
        }
        part.tombstones = hidden
        return part
    }

    /// Returns the runs with samples of a range of commits.
    func runs(in window: CommitRange) -> RunTable {
        runs.filter { file in
            switch window.overlap(file.totals.births.first, file.totals.births.last) {
            case .all: false
            case .none: true
            case .some: nil
            }
        } runs: { run in
            window.overlap(run.births.first, run.births.last) != .all
        }
    }

    /// Returns for each series the runs with samples of a range of commits and samples of other commits.
    func mixedRuns(_ window: CommitRange) -> [(series: Int64, runs: [Run])] {
        var candidates = Set(tailSamples.keys)
        for file in segments.values where window.overlap(file.totals.births.first, file.totals.births.last) == .some {
            candidates.formUnion(file.row.runs.series)
        }
        return candidates.sorted().compactMap { series in
            let mixed = runs[series].filter { window.overlap($0.births.first, $0.births.last) == .some }
            return mixed.isEmpty ? nil : (series, mixed)
        }
    }
}
