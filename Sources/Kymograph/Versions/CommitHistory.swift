// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

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
