// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels
import Synchronization

// What is known of deletions goes, too, once nothing is left of what they deleted. `Docs/Deletes.md` has the bound.
extension TimeSeriesStore {
    /// In nanoseconds, at most some hundred years.
    var deletionsKept: Int64 { max(0, min(options.deletionsKept, .seconds(3_000_000_000)).wholeNanoseconds) }

    /// Tombstones that one commit removes at most: more would make its transaction large.
    static var mostForgotten: Int { 16_384 }

    /// Removes the tombstones that hide nothing any more and are older than `StoreOptions.deletionsKept`, and notes
    /// from where on deletions can still be told.
    /// - Parameter most: of how many one commit decides.
    func forgetDeletions(most: Int = mostForgotten) throws(StoreError) {
        // Of those that were looked at, some may stay for long: they must not hide the ones behind them.
        var last: Int64 = 0
        while !forgettable(published.withLock { $0 }, after: last).isEmpty {
            // Nobody may replace the files that are looked at.
            let work = try beginWork()
            defer { work.end() }
            let snapshot = snapshot()
            let candidates = forgettable(snapshot.version, after: last).prefix(most)
            var gone = [Tombstone]()
            for (series, some) in Dictionary(grouping: candidates, by: \.series) {
                gone += snapshot.version.gone(some, of: series)
            }
            last = candidates.last?.id ?? .max
            if !gone.isEmpty { try withWriter { writer throws(StoreError) in try self.forget(gone, &writer) } }
        }
    }

    /// Whether there may be tombstones that `forgetDeletions` removes. O(deletions that are known).
    var hasDeletionsToForget: Bool { !forgettable(published.withLock { $0 }).isEmpty }

    /// The tombstones of a version that are old enough and hide nothing, as their counts tell, by their numbers. The
    /// newest of all stays, so that no number is given twice.
    private func forgettable(_ version: Version, after id: Int64 = 0) -> [Tombstone] {
        let all = version.tombstones.values
        let last = version.past.times.lastCommit(before: deletionsKept, at: options.wallClock())
        guard last > 0, let newest = all.compactMap({ $0.all.last?.id }).max() else { return [] }
        var found = [Tombstone]()
        for one in all {
            found += one.all.prefix { $0.born <= last }.filter { $0.count == 0 && $0.id > id && $0.id != newest }
        }
        return found.sorted { $0.id < $1.id }
    }

    /// Commits that tombstones are gone, as far as they are there yet.
    private func forget(_ gone: [Tombstone], _ writer: inout Writer) throws(StoreError) {
        var version = published.withLock { $0 }
        let there = Set(version.tombstones.values.flatMap { $0.all.map(\.id) })
        let gone = gone.filter { there.contains($0.id) }
        if gone.isEmpty { return }
        var commit = CatalogCommit(seq: writer.seq + 1)
        commit.removedTombstones = gone.map(\.id)
        for one in gone { commit.feedHorizons[one.series] = max(commit.feedHorizons[one.series] ?? 0, one.born) }
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
        publish(version)
    }
}

extension Version {
    /// Of tombstones of a series, those that hide no sample of any run, alone or beside others. Where a run cannot be
    /// read nothing is known of those that may hide samples of it.
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

    /// Does without tombstones.
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
