// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

/// One commit while it is put together of what several callers write, inside its transaction.
struct WriteStep {
    /// What one of them adds to it.
    struct Part {
        /// Series that come into being, by number and by name.
        var series = SeriesTable()
        var draft = TailDraft(parts: [])
        var segments: [SegmentRow] = []
        /// Samples in the segments.
        var loaded = 0
        /// Who wrote segments for this commit, and removes them if there is none.
        var loader: BulkLoader?
        var tombstones: [Tombstone] = []
        /// Those that the caller gave.
        var identities = IdentityStretches()
        /// What cannot be shown any more was there before this commit.
        var horizon: Int64 = 0
        /// Whether what closures wrote makes room.
        var makesRoom = false
        /// Whether closures wrote something.
        var hasWritten = false

        /// Samples that it brings.
        var samples: Int { Int(draft.samples) + loaded }
        var isEmpty: Bool {
            series.isEmpty && draft.parts.isEmpty && segments.isEmpty && tombstones.isEmpty && !hasWritten
        }
    }

    /// A batch cannot be in this commit, but in the next one.
    struct PutOff: Error {}

    let store: TimeSeriesStore
    let seq: Int64
    /// What the commit is based on.
    private(set) var base: Version
    private(set) var parts: [Part] = []
    /// The parts that `left` and `fresh` know.
    private var absorbed = 0
    /// The base, with new series and without what the parts delete.
    private(set) var left: Version
    /// What the parts bring, alone.
    private(set) var fresh = Version()

    init(_ store: TimeSeriesStore, _ writer: Writer) {
        self.store = store
        base = store.published.withLock { $0 }
        left = base
        fresh.series = base.series
        seq = writer.seq + 1
    }

    /// Whether no more writes should come into this commit.
    var isFull: Bool {
        parts.contains { !$0.segments.isEmpty } || parts.reduce(0) { $0 + $1.samples } >= CommitQueue.mostSamples
    }

    /// Whether the commit only removes.
    var isDeletion: Bool {
        parts.allSatisfy { $0.samples == 0 } && parts.contains { !$0.tombstones.isEmpty || $0.makesRoom }
    }

    mutating func add(_ part: Part) { parts.append(part) }

    /// Ends it; what it knows of versions goes, so that the published one is changed in its place.
    mutating func end() {
        base = Version()
        left = base
        fresh = base
    }

    /// Removes the files of parts that are not committed.
    func abandon() { for part in parts { part.loader?.abandon() } }

    /// Makes what is looked at before the next part know those before it.
    mutating func absorb(_ writer: inout Writer) throws(StoreError) {
        for part in parts[absorbed...] where !part.isEmpty {
            for one in part.series.all {
                left.add(one)
                fresh.add(one)
            }
            for (series, some) in part.tombstonesBySeries { left.add(some, to: series) }
            if !part.draft.parts.isEmpty {
                let first = fresh.tailBlocks.count
                let seq = seq
                let row = try inFormat("tail") { () throws(FormatError) in
                    try writer.tail.close([part.draft], seq: seq, from: first)
                }
                fresh.add(row.blocks, seq: seq)
            }
            // What is found of a version that nobody sees is not for others.
            left.hold = nil
        }
        absorbed = parts.count
    }

    /// What a batch is decided by.
    var snapshot: Snapshot {
        if fresh.tailSamples.isEmpty { return Snapshot(version: left) }
        var version = left
        version.add(fresh.tailBlocks.sorted { $0.ordinal < $1.ordinal }, seq: seq)
        version.seq = seq
        return Snapshot(version: version)
    }

    /// The number of the next tombstone.
    func nextTombstone(_ writer: Writer) -> Int64 {
        writer.nextTombstone + Int64(parts.reduce(0) { $0 + $1.tombstones.count })
    }

    /// All parts as one commit; nil if they change nothing.
    func commit(_ writer: inout Writer) throws(StoreError) -> WriteCommit? {
        if parts.allSatisfy(\.isEmpty) { return nil }
        var made = WriteCommit(CatalogCommit(seq: seq))
        var numbers = Set<Int64>()
        made.series = parts.flatMap(\.series.all).filter { numbers.insert($0.id.rawValue).inserted }
        made.rows.series = SeriesRows(made.series.map(\.row))
        let drafts = parts.map(\.draft).filter { !$0.parts.isEmpty }
        if !drafts.isEmpty {
            let seq = seq
            let row = try inFormat("tail") { () throws(FormatError) in try writer.tail.close(drafts, seq: seq) }
            made.rows.tail = row.body
            made.blocks = row.blocks
        }
        for var row in parts.flatMap(\.segments) {
            row.id = writer.nextSegment + Int64(made.rows.segments.count)
            row.born = seq
            made.rows.segments.append(row)
            let file = try SegmentFile(
                row: row, store: store.storeID, path: store.layout.segment(row.uuid), disk: store.disk,
                cache: store.cache, telemetry: store.telemetry)
            made.files.append(file)
        }
        if !made.files.isEmpty { made.rows.removedSegments = writer.forgettable }
        var codec = TombstoneCodec(store: store.storeID)
        for one in parts.flatMap(\.tombstones) {
            made.rows.deletions.tombstones.append(try codec.row(one))
            made.tombstones[one.series, default: []].append(one)
        }
        if !made.tombstones.isEmpty {
            let times = store.times(base.past.times, adding: seq)
            made.rows.deletions.times = times.rows
        }
        let horizon = parts.map(\.horizon).max() ?? 0
        if horizon > base.past.horizon { made.rows.horizon = min(horizon, base.seq) }
        return made
    }
}

extension WriteStep.Part {
    var tombstonesBySeries: [Int64: [Tombstone]] { Dictionary(grouping: tombstones, by: \.series) }
}

/// A commit of several writes, and what it makes of a version.
struct WriteCommit {
    var rows: CatalogCommit
    var series: [Series] = []
    var blocks: [TailBlock] = []
    var files: [SegmentFile] = []
    var tombstones: [Int64: [Tombstone]] = [:]

    init(_ rows: CatalogCommit) { self.rows = rows }

    /// Shows it.
    func apply(to version: inout Version) {
        version.seq = rows.seq
        for one in series { version.add(one) }
        for (series, some) in tombstones { version.add(some, to: series) }
        if !tombstones.isEmpty { version.past.times = DeletionTimes(rows.deletions.times) }
        if let horizon = rows.horizon { version.past.horizon = max(version.past.horizon, horizon) }
        version.forget(rows.removedSegments)
        for file in files { version.add(file) }
        if !blocks.isEmpty { version.add(blocks, seq: rows.seq) }
    }
}
