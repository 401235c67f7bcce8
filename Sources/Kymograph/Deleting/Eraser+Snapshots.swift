// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Snapshots expire, so that they do not keep replaced files for ever. `Docs/Operations/Retention.md` has the promises.
extension Eraser {
    /// Begins to check periodically whether snapshots of this opening are too old.
    func watchSnapshots() {
        context.slots.watch(context.snapshotAge) { [weak self] in self.map { $0.expireSnapshots() } != nil }
        context.requestUpkeep()
    }

    /// Refreshes an opening that was not refreshed for long, so that its own version is not the one that is too old.
    private func prepareExpiry() {
        guard context.mode != .readWrite, !context.isClosed, (try? access.hasNews()) == true else { return }
        if context.slots.ageOfNewest() >= context.snapshotAge { _ = try? access.refresh() }
    }

    /// Lets the files of a closed store expire with the snapshots that outlive it, in time.
    func keepExpiring(_ files: [SegmentFile]) {
        if context.slots.end(files) { context.slots.watch(context.snapshotAge) { false } }
    }

    /// Ends the holds that are too old, and removes the files that nothing needs any more.
    func expireSnapshots() {
        prepareExpiry()
        context.slots.expire(after: context.snapshotAge)
        if context.mode == .readWrite, !context.isClosed { try? removeReplaced() }
    }
}
