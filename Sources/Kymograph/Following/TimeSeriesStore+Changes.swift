// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// A deletion in the change feed.
public struct ChangedDeletion: Hashable, Sendable {
    /// The series.
    public let series: SeriesID
    /// The commit of the deletion. The deleted samples were stored before it.
    public let commit: Int64
    /// The range of the starts of the deleted samples, in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The identities of the deleted samples; nil if all samples that started in the range were deleted.
    public let samples: [SampleIdentity]?
}

/// A page of changes. The closure received its samples while the page was made.
public struct ChangePage: Sendable {
    /// Deletions, in the order of their commits. They concern samples of earlier pages, and precede the samples of this
    /// page.
    public let deletions: [ChangedDeletion]
    /// The number of samples in the page.
    public let samples: Int
    /// The anchor of the next page.
    public let anchor: ChangeAnchor
    /// True if no further changes existed when the page was made.
    public let isComplete: Bool
}

/// A request for changes, the same for all pages. It holds no anchor: a copy of an anchor changes several reference
/// counts, and a call without news does little else.
package struct ChangeRequest {
    /// The series; nil for all.
    let series: [SeriesID]?
    /// The number of samples after which a page ends.
    let limit: Int
    let columns: SampleColumns
    let explanation: QueryExplanation?

    package init(
        of series: [SeriesID]?, limit: Int, columns: SampleColumns, explain explanation: QueryExplanation? = nil
    ) {
        self.series = series
        self.limit = limit
        self.columns = columns
        self.explanation = explanation
    }
}

extension TimeSeriesStore {
    /// Returns an anchor at the last commit. `changes` from there returns only later changes.
    public func currentAnchor() -> ChangeAnchor { anchor(at: snapshot()) }

    /// Returns an anchor at the last commit that a snapshot shows.
    package func anchor(at snapshot: Snapshot) -> ChangeAnchor { anchor(snapshot, commit: snapshot.sequence) }

    /// Returns an anchor of the epoch that a snapshot shows.
    private func anchor(_ snapshot: Snapshot, commit: Int64, place: ChangeAnchor.Place? = nil) -> ChangeAnchor {
        ChangeAnchor(store: context.storeID, epoch: snapshot.version.past.epoch, commit: commit, place: place)
    }

    /// Reads the changes since an anchor: new samples that still exist, and deletions.
    ///
    /// - Parameters:
    ///   - ids: the series, the same for all pages; nil for all.
    ///   - anchor: the anchor of the page before; nil to begin with all samples.
    ///   - limit: samples after which the page ends; samples that start together with the last one are included. A
    ///     limit below 1 counts as 1.
    ///   - sides: the side columns that batches hold, besides starts, ends and values.
    ///   - onDeletions: called with the deletions, before the first sample; the page holds them as well.
    ///   - body: called with each batch of one series; returns false to end the page. It then still receives samples
    ///     that start together with the last sample. The batch is valid only during the call.
    /// - Throws: errors of the closures, and `StoreError`: `anchorExpired`, `invalidArgument` (an anchor of another
    ///   store), `unknownSeries`, `closed`, `corrupt`, `inputOutput`. The anchor stays valid then.
    /// - Complexity: O(runs + deletions + blocks with new samples).
    public func changes(
        of ids: [SeriesID]? = nil, since anchor: ChangeAnchor?, limit: Int = .max, including sides: SampleSides = [],
        explain explanation: QueryExplanation? = nil, onDeletions: ([ChangedDeletion]) throws -> Void = { _ in },
        _ body: (SampleBatch) throws -> Bool
    ) throws -> ChangePage {
        try refresh()
        let columns = sides.columns.union([.starts, .ends, .values])
        return try changes(
            ChangeRequest(of: ids, limit: limit, columns: columns, explain: explanation), since: anchor, in: snapshot(),
            onDeletions: onDeletions, body)
    }

    /// Reads changes up to a snapshot, with the requested columns; otherwise as the public `changes`.
    package func changes(
        _ request: ChangeRequest, since anchor: ChangeAnchor?, in snapshot: Snapshot,
        onDeletions: ([ChangedDeletion]) throws -> Void, _ body: (SampleBatch) throws -> Bool
    ) throws -> ChangePage {
        let from = try begin(anchor, snapshot)
        // A range of commits that an earlier page began is finished first.
        let through = from.place?.through ?? snapshot.sequence
        let all = try request.series.map { wanted throws(StoreError) in
            for id in wanted { try snapshot.known(id) }
            return Set(wanted).sorted()
        }
        try requireKnown(from, all, snapshot)
        if from.place == nil, from.commit == snapshot.sequence {
            try onDeletions([])
            return ChangePage(deletions: [], samples: 0, anchor: self.anchor(at: snapshot), isComplete: true)
        }
        let window = CommitRange(after: from.commit, through: through)
        let part = Snapshot(version: snapshot.version.born(in: window))
        let wanted = all ?? part.version.series(besides: snapshot.version.tombstones.keys)
        var deletions = [ChangedDeletion]()
        if anchor != nil, from.place == nil { deletions = snapshot.deletions(of: wanted, in: window) }
        try onDeletions(deletions)
        var pager = ChangePager(limit: max(1, request.limit))
        for id in wanted where !part.version.runs[id.rawValue].isEmpty && !pager.isFull {
            var range = TimeRange.all
            if let place = from.place, id.rawValue <= place.series {
                if id.rawValue < place.series || place.start == .max { continue }
                range.start = place.start + 1
            }
            var failure: (any Error)?
            try part.scan([id], over: range, columns: request.columns, explain: request.explanation) {
                batch throws(StoreError) in
                do {
                    return try pager.take(batch, body)
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
        }
        let next: ChangeAnchor
        if let (series, start) = pager.end {
            let place = ChangeAnchor.Place(through: through, series: series.rawValue, start: start)
            next = self.anchor(snapshot, commit: from.commit, place: place)
        } else {
            next = self.anchor(snapshot, commit: through)
        }
        return ChangePage(
            deletions: deletions, samples: pager.given, anchor: next,
            isComplete: next.place == nil && through == snapshot.sequence)
    }

    /// Returns the deletions that the next page after an anchor holds; none if the anchor is inside a range of commits.
    ///
    /// - Throws: `anchorExpired`, `invalidArgument` (an anchor of another store).
    /// - Complexity: O(known deletions).
    package func deletions(
        in snapshot: Snapshot, of ids: [SeriesID], since anchor: ChangeAnchor
    ) throws(StoreError) -> [ChangedDeletion] {
        let from = try begin(anchor, snapshot)
        try requireKnown(from, ids, snapshot)
        if from.isInside || from.commit == snapshot.sequence { return [] }
        return snapshot.deletions(of: ids, in: CommitRange(after: from.commit, through: snapshot.sequence))
    }

    /// Refuses an anchor if later deletions of the series are no longer known. An anchor at the beginning needs no
    /// deletions, and an anchor inside a range of commits already has the deletions of that range.
    private func requireKnown(_ from: ChangeAnchor, _ ids: [SeriesID]?, _ snapshot: Snapshot) throws(StoreError) {
        let reported = from.place?.through ?? from.commit
        let oldest = snapshot.version.past.feedHorizon(of: ids)
        guard reported > 0, reported < oldest else { return }
        throw StoreError(
            .anchorExpired,
            "the anchor is at commit \(reported), but the deletions up to commit \(oldest) are no longer all known; "
                + "begin without an anchor", path: path)
    }

    /// Returns the anchor to begin at, after checking that this store made it.
    private func begin(_ anchor: ChangeAnchor?, _ snapshot: Snapshot) throws(StoreError) -> ChangeAnchor {
        guard let anchor else { return self.anchor(snapshot, commit: 0) }
        guard anchor.store == context.storeID else {
            throw StoreError(
                .invalidArgument,
                "the anchor belongs to another store, \(StoreLayout.name(anchor.store)); begin without one",
                path: path)
        }
        let last = max(anchor.commit, anchor.place?.through ?? 0)
        guard let end = snapshot.version.past.end(ofEpoch: anchor.epoch, last: snapshot.sequence) else {
            throw StoreError(
                .anchorExpired,
                "the anchor belongs to another copy of the store, from before a restoration or a repair; "
                    + "begin without an anchor", path: path)
        }
        guard last <= end else {
            throw StoreError(
                .anchorExpired,
                "the anchor is at commit \(last), but the store has commits of its epoch only up to \(end): an older "
                    + "backup was restored, or the store was repaired; begin without an anchor", path: path)
        }
        return anchor
    }
}

extension Version {
    /// Returns the series with runs, and some others, ascending.
    fileprivate func series(besides others: some Sequence<Int64>) -> [SeriesID] {
        Set(runs.series).union(others).sorted().map { SeriesID(rawValue: $0) }
    }
}

extension Snapshot {
    /// Returns the deletions of a range of commits, in their order. A pruning of history is none.
    func deletions(of ids: [SeriesID], in window: CommitRange) -> [ChangedDeletion] {
        var found = [(id: Int64, deletion: ChangedDeletion)]()
        for id in ids {
            for one in version.tombstones(of: id)?.all ?? [] where window.contains(one.born) && !one.isPruning {
                let samples = one.listed.map { listed in (0..<listed.count).map { listed.identity($0) } }
                let deletion = ChangedDeletion(series: id, commit: one.born, range: one.range, samples: samples)
                found.append((one.id, deletion))
            }
        }
        return found.sorted { $0.id < $1.id }.map(\.deletion)
    }
}

/// Ends a page after `limit` samples, but not between samples of a series that start together.
private struct ChangePager {
    let limit: Int
    private(set) var given = 0
    /// The last sample of the page, once the page is full.
    private(set) var end: (series: SeriesID, start: Int64)?

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { end != nil }

    /// Passes the rows of a batch that belong to the page; returns whether the next batch may belong to it, too.
    mutating func take(_ batch: SampleBatch, _ body: (SampleBatch) throws -> Bool) throws -> Bool {
        let starts = batch.block.starts
        var rows = batch.rows
        if let end {
            rows = rows.lowerBound..<Kernel.lowerBound(starts, rows, end.start &+ 1)
        } else if rows.count >= limit - given {
            let last = starts[rows.lowerBound + limit - given - 1]
            rows = rows.lowerBound..<Kernel.lowerBound(starts, rows, last &+ 1)
        }
        if rows.isEmpty { return false }
        given += rows.count
        let part = SampleBatch(block: batch.block, rows: rows, series: batch.series, runBorn: batch.runBorn)
        let wantsMore = try body(part)
        if end == nil, !wantsMore || given >= limit { end = (batch.series, starts[rows.upperBound - 1]) }
        // Samples that start together with the last one may continue in the next batch.
        return rows.upperBound == batch.rows.upperBound
    }
}
