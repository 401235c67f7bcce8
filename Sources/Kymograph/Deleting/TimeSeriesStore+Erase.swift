// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import Synchronization

// The bytes of what is deleted go in time. `Docs/Deletes.md` has the bound.
extension TimeSeriesStore {
    /// In nanoseconds, at most some hundred years.
    var erasureAge: Int64 { max(0, min(options.erasureAge, .seconds(3_000_000_000)).wholeNanoseconds) }

    /// Looks now and then from now on whether bytes have to go: after an opening, a deletion, and a merge.
    ///
    /// - Parameter atOnce: whether to look for what earlier openings have left right away.
    func eraseInTime(atOnce: Bool = false) {
        guard options.compacts, mode != .readOnly, !compaction.isStopped else { return }
        let hasWork = published.withLock { !$0.tombstones.isEmpty || !$0.retired.isEmpty }
        let hasLayer = companionErasure.withLock { $0 != nil }
        guard hasWork || hasLayer, compaction.beginWatch() else { return }
        if atOnce {
            compaction.schedule(after: 0) { [weak self] in
                guard let self, !self.compaction.isStopped else { return }
                self.eraseQuietly(self.eraseAllOverdue)
            }
        }
        watch()
    }

    /// A sixteenth of the age, and an hour at most.
    private func watch() {
        let pause = min(3_600, max(0.02, Double(erasureAge) / 16e9))
        compaction.schedule(after: pause) { [weak self] in
            guard let self, !self.compaction.isStopped else { return }
            if self.mode == .shared { _ = try? self.refresh() }
            self.eraseQuietly(self.eraseAllOverdue)
            self.eraseQuietly(self.removeReplaced)
            self.eraseQuietly { () throws(StoreError) in try self.cleanLog() }
            self.watch()
        }
    }

    /// What fails is tried again with the next look; a segment that cannot be read is left alone.
    private func eraseQuietly(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try body()
        } catch {
            let files = published.withLock { $0.segments }
            if let bad = files.first(where: { $0.value.path == error.path })?.key { compaction.avoid(bad) }
        }
    }

    /// Makes the bytes go of what was deleted long enough ago: of the tail and its log, and of segments.
    ///
    /// - Parameter merges: how many at most.
    func eraseOverdue(merges: Int) throws(StoreError) {
        try noteTimes()
        let overdue = overdueCommit
        if overdue > 0 { try erase(by: overdue, merges) }
        try cleanLog(always: try eraseCompanion())
        try forgetDeletions()
    }

    private func erase(by overdue: Int64, _ merges: Int) throws(StoreError) {
        if try tailHolds(by: overdue) {
            let result = sealing.withLock { _ in Result { () throws(StoreError) in try self.sealDeleted() } }
            try result.get()
        }
        var report = CompactionReport()
        var left = merges
        while left > 0, try segmentsHold(by: overdue), try compactOnce(.due, nil, &report) != nil { left -= 1 }
    }

    private func eraseAllOverdue() throws(StoreError) { try eraseOverdue(merges: .max) }

    /// Whether something is left that `eraseOverdue` would make go. O(runs that a deletion touches).
    var isErasureDue: Bool {
        let overdue = overdueCommit
        if hasDeletionsToForget || isCompanionErasureDue { return true }
        if overdue == 0 { return false }
        return (try? tailHolds(by: overdue)) == true || (try? segmentsHold(by: overdue)) == true
    }

    /// The last commit whose deletions are old enough; 0 if none are.
    var overdueCommit: Int64 {
        let times = published.withLock { $0.past.times }
        return times.lastCommit(before: erasureAge, at: options.wallClock())
    }

    /// Writes down what is not known, or cannot be true, of when commits deleted what is still there.
    private func noteTimes() throws(StoreError) {
        guard times(of: published.withLock { $0 }) != nil else { return }
        try withWriter { writer throws(StoreError) in
            guard let times = self.times(of: self.published.withLock { $0 }) else { return }
            try writer.note(times)
            self.published.withLock { $0.past.times = times }
        }
    }

    /// Better ones than a version has; nil where it has good ones, and where nothing is left to go.
    private func times(of version: Version) -> DeletionTimes? {
        let all = version.tombstones.values
        let left = all.filter { $0.hidden > 0 }
        // The newest deletion stays known, and needs no age once its samples are gone.
        let isLast = left.isEmpty && all.reduce(0) { $0 + $1.all.count } <= 1
        guard !isLast, let newest = all.compactMap({ $0.all.last?.born }).max() else { return nil }
        let (known, now) = (version.past.times, options.wallClock())
        var times = known.believed(at: now)
        if times.rows.last?.commit ?? 0 < newest { times = self.times(times, adding: newest) }
        return times == known ? nil : times
    }

    /// Times with what a commit deletes now.
    func times(_ times: DeletionTimes, adding commit: Int64) -> DeletionTimes {
        times.adding(commit, at: options.wallClock(), age: erasureAge, kept: deletionsKept)
    }

    private func tailHolds(by commit: Int64) throws(StoreError) -> Bool {
        let version = published.withLock { $0 }
        for (series, tombstones) in version.tombstones {
            for case .tail(let block) in version.runs[series]
            where try tombstones.mustLeave(.tail(block), by: commit) { return true }
        }
        return false
    }

    private func segmentsHold(by commit: Int64) throws(StoreError) -> Bool {
        let version = published.withLock { $0 }
        let avoided = compaction.avoided
        for (series, tombstones) in version.tombstones {
            for case .segment(let index) in version.runs[series] where !avoided.contains(index.file.row.id) {
                if try tombstones.mustLeave(.segment(index), by: commit) { return true }
            }
        }
        return false
    }

    /// Removes the files of segments that were replaced, as far as nobody reads them any more.
    func removeReplaced() throws(StoreError) {
        let retired = published.withLock { $0.retired }
        if retired.isEmpty { return }
        if mode == .shared {
            // Becoming the writer for nothing would be in the way of others.
            let oldest = try slots.oldest() ?? .max
            var isThere = false
            for row in retired where oldest >= row.died {
                let path = layout.segment(row.uuid)
                if try onDisk({ () throws(DiskError) in try self.disk.exists(path) }) { isThere = true }
            }
            if !isThere { return }
        }
        try withWriter { writer throws(StoreError) in writer.removeRetired(self.slots, self.layout, self.disk) }
    }

    /// Takes out of the log what was left out of the tail since this was done last.
    private func cleanLog(always: Bool = false) throws(StoreError) {
        let horizon = published.withLock { $0.past.horizon }
        guard always || horizon > compaction.cleanThrough else { return }
        try withWriter { writer throws(StoreError) in
            try writer.withReserve { writer throws(StoreError) in try writer.checkpoint(truncate: true) }
        }
        compaction.noteClean(through: horizon)
    }
}

extension Tombstones {
    /// Whether a run holds samples that are deleted, and deletions up to some commit touch it.
    func mustLeave(_ run: Run, by commit: Int64) throws(StoreError) -> Bool {
        let isTouched = all.contains { one in
            one.born > run.born && one.born <= commit && one.range.start <= run.lastStart
                && run.firstStart < one.range.end
        }
        guard isTouched else { return false }
        return try summary(of: run).count < run.summary.count
    }
}
