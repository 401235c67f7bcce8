// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels
import Synchronization

// Old tombstones are removed once they hide nothing. `Docs/Operations/Retention.md` has the bound.
extension Eraser {
    /// The most tombstones that one commit removes: more would make its transaction large.
    static var mostForgotten: Int { 16_384 }

    /// Removes the tombstones that hide nothing and are older than `StoreOptions.deletionsKept`, and stores from which
    /// commit on the change feed knows all deletions. A deletion that a follower lacks stays; a pruning of history goes
    /// at any age.
    ///
    /// - Parameter most: the most tombstones that one commit checks.
    func forgetDeletions(most: Int = mostForgotten) throws(StoreError) {
        // Each round begins after the tombstones that the last round checked.
        var last: Int64 = 0
        while !forgettable(context.version, after: last).isEmpty {
            // No process may replace the files during the check.
            let work = try access.beginWork()
            defer { work.end() }
            let snapshot = context.snapshot()
            let candidates = forgettable(snapshot.version, after: last).prefix(most)
            var gone = [Tombstone]()
            for (series, some) in Dictionary(grouping: candidates, by: \.series) {
                gone += snapshot.version.gone(some, of: series)
            }
            last = candidates.last?.id ?? .max
            if !gone.isEmpty { try access.withWriter { writer throws(StoreError) in try self.forget(gone, &writer) } }
        }
    }

    /// Whether there may be tombstones that `forgetDeletions` removes. O(tombstones).
    var hasDeletionsToForget: Bool { !forgettable(context.version).isEmpty }

    /// Returns the tombstones of a version that are old enough and whose count of hidden samples is 0, in the order of
    /// their numbers. The newest tombstone stays, so that no number is used twice.
    private func forgettable(_ version: Version, after id: Int64 = 0) -> [Tombstone] {
        let all = version.tombstones.values
        guard let newest = all.compactMap({ $0.all.last?.id }).max() else { return [] }
        let last = version.past.times.lastCommit(before: context.deletionsKept, at: context.options.wallClock())
        var found = [Tombstone]()
        for one in all {
            found += one.all.filter {
                $0.count == 0 && $0.id > id && $0.id != newest && ($0.isPruning || $0.born <= last)
            }
        }
        if found.contains(where: { !$0.isPruning }) {
            let followed = followedCommit
            found.removeAll { !$0.isPruning && $0.born > followed }
        }
        return found.sorted { $0.id < $1.id }
    }

    /// Commits the removal of tombstones; skips tombstones that are already removed.
    private func forget(_ gone: [Tombstone], _ writer: inout Writer) throws(StoreError) {
        var version = context.version
        let there = Set(version.tombstones.values.flatMap { $0.all.map(\.id) })
        let gone = gone.filter { there.contains($0.id) }
        if gone.isEmpty { return }
        var commit = CatalogCommit(seq: writer.seq + 1)
        commit.removedTombstones = gone.map(\.id)
        for one in gone where !one.isPruning {
            commit.feedHorizons[one.series] = max(commit.feedHorizons[one.series] ?? 0, one.born)
        }
        version.forget(gone)
        version.past.feedHorizons.merge(commit.feedHorizons) { max($0, $1) }
        let oldest = version.tombstones.values.compactMap { $0.all.first?.born }.min() ?? 0
        let times = version.past.times.since(oldest)
        if times != version.past.times {
            commit.deletions.times = times.rows
            version.past.times = times
        }
        try writer.commit(commit)
        version.seq = commit.seq
        context.publish(version)
    }
}

extension Version {
    /// Returns the tombstones of a series that hide no sample of any run, alone or together. A tombstone that overlaps
    /// an unreadable run is not among them.
    fileprivate func gone(_ candidates: [Tombstone], of series: Int64) -> [Tombstone] {
        var left = candidates.sorted { $0.id < $1.id }
        var asked = Tombstones(left)
        for run in runs[series] {
            let isFree = (try? asked.summary(of: run).count == run.summary.count) ?? false
            if isFree { continue }
            left.removeAll { one in
                one.born > run.born && one.range.start <= run.lastStart && run.firstStart < one.range.end
            }
            asked = Tombstones(left)
        }
        return left
    }

    fileprivate mutating func forget(_ gone: [Tombstone]) {
        var all = tombstones
        for (series, some) in Dictionary(grouping: gone, by: \.series) {
            let ids = Set(some.map(\.id))
            let left = all[series]?.all.filter { !ids.contains($0.id) } ?? []
            all[series] = left.isEmpty ? nil : Tombstones(left)
        }
        tombstones = all
    }
}
