// SPDX-License-Identifier: Apache-2.0

/// What a store holds and what it takes on disk.
public struct StoreInfo: Hashable, Sendable {
    /// The last commit.
    public var sequence: Int64
    /// The store's identity, as the text of a UUID.
    public var storeID: String
    /// The zone whose days blocks are cut at.
    public var homeZone: String
    /// Samples of all series, without those that are deleted.
    public var samples: Int
    /// Samples that are deleted and still take space.
    public var deletedSamples: Int
    /// Deletions that are known, each of a stretch of time or some samples of one series; those of which nothing is
    /// left in the files go after `StoreOptions.deletionsKept`.
    public var deletions: Int
    /// Series.
    public var series: Int
    /// Segments.
    public var segments: Int
    /// Blocks in segments.
    public var blocks: Int
    /// Samples that are in no segment yet, deleted or not.
    public var tailSamples: Int
    /// Batches in the tail.
    public var tailBatches: Int
    /// Bytes of the segments.
    public var segmentBytes: Int64
    /// About how many of these bytes hold samples that are deleted.
    public var deletedBytes: Int64
    /// Segments that others have replaced, and whose files somebody may still be reading.
    public var retiredSegments: Int
    /// Bytes of the retired segments.
    public var retiredBytes: Int64
    /// Bytes of the catalog, with its log.
    public var catalogBytes: Int64
    /// Bytes of everything in the store's directory but the ballast.
    public var bytes: Int64
    /// Bytes of the ballast, which are kept for the time when the disk is full and hold nothing.
    public var ballastBytes: Int64
    /// The commits before the last that snapshots still show, ascending: all of this opening, and of each other one,
    /// in whatever process, the oldest. What compaction replaced after the first of them stays on the disk.
    public var heldCommits: [Int64] { held.map(\.commit) }
    /// The held commits, with what is known of who holds them, and for how long.
    public var held: [HeldCommit]
    /// The earliest commit that `snapshot(asOf:)` can show.
    public var oldestCommit: Int64
    /// `bytes` for each sample; 0 when there is none.
    public var bytesPerSample: Double { samples > 0 ? Double(bytes) / Double(samples) : 0 }
}
