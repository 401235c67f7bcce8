// SPDX-License-Identifier: Apache-2.0

/// The changes of a store for one peer, in one session.
package struct SyncFeed: Sendable {
    /// The number of the peer.
    let peer: Int64
    var position: SyncPosition
    let selection: SyncSelection
    var names = SyncNames()
    /// The number of changes that were read and came from the peer.
    package var skipped = 0

    /// The last commit whose changes were all read.
    package var commit: Int64 { position.first }

    /// The last commit whose changes were all read before the session.
    package let begun: Int64

    init(peer: Int64, position: SyncPosition, _ selection: SyncSelection) {
        self.peer = peer
        self.position = position
        self.selection = selection
        begun = position.first
    }
}
