// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Snapshots expire, so that they do not keep replaced files forever. `Docs/Operations/Retention.md` has the bounds.
extension Eraser {
    /// Starts the periodic check for snapshots of this opening that are too old.
    func watchSnapshots() {
        context.slots.watch(context.snapshotAge) { [weak self] in self.map { $0.expireSnapshots() } != nil }
        context.requestUpkeep()
    }

    /// Refreshes an opening whose version has reached the snapshot age, so that its own version does not expire.
    private func prepareExpiry() {
        guard context.mode != .readWrite, !context.isClosed, (try? access.hasNews()) == true else { return }
        if context.slots.ageOfNewest() >= context.snapshotAge { _ = try? access.refresh() }
    }

    /// Lets the files of a closed store expire with the snapshots that outlive the store.
    func keepExpiring(_ files: [SegmentFile]) {
        if context.slots.end(files) { context.slots.watch(context.snapshotAge) { false } }
    }

    /// Ends the holds that are too old, and removes the files that no hold needs.
    func expireSnapshots() {
        prepareExpiry()
        context.slots.expire(after: context.snapshotAge)
        if context.mode == .readWrite, !context.isClosed { try? removeReplaced() }
    }
}
