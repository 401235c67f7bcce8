// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import Synchronization

/// Removes within bounded time: deleted samples, replaced segments, files of expired snapshots, and old tombstones.
/// `Docs/Operations/Retention.md` has the bounds.
///
/// An opening that may write checks periodically. The checks begin with the first deletion or replacement, or with an
/// opening that finds bytes to remove.
final class Eraser: Sendable {
    let context: StoreContext
    let access: CatalogAccess
    private let sealer: TailSealer
    let compactor: Compactor
    /// Erases the health layer's rows together with the samples.
    private let companion = Mutex<CompanionErasure?>(nil)

    init(_ context: StoreContext, _ access: CatalogAccess, _ sealer: TailSealer, _ compactor: Compactor) {
        self.context = context
        self.access = access
        self.sealer = sealer
        self.compactor = compactor
        context.onUpkeep { [weak self] reason in self?.begin(reason) }
    }

    /// Adds the erasure of a layer above to the periodic checks.
    func erase(with layer: CompanionErasure) {
        companion.withLock { $0 = layer }
        context.requestUpkeep()
    }

    // MARK: Periodic checks

    private func begin(_ reason: StoreContext.Upkeep) {
        if case .replaced = reason { return watchSnapshots() }
        guard context.options.compacts, context.mode != .readOnly, !context.isClosed else { return }
        let hasWork = context.published.withLock { !$0.tombstones.isEmpty || !$0.retired.isEmpty }
        let hasCompanion = companion.withLock { $0 != nil }
        guard hasWork || hasCompanion, compactor.state.beginWatch() else { return }
        if case .opened = reason {
            compactor.state.schedule(after: 0) { [weak self] in
                guard let self, !self.context.isClosed else { return }
                self.quietly { () throws(StoreError) in try self.eraseOverdue(merges: .max) }
            }
        }
        checkLater()
    }

    /// Schedules the next check, after a sixteenth of the age and at most an hour.
    private func checkLater() {
        let pause = min(3_600, max(0.02, Double(context.erasureAge) / 16e9))
        compactor.state.schedule(after: pause) { [weak self] in
            guard let self, !self.context.isClosed else { return }
            if self.context.mode == .shared { _ = try? self.access.refresh() }
            self.quietly { () throws(StoreError) in try self.eraseOverdue(merges: .max) }
            self.quietly(self.removeReplaced)
            self.quietly { () throws(StoreError) in try self.cleanLog() }
            self.checkLater()
        }
    }

    /// Ignores an error: the next check retries, without the segment that cannot be read.
    private func quietly(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try body()
        } catch {
            let files = context.published.withLock { $0.segments }
            if let bad = files.first(where: { $0.value.path == error.path })?.key { compactor.state.avoid(bad) }
        }
    }

    // MARK: Deleted samples

    /// Erases overdue bytes with at most one merge, before the store is closed.
    func eraseBeforeClosing() {
        guard access.isWriter, context.options.compacts, !context.isClosed, !compactor.state.isInside, isErasureDue
        else { return }
        try? eraseOverdue(merges: 1)
    }

    /// Erases samples that were deleted long enough ago: from the tail, the catalog's log, and segments.
    ///
    /// - Parameter merges: the maximum number of merges.
    func eraseOverdue(merges: Int) throws(StoreError) {
        try noteTimes()
        let overdue = context.overdueCommit
        if overdue > 0 || hasPrunedSamples { try erase(by: overdue, merges) }
        try cleanLog(always: try eraseCompanion())
        try forgetDeletions()
    }

    private func erase(by overdue: Int64, _ merges: Int) throws(StoreError) {
        if try tailHolds(by: overdue) { try sealer.removeDeleted() }
        var report = CompactionReport()
        var left = merges
        while left > 0, try segmentsHold(by: overdue), try compactor.mergeIfDue(&report) { left -= 1 }
    }

    /// Erases the overdue rows of the layer above; returns whether there were any.
    private func eraseCompanion() throws(StoreError) -> Bool {
        guard let layer = companion.withLock({ $0 }) else { return false }
        do {
            return try layer.erase()
        } catch {
            throw error as? StoreError ?? StoreError(.corrupt, "\(error)", path: context.path)
        }
    }

    /// The last commit whose deletions all followers of the layer above have; 0 if that is unknown.
    var followedCommit: Int64 {
        if let layer = companion.withLock({ $0 }) { return (try? layer.followedCommit()) ?? 0 }
        // Without the layer that knows the followers, its store keeps all deletions.
        let format = try? access.read { try $0.format() }
        return format.map { $0 < CatalogTransaction.objectFormat } ?? false ? .max : 0
    }

    private var isCompanionErasureDue: Bool {
        guard let layer = companion.withLock({ $0 }) else { return false }
        return (try? layer.isDue()) ?? false
    }

    /// Whether `eraseOverdue` has something to erase. O(runs that a deletion overlaps).
    var isErasureDue: Bool {
        let overdue = context.overdueCommit
        if hasDeletionsToForget || isCompanionErasureDue { return true }
        if overdue == 0, !hasPrunedSamples { return false }
        return (try? tailHolds(by: overdue)) == true || (try? segmentsHold(by: overdue)) == true
    }

    /// Whether there are samples of pruned history, which are overdue at any age.
    private var hasPrunedSamples: Bool {
        context.version.tombstones.values.contains { $0.all.contains { $0.isPruning && $0.count > 0 } }
    }

    /// Stores the times of deletions whose times are unknown or impossible.
    private func noteTimes() throws(StoreError) {
        guard correctedTimes(of: context.version) != nil else { return }
        try access.withWriter { writer throws(StoreError) in
            guard let times = self.correctedTimes(of: self.context.version) else { return }
            try writer.note(times)
            self.context.published.withLock { $0.past.times = times }
        }
    }

    /// Returns corrected times of a version's deletions; nil if the times are correct, or nothing is left to erase.
    private func correctedTimes(of version: Version) -> DeletionTimes? {
        let all = version.tombstones.values
        let left = all.filter { $0.hidden > 0 }
        // The newest deletion stays, and needs no age once its samples are gone.
        let isLast = left.isEmpty && all.reduce(0) { $0 + $1.all.count } <= 1
        guard !isLast, let newest = all.compactMap({ $0.all.last?.born }).max() else { return nil }
        let known = version.past.times
        var times = known.believed(at: context.options.wallClock())
        if times.rows.last?.commit ?? 0 < newest { times = context.times(times, adding: newest) }
        return times == known ? nil : times
    }

    private func tailHolds(by commit: Int64) throws(StoreError) -> Bool {
        let version = context.version
        for (series, tombstones) in version.tombstones {
            for case .tail(let block) in version.runs[series]
            where try tombstones.mustLeave(.tail(block), by: commit) { return true }
        }
        return false
    }

    private func segmentsHold(by commit: Int64) throws(StoreError) -> Bool {
        let version = context.version
        let avoided = compactor.state.avoided
        for (series, tombstones) in version.tombstones {
            for case .segment(let index) in version.runs[series] where !avoided.contains(index.file.row.id) {
                if try tombstones.mustLeave(.segment(index), by: commit) { return true }
            }
        }
        return false
    }

    // MARK: Files

    /// Removes the files of replaced segments that no snapshot needs.
    func removeReplaced() throws(StoreError) {
        let (disk, slots, layout) = (context.disk, context.slots, context.layout)
        let retired = context.published.withLock { $0.retired }
        if retired.isEmpty { return }
        if context.mode == .shared {
            // A turn as the writer would delay other processes: take one only if there is a file to remove.
            let oldest = try slots.oldest() ?? .max
            var isThere = false
            for row in retired where oldest >= row.died {
                let path = layout.segment(row.uuid)
                if try onDisk({ () throws(DiskError) in try disk.exists(path) }) { isThere = true }
            }
            if !isThere { return }
        }
        try access.withWriter { writer throws(StoreError) in writer.removeRetired(slots, layout, disk) }
    }

    /// Truncates the log if deleted samples were left out of the tail since the last time.
    private func cleanLog(always: Bool = false) throws(StoreError) {
        let horizon = context.published.withLock { $0.past.horizon }
        guard always || horizon > compactor.state.cleanThrough else { return }
        try access.withWriter { writer throws(StoreError) in
            try writer.withReserve { writer throws(StoreError) in try writer.checkpoint(truncate: true) }
        }
        compactor.state.noteClean(through: horizon)
    }
}

extension Tombstones {
    /// Returns whether a run holds deleted samples, and a deletion up to a commit overlaps the run, or a pruning of
    /// history.
    func mustLeave(_ run: Run, by commit: Int64) throws(StoreError) -> Bool {
        let isTouched = all.contains { one in
            one.born > run.born && (one.born <= commit || one.isPruning) && one.range.start <= run.lastStart
                && run.firstStart < one.range.end
        }
        guard isTouched else { return false }
        return try summary(of: run).count < run.summary.count
    }
}

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
