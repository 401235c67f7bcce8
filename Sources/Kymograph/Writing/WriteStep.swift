// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

/// One commit under construction from the writes of several callers, inside its transaction.
struct WriteStep {
    /// The part of the commit that one caller adds.
    struct Part {
        /// New series, by number and by name.
        var series = SeriesTable()
        var draft = TailDraft(parts: [])
        var segments: [SegmentRow] = []
        /// Samples in the segments.
        var loaded = 0
        /// The loader that wrote segments during this commit, and removes them if the commit fails.
        var loader: BulkLoader?
        var tombstones: [Tombstone] = []
        /// Identities that the caller supplied.
        var identities = IdentityStretches()
        /// The last commit that can no longer be shown, because its objects are erased.
        var horizon: Int64 = 0
        /// The `now` of a retention, to be stored.
        var now: Int64?
        /// True if the closure's rows free space.
        var makesRoom = false
        /// True if the closure wrote rows.
        var hasWritten = false

        /// Samples that the part adds.
        var samples: Int { Int(draft.samples) + loaded }
        var isEmpty: Bool {
            series.isEmpty && draft.parts.isEmpty && segments.isEmpty && tombstones.isEmpty && now == nil && !hasWritten
        }
        var tombstonesBySeries: [Int64: [Tombstone]] { Dictionary(grouping: tombstones, by: \.series) }
    }

    /// Thrown by a batch that must wait for the next commit.
    struct Postponed: Error {}

    let context: StoreContext
    let seq: Int64
    /// The published version, on which the commit is based.
    private(set) var base: Version
    private(set) var parts: [Part] = []
    /// The number of parts that `current` and `pending` include.
    private var merged = 0
    /// The base with the series of the parts, without the samples that the parts delete.
    private(set) var current: Version
    /// The samples of the parts alone.
    private(set) var pending = Version()
    /// The deletions of a batch alone, so that a second attempt does not resolve them again.
    var resolved: ResolvedDeletions?

    /// - Parameter last: the last commit.
    init(_ context: StoreContext, after last: Int64) {
        self.context = context
        base = context.version
        current = base
        pending.series = base.series
        seq = last + 1
    }

    /// True if no more writes should be added to this commit.
    var isFull: Bool {
        parts.contains { !$0.segments.isEmpty } || parts.reduce(0) { $0 + $1.samples } >= CommitQueue.mostSamples
    }

    /// True if the commit only removes data.
    var isDeletion: Bool {
        parts.allSatisfy { $0.samples == 0 } && parts.contains { !$0.tombstones.isEmpty || $0.makesRoom }
    }

    mutating func add(_ part: Part) { parts.append(part) }

    /// Releases the versions, so that the published version is changed in place.
    mutating func end() {
        base = Version()
        current = base
        pending = base
    }

    /// Removes the files of parts that are not committed.
    func abandon() { for part in parts { part.loader?.abandon() } }

    /// Merges the parts so far into `current` and `pending`, so that the next part sees them.
    mutating func mergeParts(_ writer: inout Writer) throws(StoreError) {
        for part in parts[merged...] where !part.isEmpty {
            for one in part.series.all {
                current.add(one)
                pending.add(one)
            }
            for (series, some) in part.tombstonesBySeries { current.add(some, to: series) }
            if !part.draft.parts.isEmpty {
                let first = pending.tailBlocks.count
                let seq = seq
                let row = try inFormat("tail") { () throws(FormatError) in
                    try writer.tail.close([part.draft], seq: seq, from: first)
                }
                pending.add(row.blocks, seq: seq)
            }
            // Other snapshots must not share the caches of a version that is never published.
            current.hold = nil
        }
        merged = parts.count
    }

    /// The snapshot for the closure of the next batch.
    var snapshot: Snapshot {
        if pending.tailSamples.isEmpty { return Snapshot(version: current) }
        var version = current
        version.add(pending.tailBlocks.sorted { $0.ordinal < $1.ordinal }, seq: seq)
        version.seq = seq
        return Snapshot(version: version)
    }

    func nextTombstone(_ writer: borrowing Writer) -> Int64 {
        writer.nextTombstone + Int64(parts.reduce(0) { $0 + $1.tombstones.count })
    }

    /// Returns all parts as one commit; nil if they change nothing.
    func commit(_ writer: inout Writer) throws(StoreError) -> WriteCommit? {
        if parts.allSatisfy(\.isEmpty) { return nil }
        var made = WriteCommit(CatalogCommit(seq: seq))
        // The rows of the series are written already.
        made.series = parts.map(\.series).filter { !$0.isEmpty }
        let drafts = parts.map(\.draft).filter { !$0.parts.isEmpty }
        if !drafts.isEmpty {
            let seq = seq
            let row = try inFormat("tail") { () throws(FormatError) in try writer.tail.close(drafts, seq: seq) }
            made.rows.tail = row.body
            made.blocks = row.blocks
        }
        for row in parts.flatMap(\.segments) {
            let number = writer.nextSegment + Int64(made.files.count)
            made.files.append(try context.name(row, number, born: seq, in: &made.rows))
        }
        if !made.files.isEmpty { made.rows.removedSegments = writer.forgettable }
        let tombstones = parts.flatMap(\.tombstones)
        if !tombstones.isEmpty {
            var codec = TombstoneCodec(store: context.storeID)
            for one in tombstones {
                made.rows.deletions.tombstones.append(try codec.row(one))
                made.tombstones[one.series, default: []].append(one)
            }
        }
        made.rows.deletions.now = parts.compactMap(\.now).last
        if !made.tombstones.isEmpty { made.rows.deletions.times = context.times(base.past.times, adding: seq).rows }
        let horizon = parts.map(\.horizon).max() ?? 0
        if horizon > base.past.horizon { made.rows.horizon = min(horizon, base.seq) }
        return made
    }
}

/// A commit of several writes, and its changes to a version.
struct WriteCommit {
    var rows: CatalogCommit
    var series: [SeriesTable] = []
    var blocks: [TailBlock] = []
    var files: [SegmentFile] = []
    var tombstones: [Int64: [Tombstone]] = [:]

    init(_ rows: CatalogCommit) { self.rows = rows }

    /// Changes the version before this commit into the version after it.
    func apply(to version: inout Version) {
        version.seq = rows.seq
        for some in series { _ = version.series.add(some) }
        for (series, some) in tombstones { version.add(some, to: series) }
        if !tombstones.isEmpty { version.past.times = DeletionTimes(rows.deletions.times) }
        if let horizon = rows.horizon { version.past.horizon = max(version.past.horizon, horizon) }
        version.forget(rows.removedSegments)
        for file in files { version.add(file) }
        if !blocks.isEmpty { version.add(blocks, seq: rows.seq) }
    }
}
