// SPDX-License-Identifier: Apache-2.0

package import Catalog
import Kernels
import Synchronization

// What deletions mean, and what they cost, is told in `Docs/Deletes.md`.
extension TimeSeriesStore {
    /// Deletes the samples of a series that start in a range of time, durably, in one commit. What is written later is
    /// not touched by it.
    ///
    /// - Parameter range: in nanoseconds since 1970-01-01 UTC; without one, all of the series' samples go.
    /// - Throws: `unknownSeries`, `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `corrupt`,
    ///   `inputOutput`.
    /// - Complexity: that of an aggregate over the range, and one commit.
    @discardableResult
    public func delete(from id: SeriesID, startingIn range: TimeRange = .all) throws(StoreError) -> DeletionReceipt {
        try delete([(id, .range(range))])[0]
    }

    /// Deletes the samples of a series that have these identities, durably, in one commit.
    ///
    /// - Parameter range: where they start, if that is known.
    /// - Returns: also which were not found, which is no error.
    /// - Throws: as `delete(from:startingIn:)`.
    /// - Complexity: reads the identities of all blocks in the range.
    @discardableResult
    public func delete(
        _ identities: [SampleIdentity], from id: SeriesID, startingIn range: TimeRange = .all
    ) throws(StoreError) -> DeletionReceipt {
        try delete([(id, .identities(identities, range))])[0]
    }

    /// Deletes the samples of a series that start in a range and for which a closure says so, durably, in one commit.
    ///
    /// - Parameter predicate: is asked once about each sample, in no order, while nobody else can write. If it throws,
    ///   nothing is deleted. It may read snapshots. Calls that need the writer throw `invalidArgument` in it, and
    ///   `close` is done when this call has returned.
    /// - Throws: what the closure throws, and as `delete(from:startingIn:)`.
    /// - Complexity: reads all blocks in the range.
    @discardableResult
    public func delete(
        from id: SeriesID, startingIn range: TimeRange = .all, where predicate: (StoredSample) throws -> Bool
    ) throws -> DeletionReceipt {
        try withoutActuallyEscaping(predicate) { predicate in
            var failure: (any Error)?
            let asked: (StoredSample) throws(StoreError) -> Bool = { one throws(StoreError) in
                do {
                    return try predicate(one)
                } catch {
                    failure = error
                    throw StoreError(.cancelled, "the caller's closure failed: \(error)")
                }
            }
            do {
                return try self.delete([(id, .matching(range, asked))])[0]
            } catch {
                throw failure ?? error
            }
        }
    }

    /// Deletes what a rule of retention does not keep, durably, in one commit.
    ///
    /// A clock that is wrong must not delete everything: by age, a `now` is refused that is 24 hours before the
    /// greatest one that deleted something in this store, or more than 400 days after both that one and the start of
    /// the store's newest sample.
    /// - Parameter force: takes any `now`, and counts from it afterwards.
    /// - Throws: `invalidArgument`, and as `delete(from:startingIn:)`.
    @discardableResult
    public func retain(
        _ rule: Retention, in id: SeriesID, force: Bool = false
    ) throws(StoreError) -> DeletionReceipt {
        switch rule {
        case .count(let kept):
            guard kept >= 0 else { throw StoreError(.invalidArgument, "\(kept) samples cannot be kept") }
            return try delete([(id, .allBut(kept))])[0]
        case .age(let nanoseconds, let now):
            guard nanoseconds >= 0, now >= TimeLimits.earliest, now <= TimeLimits.latest else {
                throw StoreError(
                    .invalidArgument, "an age must not be negative, and now must lie between the years 1678 and 2261")
            }
            let (oldest, isTooOld) = now.subtractingReportingOverflow(nanoseconds)
            let range = TimeRange(.min, isTooOld ? .min : oldest)
            let receipt = try withWriter { writer throws(StoreError) in
                let latest = try self.latest(now, after: writer.latestNow, force)
                return try self.delete([(id, .range(range))], now: latest, isForced: force, nil, &writer)[0]
            }
            if receipt.count > 0 { eraseInTime() }
            return receipt
        }
    }

    /// The time to remember when `now` is given and deletes something.
    private func latest(_ now: Int64, after known: Int64?, _ force: Bool) throws(StoreError) -> Int64 {
        if force { return now }
        let day: Int128 = 86_400_000_000_000
        if let known, Int128(now) - Int128(known) <= -day {
            throw StoreError(
                .invalidArgument,
                "now is 24 hours or more before the time that samples were last deleted by; set the clock, or force it")
        }
        let newest = published.withLock { version in
            let tail = version.tailBlocks.map(\.summary.lastStart)
            return (version.segments.values.map(\.totals.lastStart) + tail).max()
        }
        guard let latest = [known, newest].compactMap(\.self).max() else { return now }
        if Int128(now) - Int128(latest) > 400 * day {
            let what = latest == known ? "the time that samples were last deleted by" : "the newest sample"
            throw StoreError(
                .invalidArgument, "now is more than 400 days after \(what); set the clock, or force it")
        }
        return max(known ?? now, now)
    }

    /// Several deletions in one commit; each finds what the ones before it left. `extra` runs inside the transaction.
    package func delete(
        _ deletions: [(series: SeriesID, what: Deletion)], _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) -> [DeletionReceipt] {
        defer { closeIfAsked() }
        let receipts = try withWriter { writer throws(StoreError) in
            try self.delete(deletions, now: nil, isForced: false, extra, &writer)
        }
        if receipts.contains(where: { $0.count > 0 }) { eraseInTime() }
        return receipts
    }

    private func delete(
        _ deletions: [(series: SeriesID, what: Deletion)], now: Int64?, isForced: Bool,
        _ extra: ((CatalogTransaction) throws -> Void)?, _ writer: inout Writer
    ) throws(StoreError) -> [DeletionReceipt] {
        var version = published.withLock { $0 }
        var commit = CatalogCommit(seq: writer.seq + 1)
        var codec = TombstoneCodec(store: storeID)
        var next = writer.nextTombstone
        var found = [ResolvedDeletion]()
        for (id, what) in deletions {
            let one = try Snapshot(version: version).resolve(what, of: id)
            var fresh = [Tombstone]()
            for piece in one.pieces {
                fresh.append(
                    Tombstone(
                        id: next, series: id.rawValue, born: commit.seq, range: piece.range,
                        count: Int64(piece.count), listed: piece.listed))
                next += 1
            }
            for one in fresh { commit.deletions.tombstones.append(try codec.row(one)) }
            if !fresh.isEmpty { version.add(fresh, to: id.rawValue) }
            found.append(one)
        }
        // What deletes nothing is no commit, unless it takes back what is remembered.
        let isTakenBack = isForced && writer.latestNow != nil
        if !commit.deletions.isEmpty || isTakenBack, now != writer.latestNow { commit.deletions.now = now }
        let isNeeded = !commit.deletions.isEmpty || extra != nil
        if isNeeded {
            if !commit.deletions.tombstones.isEmpty {
                let times = self.times(version.past.times, adding: commit.seq)
                commit.deletions.times = times.rows
                version.past.times = times
            }
            // A deletion makes room in the end, so it may use what is kept for that.
            try writer.withReserve { writer throws(StoreError) in try writer.commit(commit, extra) }
            writer.nextTombstone = next
            if let now = commit.deletions.now { writer.latestNow = now }
            version.seq = commit.seq
            publish(version)
        }
        let sequence = isNeeded ? commit.seq : writer.seq
        let count = found.reduce(0) { $0 + $1.count }
        telemetry.samplesDeleted.add(count, ordering: .relaxed)
        if count > 0 { telemetry.post(.deleted(samples: count, sequence: sequence)) }
        return found.map { DeletionReceipt(sequence: sequence, count: $0.count, unknown: $0.unknown) }
    }
}
