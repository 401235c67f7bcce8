// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// A peer, and what it has of this store.
struct Follower: Sendable {
    /// The number of the peer.
    let id: Int64
    /// The commits of this store whose changes the peer has: it acknowledged them, or they came from it.
    let known: KnownCommits
    /// Whether the peer keeps only the last days, so that it may lose what it has.
    let isLimited: Bool
}

extension HealthStore {
    /// Returns the peers, and what each has of this store.
    ///
    /// - Complexity: O(peers + ranges of commits that came from them).
    func followers() throws(HealthStoreError) -> [Follower] {
        let (peers, received) = try catalog(([SyncPeerRow](), [[ClosedRange<Int64>]]())) { transaction in
            let peers = try HealthCatalog.peers(transaction)
            return (peers, try peers.map { try HealthCatalog.commits(of: $0.id, transaction) })
        }
        if peers.isEmpty { return [] }
        let snapshot = engine.snapshot()
        return zip(peers, received).map { peer, ranges in
            Follower(
                id: peer.id, known: KnownCommits(through: acknowledgedCommit(of: peer, snapshot), ranges: ranges),
                isLimited: peer.isLimited)
        }
    }

    /// Returns the last commit whose deletions every peer has; `Int64.max` without peers.
    func followedCommit() throws(HealthStoreError) -> Int64 {
        try followers().map(\.known.through).min() ?? .max
    }

    /// Returns the last commit up to which a peer has acknowledged all changes; 0 if there is none.
    func acknowledgedCommit(of peer: SyncPeerRow, _ snapshot: Snapshot) -> Int64 {
        var last: Int64 = 0
        for text in [peer.acknowledged, peer.searched] {
            // A peer that has a part of the store has not all changes up to the commit.
            guard let position = SyncPosition(text: text), position.selection == 0, let anchor = position.begin,
                anchor.sequence > last
            else { continue }
            // A position of another copy of the store says nothing about the commits of this one.
            guard (try? engine.deletions(in: snapshot, of: [], since: anchor)) != nil else { continue }
            last = anchor.sequence
        }
        return last
    }
}
