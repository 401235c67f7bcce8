// SPDX-License-Identifier: Apache-2.0

// Catalog: the engine's only SQL. It stores which series, segments and recent samples exist, and is the one place
// where a commit happens.

/// A named series of samples. `name` and `labels` together are unique.
package struct SeriesRow: Sendable, Equatable {
    /// Positive, assigned by the caller, never reused.
    package var id: Int64
    package var name: String
    package var labels: [String: String]
    /// Flags defined by the engine.
    package var kind: UInt8

    package init(id: Int64, name: String, labels: [String: String] = [:], kind: UInt8) {
        self.id = id
        self.name = name
        self.labels = labels
        self.kind = kind
    }
}

/// The blocks of one series in one segment: the location of their index's root, and the summary of all samples.
package struct RunRow: Sendable, Equatable {
    package var series: Int64
    package var rootOffset: Int64
    package var rootLength: Int64
    package var levels: Int
    package var blocks: Int64
    /// The engine's encoding of a summary, opaque to the catalog.
    package var summary: [UInt8]

    package init(series: Int64, rootOffset: Int64, rootLength: Int64, levels: Int, blocks: Int64, summary: [UInt8]) {
        self.series = series
        self.rootOffset = rootOffset
        self.rootLength = rootLength
        self.levels = levels
        self.blocks = blocks
        self.summary = summary
    }
}

/// A segment file. A file without such a row is not part of the store.
package struct SegmentRow: Sendable, Equatable {
    /// Positive, assigned by the caller, never reused.
    package var id: Int64
    /// The file's name; 16 bytes.
    package var uuid: [UInt8]
    /// The file's length in bytes.
    package var bytes: Int64
    package var checksum: UInt32
    /// The commit that made it visible.
    package var born: Int64
    /// The commit that retired it; nil while the segment is live.
    package var died: Int64?
    /// The runs, ascending by series when loaded; empty for a loaded segment that is retired.
    package var runs: RunRows

    package init(
        id: Int64, uuid: [UInt8], bytes: Int64, checksum: UInt32, born: Int64, died: Int64? = nil, runs: RunRows
    ) {
        self.id = id
        self.uuid = uuid
        self.bytes = bytes
        self.checksum = checksum
        self.born = born
        self.died = died
        self.runs = runs
    }
}

/// Recent samples, encoded by the engine, keyed by the commit that stored them.
package struct TailRow: Sendable, Equatable {
    package var seq: Int64
    package var body: [UInt8]

    package init(seq: Int64, body: [UInt8]) {
        self.seq = seq
        self.body = body
    }
}

/// A deletion: hidden samples of one series, whose bytes may still be stored.
package struct TombstoneRow: Sendable, Equatable {
    /// Positive, ascending with `born`, never reused.
    package var id: Int64
    package var series: Int64
    /// The commit that deleted the samples.
    package var born: Int64
    /// The first instant of the range.
    package var start: Int64
    /// The first instant after the range.
    package var end: Int64
    /// The number of samples that this tombstone hides and no earlier one hides.
    package var count: Int64
    /// The engine's list of hidden samples; nil if all samples that start in the range are hidden.
    package var body: [UInt8]?

    package init(id: Int64, series: Int64, born: Int64, start: Int64, end: Int64, count: Int64, body: [UInt8]? = nil) {
        self.id = id
        self.series = series
        self.born = born
        self.start = start
        self.end = end
        self.count = count
        self.body = body
    }
}

/// The time of deletions, by a clock that may have been wrong.
package struct DeletionTime: Sendable, Hashable {
    /// The last commit of this entry: the deletions of all commits after the previous entry's, up to this one, happened
    /// at `at` or earlier.
    package var commit: Int64
    /// Nanoseconds since 1970-01-01 UTC.
    package var at: Int64

    package init(commit: Int64, at: Int64) {
        self.commit = commit
        self.at = at
    }
}

/// The deletions that a catalog records.
package struct CatalogDeletions: Sendable, Equatable {
    /// Ascending by id.
    package var tombstones: [TombstoneRow] = []
    /// The greatest value of `now` that a retention by age used.
    package var now: Int64?
    /// The times of deletions, ascending. In a commit: the complete new list, set together with its tombstones; empty
    /// if nothing changes.
    package var times: [DeletionTime]

    package init(tombstones: [TombstoneRow] = [], now: Int64? = nil, times: [DeletionTime] = []) {
        self.tombstones = tombstones
        self.now = now
        self.times = times
    }

    /// Whether no part requires a raise of the format.
    package var isEmpty: Bool { tombstones.isEmpty && now == nil }
}

/// A period of a store's life that no copy of the store shares.
package struct EpochRow: Sendable, Equatable {
    /// Random, never 0; 0 is the first epoch's number.
    package var number: Int64
    /// The commit after which the epoch began. Commits that another copy made in an earlier epoch are not in this
    /// store.
    package var start: Int64

    package init(number: Int64, start: Int64) {
        self.number = number
        self.start = start
    }
}

/// The limits of time travel and of change feeds that a catalog records.
package struct CatalogHistory: Sendable, Equatable {
    /// The newest commit that deleted samples which have since been dropped from the files; 0 if none were, nil if the
    /// catalog's format does not record it.
    package var horizon: Int64?
    /// All epochs but the first, in order of their start.
    package var epochs: [EpochRow] = []
    /// By series: the newest deleting commit whose tombstones were removed. Changes since an earlier commit are no
    /// longer available.
    package var feedHorizons: [Int64: Int64] = [:]

    package init(horizon: Int64? = nil, epochs: [EpochRow] = [], feedHorizons: [Int64: Int64] = [:]) {
        self.horizon = horizon
        self.epochs = epochs
        self.feedHorizons = feedHorizons
    }

    package var isEmpty: Bool { horizon == nil && epochs.isEmpty && feedHorizons.isEmpty }
}

/// The content of the catalog at one commit.
package struct CatalogImage: Sendable, Equatable {
    /// 16 bytes.
    package var storeID: [UInt8]
    /// The time zone that defines the civil days at which blocks are cut.
    package var homeZone: String
    package var formatVersion: Int
    /// The last commit in this image.
    package var seq: Int64
    /// Ascending by id.
    package var series: SeriesRows
    /// Ascending by id, including retired segments that still have a row.
    package var segments: [SegmentRow]
    /// Ascending by sequence.
    package var tail: [TailRow]
    package var deletions: CatalogDeletions
    package var history: CatalogHistory

    package init(
        storeID: [UInt8], homeZone: String, formatVersion: Int, seq: Int64, series: SeriesRows,
        segments: [SegmentRow], tail: [TailRow], deletions: CatalogDeletions = CatalogDeletions(),
        history: CatalogHistory = CatalogHistory()
    ) {
        self.storeID = storeID
        self.homeZone = homeZone
        self.formatVersion = formatVersion
        self.seq = seq
        self.series = series
        self.segments = segments
        self.tail = tail
        self.deletions = deletions
        self.history = history
    }
}

/// The changes of one commit. A commit with only `tail` set is a single insert, the cheapest durable commit.
package struct CatalogCommit: Sendable {
    /// The catalog's last sequence plus one; any other value is refused.
    package var seq: Int64
    /// New series, or existing ones (by id) with a new name, labels or kind.
    package var series: SeriesRows = []
    /// More series, in pages that other owners share.
    package var seriesPages: [SeriesRows] = []
    /// The encoded samples of this commit.
    package var tail: [UInt8]?
    /// New segments with their runs, or existing ones (by id) with a new `died`, which keep their runs.
    package var segments: [SegmentRow] = []
    /// Tail rows to delete because a segment of this commit replaces them, or because their samples are dropped.
    package var sealedTail: [Int64] = []
    /// Retired segments to remove, with their runs.
    package var removedSegments: [Int64] = []
    /// Series to remove.
    ///
    /// - Requires: none of them has a run.
    package var removedSeries: [Int64] = []
    /// New tombstones, or a time of retention. They raise the format to 4 if it is lower.
    package var deletions = CatalogDeletions()
    /// New counts of existing tombstones, by id.
    package var tombstoneCounts: [Int64: Int64] = [:]
    /// The newest commit whose deleted samples this commit drops from the files, if any; raises the format like a
    /// deletion.
    package var horizon: Int64?
    /// Ids of tombstones to remove; no file holds their samples any more.
    package var removedTombstones: [Int64] = []
    /// By series: the newest commit whose tombstones are in `removedTombstones`.
    package var feedHorizons: [Int64: Int64] = [:]

    package init(
        seq: Int64, series: SeriesRows = [], tail: [UInt8]? = nil, segments: [SegmentRow] = [],
        sealedTail: [Int64] = [], removedSegments: [Int64] = [], removedSeries: [Int64] = []
    ) {
        self.seq = seq
        self.series = series
        self.tail = tail
        self.segments = segments
        self.sealedTail = sealedTail
        self.removedSegments = removedSegments
        self.removedSeries = removedSeries
    }

    /// Whether the commit writes the catalog's `meta` row: no tail row carries its sequence, or tail rows with earlier
    /// sequences are removed.
    var touchesMore: Bool {
        tail == nil || !series.isEmpty || !seriesPages.isEmpty || !segments.isEmpty || !sealedTail.isEmpty
            || !removedSegments.isEmpty || !removedSeries.isEmpty || !deletions.isEmpty || !tombstoneCounts.isEmpty
            || horizon != nil || !removedTombstones.isEmpty
    }
}
