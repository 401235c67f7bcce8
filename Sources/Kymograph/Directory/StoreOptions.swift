// SPDX-License-Identifier: Apache-2.0

public import Cipher
package import FileSystem

/// The access mode of an opening.
public enum OpenMode: Sendable {
    /// Reads and writes; one process at a time.
    case readWrite
    /// Reads only. Any number of processes may read while another process writes.
    case readOnly
    /// Reads, and becomes the writer for commits only: for programs that save occasionally into one store. The opening
    /// stays the writer until no commit came for `StoreOptions.writerIdle`. A commit waits for the writer of another
    /// process for at most `StoreOptions.writerWait`.
    case shared
}

/// Settings of a store.
public struct StoreOptions: Sendable {
    /// The time zone at whose midnights long blocks are cut, recorded when the store is created. Daily statistics in
    /// this zone decode no blocks. A name from the zone database, such as `Europe/Zurich`.
    public var homeZone = "UTC"
    /// Samples of one series in the tail from which the series is sealed into a segment.
    public var sealSamples = 8_192
    /// Batches in the tail from which the tail is sealed, whatever the batches hold.
    public var sealBatches = 2_048
    /// Bytes at which a segment is finished and the next one begun.
    public var segmentBytes = 64 << 20
    /// Bytes of index pages kept in memory; the least recently used pages are evicted first. A page describes 64
    /// blocks, so that 64 MiB hold the index of about 350 million samples.
    public var indexCacheBytes = 64 << 20
    /// Bytes of decrypted blocks that an encrypted store keeps in memory, so that a block that is read again needs no
    /// decryption. A store that is not encrypted keeps none.
    public var openedBlockBytes = 16 << 20
    /// Maximum bytes of the ballast, a file in the store's directory that is removed on a full disk, so that sealing
    /// and deletions have space. Its size is a quarter of the store, and at least 256 KiB. 0 disables it.
    public var ballastBytes = 8 << 20
    /// Maximum threads of one bulk load, scan or query, from 1 to 64; by default one for each processor. Only large
    /// work is divided; results and files are the same for any number.
    public var threads = min(64, max(1, Machine.processorCount()))
    /// How long a commit of a shared opening waits for the writer of another process before it throws `locked`. A
    /// `readWrite` opening never gives way.
    public var writerWait = Duration.seconds(5)
    /// How long a shared opening stays the writer after a commit. If other processes wait, it gives way after that time
    /// even if more commits come.
    public var writerIdle = Duration.milliseconds(100)
    /// Whether appends and loads start due merges of segments in the background. See `Docs/Operations/Retention.md`.
    public var compacts = true
    /// How long the bytes of deleted samples may stay in the store's files, whichever opening deleted them, while this
    /// opening may write and `compacts` is true. The erasure may take an eighth longer, and the time of a merge.
    /// `Docs/Operations/Retention.md` has the full bound.
    public var erasureAge = Duration.seconds(7 * 86_400)
    /// How long the store remembers a deletion whose samples are gone from its files. For this time an anchor of the
    /// change feed stays valid after the deletion; later it may throw `anchorExpired`. A health store also remembers
    /// a deletion until every peer has it. Default: a year. See `Docs/Operations/Retention.md`.
    public var deletionsKept = Duration.seconds(365 * 86_400)
    /// How much history a health store keeps that is synchronised with other stores. Older samples and objects are
    /// pruned once another store has them; see `Docs/Operations/Retention.md`. A store that was never synchronised, and
    /// a store without health data, keep everything. Default: everything.
    public var keepsHistory = KeptHistory.everything
    /// How long a snapshot may keep files that later commits do not need. The time counts from the commit after the
    /// snapshot's own; in an opening for reading, from when the opening noticed that commit. Afterwards queries that
    /// need a removed file throw `snapshotExpired`; all others still work. An opening for reading that was not
    /// refreshed for this time refreshes itself.
    public var snapshotAge = Duration.seconds(86_400)
    /// A commit that the caller knows from an earlier opening. A store that ends before it throws `rolledBack`: an
    /// older copy of the whole store has replaced it, which nothing inside the store can show.
    public var atLeastCommit: Int64?
    /// Whether to open a store that has lost acknowledged commits, which otherwise throws `rolledBack`.
    ///
    /// Reading then shows the remaining data. The next commit makes the loss final: it removes segments with lost
    /// samples, and lost data can no longer be distinguished from data that never existed. Before that commit nothing
    /// is removed.
    public var acceptsLostCommits = false

    /// Finds the key of the store. `create` then makes an encrypted store, and `open` refuses a store that is not
    /// encrypted. See `Docs/Guide/Encryption.md`.
    public var key: (any KeyProvider)?

    /// The observer of the store's events, including its opening. See `TimeSeriesStore.observe`.
    public var observer: (@Sendable (StoreEvent) -> Void)?

    /// The decrypted keys of the store, set when an opening begins; nil if it is not encrypted.
    var keys: StoreKeys?
    /// The directory of the segments of an open store.
    var segments: OpenedDirectory?
    /// Whether a store that is created with a key is encrypted.
    package var encryptsNewStores = true
    /// The cost of a passphrase in a new slot.
    package var keyCost = ScryptCost.standard
    /// Whether a store that is not encrypted opens although a key is given.
    package var isKeyOptional = false
    /// The counters of the opening, set when it begins.
    var telemetry: Telemetry?
    /// Returns the time of the machine's clock, in nanoseconds since 1970-01-01 UTC; tests set a wrong clock here.
    package var wallClock: @Sendable () -> Int64 = { SystemClock.wallNanoseconds() }
    /// The disk of all files except the catalog; tests set a faulty disk here.
    package var disk: any Disk = RealDisk()
    /// Samples above which an append or a batch writes a segment instead of a row of the tail.
    package var largeAppend = 32_768
    /// Bounds by which segments are merged.
    package var compaction = CompactionLimits()
    /// The path of the catalog outside the store's directory: SQLite needs a real disk if `disk` is not one.
    package var catalogPath: String?
    /// The registered VFS of the catalog's files; nil for the default, which wraps the system's VFS. With a VFS over
    /// `disk` the catalog can live there, too.
    package var catalogVFS: String?

    /// Takes the key of a store that is encrypted from the environment, if no key is set. New stores are not encrypted
    /// then.
    package mutating func useKeyOfEnvironment() {
        if key != nil { return }
        (key, isKeyOptional, encryptsNewStores) = (EnvironmentKey(), true, false)
    }

    /// Creates options with the default values.
    public init() {
        #if KYMOGRAPH_TESTING
            useKeyOfTests()
        #endif
    }
}
