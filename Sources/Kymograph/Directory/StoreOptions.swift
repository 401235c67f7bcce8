// SPDX-License-Identifier: Apache-2.0

package import FileSystem

/// How a store is opened.
public enum OpenMode: Sendable {
    /// One process may write at a time.
    case readWrite
    /// Any number of processes may read, while another writes.
    case readOnly
    /// For programs that save now and then into one store: the opening reads, and is the writer only from the first
    /// commit until none has come for a while (`StoreOptions.writerIdle`). A commit waits until the writer of another
    /// process gives way (`StoreOptions.writerWait`).
    case shared
}

/// Settings of a store.
public struct StoreOptions: Sendable {
    /// The zone whose days long blocks are cut at, recorded when the store is created: daily statistics in this
    /// zone decode nothing. A name from the zone database such as `Europe/Zurich`.
    public var homeZone = "UTC"
    /// Samples of one series in the tail from which they are sealed into a segment.
    public var sealSamples = 8_192
    /// Batches in the tail from which it is tidied up, whatever they hold.
    public var sealBatches = 2_048
    /// Bytes at which a segment is finished and the next one begun.
    public var segmentBytes = 64 << 20
    /// Bytes of index pages kept in memory; those used least recently go first. A page stands for 64 blocks, so
    /// that 64 MiB hold the index of some 350 million samples.
    public var indexCacheBytes = 64 << 20
    /// The most bytes of the ballast, a file in the store's directory that makes room for tidying up on a full disk. It
    /// is a quarter of the store, and at least 256 KiB. 0 is none.
    public var ballastBytes = 8 << 20
    /// The most threads that one bulk load, scan or query uses at once, from 1 to 64; by default one for each
    /// processor. Only large work is divided, and answers and files are the same for any number.
    public var threads = min(64, max(1, Machine.processorCount()))
    /// How long a commit of an opening that shares its store waits for the writer of another process, before it fails
    /// as `locked`. One opened as `readWrite` never gives way.
    public var writerWait = Duration.seconds(5)
    /// How long an opening that shares its store stays the writer after a commit. While others wait it gives way after
    /// that time even if more commits come.
    public var writerIdle = Duration.milliseconds(100)
    /// Whether appends and loads that make a merge of segments due begin it in the background.
    /// `Docs/Operations/Retention.md`
    public var compacts = true
    /// How long the bytes of deleted samples may stay in the store's files after the deletion, whoever made it and in
    /// whatever opening, where this one may write and `compacts`: up to an eighth longer, and the time of a merge.
    /// `Docs/Operations/Retention.md` has the bound in full.
    public var erasureAge = Duration.seconds(7 * 86_400)
    /// How long the store remembers a deletion whose samples are gone from its files: so long an anchor of the change
    /// feed stays good, though something was deleted since. Later it may be refused as `anchorExpired`. A year, if
    /// nothing else is said. `Docs/Operations/Retention.md`
    public var deletionsKept = Duration.seconds(365 * 86_400)
    /// How long a snapshot may keep files that later commits do without, counted from the commit after its own, or
    /// from when an opening for reading learned of that. After that it goes on answering what needs no such file, and
    /// throws `snapshotExpired` for the rest. An opening for reading that was not refreshed for so long refreshes
    /// itself.
    public var snapshotAge = Duration.seconds(86_400)
    /// Whether to open a store that has lost acknowledged commits, which is otherwise refused as `rolledBack`.
    ///
    /// Reading then shows what is left. Writing goes on from there: with its next commit the loss is taken for granted,
    /// and what was lost cannot be told from what never was: segments that hold some of it are removed. Nothing is
    /// before that.
    public var acceptsLostCommits = false

    /// Is told what happens to the store, its opening included. See `TimeSeriesStore.observe`.
    public var observer: (@Sendable (StoreEvent) -> Void)?

    /// What the opening counts; there is one from the moment it begins.
    var telemetry: Telemetry?
    /// What the machine takes for the time, in nanoseconds since 1970-01-01 UTC; tests put a wrong one here.
    package var wallClock: @Sendable () -> Int64 = { SystemClock.wallNanoseconds() }
    /// The disk that holds everything but the catalog; tests put a faulty one here.
    package var disk: any Disk = RealDisk()
    /// Samples above which an append or a batch writes a segment rather than a row of the tail.
    package var largeAppend = 32_768
    /// By which bounds segments are merged.
    package var compaction = CompactionLimits()
    /// Where the catalog is, if not in the store's directory: SQLite needs a real disk when `disk` is none.
    package var catalogPath: String?
    /// The registered VFS that has the catalog's files; nil is ours over the system's. With it the catalog can live on
    /// `disk`, too.
    package var catalogVFS: String?

    /// The defaults.
    public init() {}
}
