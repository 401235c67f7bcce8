// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat
import Kernels

/// A deletion that a commit made.
public struct ChangedDeletion: Hashable, Sendable {
    /// The series.
    public let series: SeriesID
    /// The commit. What it deleted was there before it.
    public let commit: Int64
    /// What was deleted started in this range, in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The identities of what was deleted; nil if it was everything that started in the range.
    public let samples: [SampleIdentity]?
}

/// A page of changes. The samples were given while it was made.
public struct ChangePage: Sendable {
    /// Deletions, in the order in which they were made. They concern what earlier pages gave, and come before the
    /// samples of this page.
    public let deletions: [ChangedDeletion]
    /// Samples given.
    public let samples: Int
    /// From where to go on.
    public let anchor: ChangeAnchor
    /// Whether there was nothing more when the page was made.
    public let isComplete: Bool
}

extension TimeSeriesStore {
    /// An anchor at the last commit: changes since it are those that are still to come.
    public func currentAnchor() -> ChangeAnchor { anchor(at: snapshot()) }

    /// An anchor at the last commit that a snapshot shows.
    package func anchor(at snapshot: Snapshot) -> ChangeAnchor { anchor(snapshot, commit: snapshot.sequence) }

    /// An anchor of the epoch that a snapshot shows.
    private func anchor(_ snapshot: Snapshot, commit: Int64, place: ChangeAnchor.Place? = nil) -> ChangeAnchor {
        ChangeAnchor(store: context.storeID, epoch: snapshot.version.past.epoch, commit: commit, place: place)
    }

    /// Gives what changed since an anchor: the samples that came and are still there, and the deletions.
    ///
    /// - Parameters:
    ///   - ids: the series, the same from page to page; nil for all.
    ///   - anchor: where the page before ended; nil to begin with all samples.
    ///   - limit: samples after which the page ends; those that start together with the last one come with it. A limit
    ///     below 1 counts as 1.
    ///   - sides: what batches shall tell beyond starts, ends and values.
    ///   - onDeletions: is given the deletions, before the first sample; they are in the page as well.
    ///   - body: takes a batch of one series and says whether it wants more. If it does not, it still gets what starts
    ///     together with the last sample. The batch is valid only during the call.
    /// - Throws: what the closures throw, and `StoreError`: `anchorExpired`, `invalidArgument` (an anchor of another
    ///   store), `unknownSeries`, `closed`, `corrupt`, `inputOutput`. The anchor before is then still good.
    /// - Complexity: O(runs + deletions + blocks that hold something new).
    public func changes(
        of ids: [SeriesID]? = nil, since anchor: ChangeAnchor?, limit: Int = .max, including sides: SampleSides = [],
        explain explanation: QueryExplanation? = nil, onDeletions: ([ChangedDeletion]) throws -> Void = { _ in },
        _ body: (SampleBatch) throws -> Bool
    ) throws -> ChangePage {
        try refresh()
        return try changes(
            in: snapshot(), of: ids, since: anchor, limit: limit,
            columns: sides.columns.union([.starts, .ends, .values]), explain: explanation, onDeletions: onDeletions,
            body)
    }

    /// As `changes`, up to a snapshot and with side columns.
    package func changes(
        in snapshot: Snapshot, of ids: [SeriesID]?, since anchor: ChangeAnchor?, limit: Int, columns: ColumnSet,
        explain explanation: QueryExplanation? = nil, onDeletions: ([ChangedDeletion]) throws -> Void,
        _ body: (SampleBatch) throws -> Bool
    ) throws -> ChangePage {
        let from = try begin(anchor, snapshot)
        // A stretch that a page began in is ended first.
        let through = from.place?.through ?? snapshot.sequence
        let all = try ids.map { wanted throws(StoreError) in
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
        var pager = ChangePager(limit: max(1, limit))
        for id in wanted where !part.version.runs[id.rawValue].isEmpty && !pager.isFull {
            var range = TimeRange.all
            if let place = from.place, id.rawValue <= place.series {
                if id.rawValue < place.series || place.start == .max { continue }
                range.start = place.start + 1
            }
            var failure: (any Error)?
            try part.scan([id], over: range, columns: columns, explain: explanation) { batch throws(StoreError) in
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

    /// The deletions that the next page after an anchor tells; none where it is inside a stretch.
    ///
    /// - Throws: `anchorExpired`, `invalidArgument` (an anchor of another store).
    /// - Complexity: O(deletions that are kept).
    package func deletions(
        in snapshot: Snapshot, of ids: [SeriesID], since anchor: ChangeAnchor
    ) throws(StoreError) -> [ChangedDeletion] {
        let from = try begin(anchor, snapshot)
        try requireKnown(from, ids, snapshot)
        if from.isInside || from.commit == snapshot.sequence { return [] }
        return snapshot.deletions(of: ids, in: CommitRange(after: from.commit, through: snapshot.sequence))
    }

    /// Refuses an anchor after which something of the series was deleted of which nothing is known any more. One at the
    /// beginning has seen nothing that could have been deleted, and one inside a stretch was told of its deletions.
    private func requireKnown(_ from: ChangeAnchor, _ ids: [SeriesID]?, _ snapshot: Snapshot) throws(StoreError) {
        let told = from.place?.through ?? from.commit
        let oldest = snapshot.version.past.feedHorizon(of: ids)
        guard told > 0, told < oldest else { return }
        throw StoreError(
            .anchorExpired,
            "the anchor is at commit \(told), and of what was deleted up to commit \(oldest) not everything is known "
                + "any more; begin without an anchor", path: path)
    }

    /// The anchor to begin at, if it is one of this store.
    private func begin(_ anchor: ChangeAnchor?, _ snapshot: Snapshot) throws(StoreError) -> ChangeAnchor {
        guard let anchor else { return self.anchor(snapshot, commit: 0) }
        guard anchor.store == context.storeID else {
            throw StoreError(
                .invalidArgument,
                "the anchor is of another store, \(StoreLayout.name(anchor.store)); begin without one",
                path: path)
        }
        let last = max(anchor.commit, anchor.place?.through ?? 0)
        guard let end = snapshot.version.past.end(ofEpoch: anchor.epoch, last: snapshot.sequence) else {
            throw StoreError(
                .anchorExpired,
                "the anchor is of another copy of the store, from before a backup was restored or the store repaired; "
                    + "begin without an anchor", path: path)
        }
        guard last <= end else {
            throw StoreError(
                .anchorExpired,
                "the anchor is at commit \(last), and the store has commits of that time up to \(end): an older backup "
                    + "of it was restored, or it was repaired; begin without an anchor", path: path)
        }
        return anchor
    }
}

extension Version {
    /// The series with runs and some others, ascending.
    fileprivate func series(besides others: some Sequence<Int64>) -> [SeriesID] {
        Set(runs.series).union(others).sorted().map { SeriesID(rawValue: $0) }
    }
}

extension Snapshot {
    /// The deletions that some commits made, in their order.
    fileprivate func deletions(of ids: [SeriesID], in window: CommitRange) -> [ChangedDeletion] {
        var found = [(id: Int64, deletion: ChangedDeletion)]()
        for id in ids {
            for one in version.tombstones(of: id)?.all ?? [] where window.contains(one.born) {
                let samples = one.listed.map { listed in (0..<listed.count).map { listed.identity($0) } }
                let deletion = ChangedDeletion(series: id, commit: one.born, range: one.range, samples: samples)
                found.append((one.id, deletion))
            }
        }
        return found.sorted { $0.id < $1.id }.map(\.deletion)
    }
}

/// Ends a page after so many samples, but not between samples of a series that start together.
private struct ChangePager {
    let limit: Int
    private(set) var given = 0
    /// The last sample that the page has, once it is to end.
    private(set) var end: (series: SeriesID, start: Int64)?

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { end != nil }

    /// Gives what of a batch belongs to the page; whether there may be more.
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
        // What starts together with the last one may go on in the next batch.
        return rows.upperBound == batch.rows.upperBound
    }
}
