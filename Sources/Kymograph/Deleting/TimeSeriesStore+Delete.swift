// SPDX-License-Identifier: Apache-2.0

import Kernels

// `Docs/Operations/Retention.md` has the rules and the costs.
extension TimeSeriesStore {
    /// Deletes the samples of a series that start in a time range, durably, in one commit. Samples that are written
    /// later stay.
    ///
    /// - Parameter range: in nanoseconds since 1970-01-01 UTC; by default all times.
    /// - Throws: `unknownSeries`, `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `corrupt`,
    ///   `inputOutput`.
    /// - Complexity: that of an aggregate over the range, and one commit.
    @discardableResult
    public func delete(from id: SeriesID, startingIn range: TimeRange = .all) throws(StoreError) -> DeletionReceipt {
        try delete([(id, .range(range))])[0]
    }

    /// Deletes the samples of a series with these identities, durably, in one commit.
    ///
    /// - Parameter range: the range in which the samples start, if known.
    /// - Returns: the receipt. It lists identities that were not found; these are no error.
    /// - Throws: as `delete(from:startingIn:)`.
    /// - Complexity: reads the identities of all blocks in the range.
    @discardableResult
    public func delete(
        _ identities: [SampleIdentity], from id: SeriesID, startingIn range: TimeRange = .all
    ) throws(StoreError) -> DeletionReceipt {
        try delete([(id, .identities(identities, range))])[0]
    }

    /// Deletes the samples of a series that start in a range and match a predicate, durably, in one commit.
    ///
    /// - Parameter predicate: called once for each sample, in no order, while no other caller can write. If it throws,
    ///   nothing is deleted. It may read snapshots. Calls that need the writer throw `invalidArgument` in it, and
    ///   `close` takes effect when this call returns.
    /// - Throws: errors of the closure, and as `delete(from:startingIn:)`.
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

    /// Deletes the samples that a retention rule does not keep, durably, in one commit.
    ///
    /// A wrong clock must not delete everything. A rule by age is refused if its `now` is 24 hours or more before the
    /// greatest `now` of earlier deletions in this store, or more than 400 days after both that time and the start of
    /// the store's newest sample.
    /// - Parameter force: accepts any `now`; later calls are compared with it.
    /// - Throws: `invalidArgument`, and as `delete(from:startingIn:)`.
    @discardableResult
    public func retain(
        _ rule: Retention, in id: SeriesID, force: Bool = false
    ) throws(StoreError) -> DeletionReceipt {
        switch rule {
        case .count(let kept):
            guard kept >= 0 else { throw StoreError(.invalidArgument, "cannot keep \(kept) samples; pass 0 or more") }
            return try delete([(id, .allBut(kept))])[0]
        case .age(let nanoseconds, let now):
            guard nanoseconds >= 0, now >= TimeLimits.earliest, now <= TimeLimits.latest else {
                throw StoreError(
                    .invalidArgument, "an age must not be negative, and now must lie between the years 1678 and 2261")
            }
            let (oldest, isTooOld) = now.subtractingReportingOverflow(nanoseconds)
            let range = TimeRange(.min, isTooOld ? .min : oldest)
            return try delete { context throws(StoreError) in
                var batch = WriteBatch()
                batch.delete(.range(range), from: id)
                batch.retention = try RetentionTime(now, force: force, stored: context.latestNow) {
                    context.snapshot.version.newestStart
                }
                return batch
            }[0]
        }
    }

    /// Makes several deletions in one commit; each deletion sees the result of the deletions before it.
    package func delete(
        _ deletions: [(series: SeriesID, what: Deletion)]
    ) throws(StoreError) -> [DeletionReceipt] {
        try delete { _ in
            var batch = WriteBatch()
            for (id, deletion) in deletions { batch.delete(deletion, from: id) }
            return batch
        }
    }

    private func delete(
        _ decide: (WriteContext) throws(StoreError) -> WriteBatch
    ) throws(StoreError) -> [DeletionReceipt] {
        defer { closeIfAsked() }
        do {
            return try committer.writeAlone(deletes: true, decide).deletions
        } catch {
            throw StoreError(any: error, path: path)
        }
    }
}

extension Version {
    /// The latest start of all samples. O(segments + blocks of the tail).
    var newestStart: Int64? {
        (segments.values.map(\.totals.lastStart) + tailBlocks.map(\.summary.lastStart)).max()
    }
}
