// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

/// How far back a store can be looked at, and which commits are its own.
struct CommitHistory: Hashable, Sendable {
    /// A stretch of commits that no copy of the store shares which began another one.
    struct Epoch: Hashable, Sendable {
        /// Random; 0 is the first epoch's.
        let number: Int64
        /// The commit after which it began.
        let start: Int64
    }

    /// The earliest commit of which everything is still there that was there then: the newest of those that deleted
    /// samples which sealing or compaction has left out since.
    var horizon: Int64 = 0
    /// Those after the first, in the order in which they began.
    var epochs: [Epoch] = []
    /// By series, the newest commit of those that deleted something of it and of which nothing is known any more:
    /// changes since an earlier one cannot be told. A series of which every deletion is known has none.
    var feedHorizons: [Int64: Int64] = [:]
    /// When what is deleted was deleted.
    var times = DeletionTimes()

    /// The epoch that new commits belong to.
    var epoch: Int64 { epochs.last?.number ?? 0 }

    /// The earliest commit since which all changes of some series can be told; nil means all series.
    func feedHorizon(of ids: [SeriesID]?) -> Int64 {
        if feedHorizons.isEmpty { return 0 }
        guard let ids else { return feedHorizons.values.max() ?? 0 }
        return ids.reduce(0) { max($0, feedHorizons[$1.rawValue] ?? 0) }
    }

    /// The last commit of an epoch that this store knows as its own, of `last` commits; nil for an epoch of another
    /// copy.
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
        // A catalog of a format that does not say what was left out may have left out all that was deleted.
        horizon = image.history.horizon ?? image.deletions.tombstones.last?.born ?? 0
        epochs = image.history.epochs.map { Epoch(number: $0.number, start: $0.start) }
        feedHorizons = image.history.feedHorizons
        times = DeletionTimes(image.deletions.times)
    }

    /// A number for a new epoch.
    static func newEpoch() throws(StoreError) -> Int64 {
        let bytes = try onDisk { () throws(DiskError) in try SystemRandom.bytes(8) }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number == 0 ? 1 : Int64(bitPattern: number)
    }
}
