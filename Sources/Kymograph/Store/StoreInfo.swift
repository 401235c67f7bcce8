// SPDX-License-Identifier: Apache-2.0

/// The contents of a store, and its sizes on disk.
public struct StoreInfo: Hashable, Sendable {
    /// The last commit.
    public var sequence: Int64
    /// The store's identity, as the text of a UUID.
    public var storeID: String
    /// The time zone at whose midnights blocks are cut.
    public var homeZone: String
    /// Samples of all series, without deleted samples.
    public var samples: Int
    /// Deleted samples that still take space.
    public var deletedSamples: Int
    /// Known deletions, each of a time range or of listed samples of one series. A deletion that hides nothing any more
    /// is removed after `StoreOptions.deletionsKept`.
    public var deletions: Int
    /// Series.
    public var series: Int
    /// Segments.
    public var segments: Int
    /// Blocks in segments.
    public var blocks: Int
    /// Samples in the tail, including deleted samples.
    public var tailSamples: Int
    /// Batches in the tail.
    public var tailBatches: Int
    /// Bytes of the segments.
    public var segmentBytes: Int64
    /// Approximate bytes of deleted samples in segments.
    public var deletedBytes: Int64
    /// Replaced segments whose files still exist, because snapshots may need them.
    public var retiredSegments: Int
    /// Bytes of the retired segments.
    public var retiredBytes: Int64
    /// Bytes of the catalog, with its log.
    public var catalogBytes: Int64
    /// Bytes of all files in the store's directory except the ballast.
    public var bytes: Int64
    /// Bytes of the ballast, a reserve for a full disk that holds no data.
    public var ballastBytes: Int64
    /// Commits before the last commit that snapshots hold, ascending: all commits that this opening holds, and the
    /// oldest commit of each other opening in any process. Files that compaction replaced after the first of them stay
    /// on the disk.
    public var heldCommits: [Int64] { held.map(\.commit) }
    /// The held commits, with their holders and the time of each hold, as far as known.
    public var held: [HeldCommit]
    /// The earliest commit that `snapshot(asOf:)` can show.
    public var oldestCommit: Int64
    /// `bytes` per sample; 0 if there are no samples.
    public var bytesPerSample: Double { samples > 0 ? Double(bytes) / Double(samples) : 0 }
}
