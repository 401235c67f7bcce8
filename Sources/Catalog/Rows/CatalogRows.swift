// SPDX-License-Identifier: Apache-2.0

// Catalog: the engine's only SQL: which series, segments and recent samples exist, and the one place where a commit
// happens.

/// A named series of samples. `name` and `labels` together are unique.
package struct SeriesRow: Sendable, Equatable {
    /// Positive, chosen by the caller, never used again.
    package var id: Int64
    package var name: String
    package var labels: [String: String]
    /// Bits whose meaning is the engine's.
    package var kind: UInt8

    package init(id: Int64, name: String, labels: [String: String] = [:], kind: UInt8) {
        self.id = id
        self.name = name
        self.labels = labels
        self.kind = kind
    }
}

/// The blocks of one series in one segment: where the root of their index stands, and the summary of everything in it.
package struct RunRow: Sendable, Equatable {
    package var series: Int64
    package var rootOffset: Int64
    package var rootLength: Int64
    package var levels: Int
    package var blocks: Int64
    /// Opaque here; the engine's encoding of a summary.
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

/// A segment file that exists because this row names it.
package struct SegmentRow: Sendable, Equatable {
    /// Positive, chosen by the caller, never used again.
    package var id: Int64
    /// 16 bytes; the file's name.
    package var uuid: [UInt8]
    /// The file's length.
    package var bytes: Int64
    package var checksum: UInt32
    /// The commit that made it visible.
    package var born: Int64
    /// The commit that retired it; nil while it is live.
    package var died: Int64?
    /// Ascending by series when loaded, where none are given of a retired segment.
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

/// Recent samples, encoded by the engine, under the commit that brought them.
package struct TailRow: Sendable, Equatable {
    package var seq: Int64
    package var body: [UInt8]

    package init(seq: Int64, body: [UInt8]) {
        self.seq = seq
        self.body = body
    }
}

/// A deletion: samples of a series that are hidden, though their bytes may still be there.
package struct TombstoneRow: Sendable, Equatable {
    /// Positive, ascending with `born`, never used again.
    package var id: Int64
    package var series: Int64
    /// The commit that deleted.
    package var born: Int64
    /// The first instant of the range.
    package var start: Int64
    /// The first instant behind the range.
    package var end: Int64
    /// Samples that it hides and no earlier one does.
    package var count: Int64
    /// The engine's list of what is hidden; nil for all that starts in the range.
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

/// When something was deleted, by a clock that may have been wrong.
package struct DeletionTime: Sendable, Hashable {
    /// What commits deleted up to this one, and after that of the time before, was deleted at `at` or earlier.
    package var commit: Int64
    /// In nanoseconds since 1970-01-01 UTC.
    package var at: Int64

    package init(commit: Int64, at: Int64) {
        self.commit = commit
        self.at = at
    }
}

/// What a catalog knows of deletions.
package struct CatalogDeletions: Sendable, Equatable {
    /// Ascending by id.
    package var tombstones: [TombstoneRow] = []
    /// The greatest time that a retention by age was given as now.
    package var now: Int64?
    /// When commits deleted, ascending; of a commit, all of them beside its tombstones, or none if nothing changes.
    package var times: [DeletionTime]

    package init(tombstones: [TombstoneRow] = [], now: Int64? = nil, times: [DeletionTime] = []) {
        self.tombstones = tombstones
        self.now = now
        self.times = times
    }

    /// Whether there is nothing that a format has to be raised for.
    package var isEmpty: Bool { tombstones.isEmpty && now == nil }
}

/// A stretch of a store's life that no other copy of it shares.
package struct EpochRow: Sendable, Equatable {
    /// Random, and not 0, which is the first epoch's.
    package var number: Int64
    /// The commit after which it began. What earlier epochs did later is not in this store.
    package var start: Int64

    package init(number: Int64, start: Int64) {
        self.number = number
        self.start = start
    }
}

/// What a catalog knows of how far back its store can be looked at.
package struct CatalogHistory: Sendable, Equatable {
    /// The newest commit of those that deleted samples which were left out since; 0 if none were, nil in a catalog of
    /// a format that does not say.
    package var horizon: Int64?
    /// Those after the first, in the order in which they began.
    package var epochs: [EpochRow] = []
    /// By series, the newest commit of those that deleted something of it and whose tombstones are gone: changes since
    /// an earlier one can no longer be told.
    package var feedHorizons: [Int64: Int64] = [:]

    package init(horizon: Int64? = nil, epochs: [EpochRow] = [], feedHorizons: [Int64: Int64] = [:]) {
        self.horizon = horizon
        self.epochs = epochs
        self.feedHorizons = feedHorizons
    }

    package var isEmpty: Bool { horizon == nil && epochs.isEmpty && feedHorizons.isEmpty }
}

/// Everything the catalog knows at one commit.
package struct CatalogImage: Sendable, Equatable {
    /// 16 bytes.
    package var storeID: [UInt8]
    /// The time zone on whose civil days blocks are cut.
    package var homeZone: String
    package var formatVersion: Int
    /// The commit this image shows.
    package var seq: Int64
    /// Ascending by id.
    package var series: SeriesRows
    /// Ascending by id, the retired ones that are still named included.
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

/// What one commit changes. With nothing but `tail` set it is one insert, the cheapest durable commit there is.
package struct CatalogCommit: Sendable {
    /// One more than the catalog's present sequence, or the commit is refused.
    package var seq: Int64
    /// New series, or present ones (by id) with a new name, labels or kind.
    package var series: SeriesRows = []
    /// More of them, in pages that are shared with others.
    package var seriesPages: [SeriesRows] = []
    /// The samples of this commit.
    package var tail: [UInt8]?
    /// New segments with their runs, or present ones (by id) whose `died` is set anew; a present one keeps its runs.
    package var segments: [SegmentRow] = []
    /// Tail rows that a segment of this commit (or nothing) replaces.
    package var sealedTail: [Int64] = []
    /// Retired segments to be forgotten, with their runs.
    package var removedSegments: [Int64] = []
    /// Series to be forgotten; none of them may have a run left.
    package var removedSeries: [Int64] = []
    /// New tombstones, or a time of retention. They raise the format to 4 where it is lower.
    package var deletions = CatalogDeletions()
    /// New counts of present tombstones, by id.
    package var tombstoneCounts: [Int64: Int64] = [:]
    /// The newest commit whose deleted samples this one leaves out, if it does; raises the format like a deletion.
    package var horizon: Int64?
    /// Tombstones to be forgotten, by id; their samples are nowhere any more.
    package var removedTombstones: [Int64] = []
    /// With these, by series, the newest commit of those that made them.
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

    /// Whether the commit writes the catalog's `meta` row, because no tail row carries its sequence or because rows
    /// that carried an earlier one go.
    var touchesMore: Bool {
        tail == nil || !series.isEmpty || !seriesPages.isEmpty || !segments.isEmpty || !sealedTail.isEmpty
            || !removedSegments.isEmpty || !removedSeries.isEmpty || !deletions.isEmpty || !tombstoneCounts.isEmpty
            || horizon != nil || !removedTombstones.isEmpty
    }
}
