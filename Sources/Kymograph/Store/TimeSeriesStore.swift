// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
package import FileSystem
import Synchronization
import TimeIndex

/// A directory with any number of time series: open it, append to it, take snapshots and ask them.
///
/// One process at a time opens a store for writing, any number for reading. All methods may be called from any
/// thread. What an append returned from is on the disk: see `Docs/Durability.md`.
public final class TimeSeriesStore: Sendable {
    /// The directory.
    public let path: String
    /// Whether this opening may write.
    public let mode: OpenMode

    let layout: StoreLayout
    /// The catalog's file, for errors.
    package var catalogPath: String { layout.catalog }
    let options: StoreOptions
    let storeID: [UInt8]
    let zone: CivilZone
    package let disk: any Disk
    /// Index pages in memory.
    let cache: IndexCache
    /// What this opening looks at.
    let slots: ReaderSlots
    /// What the ballast lacks because this opening needed its room.
    let owedBallast = Mutex<Ballast.Owed?>(nil)
    /// The version that new snapshots show.
    let published: Mutex<Version>
    /// The process that opened the store.
    let owner = ProcessMark.current
    /// What was done since opening, and who is told.
    let telemetry: Telemetry
    /// Tells those who follow the store.
    let notifier = CommitNotifier()
    /// Appends that wait to be committed.
    let queue = CommitQueue()
    let threads = CommitThreads()
    let encoders = TailEncoders()
    let compaction = CompactionState()
    /// Whoever has objects beside the samples.
    let companionErasure = Mutex<CompanionErasure?>(nil)
    /// Held while the tail is sealed: one thread does it at a time.
    let sealing = Mutex(())
    /// Those that commit in the background, as long as somebody has them.
    let appenders = Mutex([WeakAppender]())
    /// Gives new samples their identities.
    let mint: Mutex<IdentityMint>
    /// Which identities are there, once that was asked.
    let identities = IdentityIndex()
    /// When a shared opening is the writer.
    let turn = Mutex(WriterTurn())
    /// The single writer; gone when closed, opened for reading, or while another process is.
    let writer: Mutex<Writer?>
    /// The thread that has the writer.
    let writerOwner = ThreadOwner()
    /// Whether a closure has closed the store that ran with the writer: its call closes the store at its end.
    private let isToBeClosed = Atomic(false)
    /// The catalog of an opening for reading; gone when closed.
    let reader: Mutex<CatalogDatabase?>
    /// SQLite's number of the last change that `refresh` took in.
    private let seen = Mutex<Int64?>(nil)

    init(
        layout: StoreLayout, mode: OpenMode, options: StoreOptions, storeID: [UInt8], zone: CivilZone,
        version: Version, slots: ReaderSlots, cache: IndexCache, random: [UInt8],
        writer: consuming sending Writer?, reader: CatalogDatabase?
    ) {
        path = layout.root
        self.layout = layout
        self.mode = mode
        self.options = options
        telemetry = options.telemetry ?? Telemetry(layout.root, options.observer)
        self.storeID = storeID
        self.zone = zone
        disk = options.disk
        self.cache = cache
        self.slots = slots
        published = Mutex(version)
        mint = Mutex(IdentityMint(random: random))
        self.writer = Mutex(writer)
        self.reader = Mutex(reader)
    }

    /// The store as it is now: everything acknowledged before this call, in this process. Under a microsecond.
    ///
    /// No process removes a file that the snapshot needs, as long as there is a copy of it, and for
    /// `StoreOptions.snapshotAge` after the next commit at most. In a forked child its queries throw `forked`; its
    /// list of series is that of the moment of the fork, or empty.
    public func snapshot() -> Snapshot {
        if owner == .current { return Snapshot(version: published.withLock { $0 }, owner: owner) }
        // The lock may have been held by a thread that is not in this process.
        return Snapshot(version: published.withLockIfAvailable { $0 } ?? Version(), owner: owner)
    }

    /// Sees what other processes committed since; does nothing while this opening is the writer.
    ///
    /// - Returns: whether anything is new.
    /// - Throws: `closed`, `rolledBack` (acknowledged commits are missing), `corrupt`, `inputOutput`.
    @discardableResult
    public func refresh() throws(StoreError) -> Bool {
        try requireOpen()
        if mode == .readWrite || turn.withLock({ $0.isOn }) { return false }
        guard let catalog = reader.withLock({ $0 }) else { throw .closedStore }
        // Read before the image, so that a commit between the two is seen again next time.
        let change = try inCatalog { () throws(CatalogError) in try catalog.dataVersion() }
        if seen.withLock({ $0 == change }) { return false }
        let old = published.withLock { $0 }
        let said = try Self.witnessed(layout, options)
        let image = try inCatalog { () throws(CatalogError) in try catalog.load() }
        try Self.requireAcknowledged(said, image, layout, options)
        if image.seq == old.seq {
            seen.withLock { $0 = change }
            return false
        }
        var version = try Self.version(of: image, layout: layout, options: options, cache: cache, known: old)
        // Until here the older version, which is held, has kept what this one needs.
        version.hold = try slots.hold(version.seq)
        slots.leave(old.segments.values.filter { version.segments[$0.row.id] !== $0 }, died: version.seq)
        published.withLock { if version.seq > $0.seq { $0 = version } }
        seen.withLock { $0 = change }
        eraseInTime()
        return true
    }

    /// Whether `refresh` may find something new.
    ///
    /// - Throws: `closed`, `inputOutput`.
    package func hasNews() throws(StoreError) -> Bool {
        try requireOwnProcess()
        if mode == .readWrite || turn.withLock({ $0.isOn }) { return false }
        guard let catalog = reader.withLock({ $0 }) else { throw .closedStore }
        let change = try inCatalog { () throws(CatalogError) in try catalog.dataVersion() }
        return seen.withLock { $0 != change }
    }

    /// Ends the use of the store: commits what relaxed appenders have taken, releases the lock and the catalog.
    /// Snapshots stay valid. A second call does nothing. A call from a closure that runs while the store is being
    /// written returns at once, and the store is closed when the call with the closure returns.
    ///
    /// Where bytes of deleted samples are overdue (`StoreOptions.erasureAge`) one merge is made before that, so that
    /// they go in time as well if the store is never open for long.
    public func close() {
        // A child has neither the threads nor the locks of the process that opened the store.
        guard owner == .current else { return }
        if writerOwner.isMine { return isToBeClosed.store(true, ordering: .relaxed) }
        let isOurs = mode == .readWrite || mode == .shared && turn.withLock { $0.isOn }
        if isOurs, options.compacts, !compaction.isStopped, !compaction.isInside, isErasureDue {
            try? eraseOverdue(merges: 1)
        }
        end()
    }

    /// Closes the store if a closure that ran with the writer has closed it. Calls with such closures end with this.
    ///
    /// - Requires: neither the writer nor the lead of the queue.
    func closeIfAsked() {
        if isToBeClosed.load(ordering: .relaxed) { close() }
    }

    /// Whether this process opened the store, and not the one that it was forked from.
    var isInOwnProcess: Bool { owner == .current }

    /// - Throws: `forked`.
    package func requireOwnProcess() throws(StoreError) {
        if !isInOwnProcess { throw .forkedStore }
    }

    /// - Throws: `closed`, `forked`.
    func requireOpen() throws(StoreError) {
        try requireOwnProcess()
        if compaction.isStopped { throw .closedStore }
    }

    private func end() {
        for appender in appenders.withLock({ $0 }) { appender.value?.close() }
        compaction.stop()
        // Snapshots that stay are no business of a writer that is gone: the next one has to see them.
        let files = published.withLock { version in
            version.hold = nil
            return Array(version.segments.values)
        }
        try? slots.publish()
        outlive(files)
        notifier.end(forGood: true)
        // First, so that no turn of a shared store begins after this one.
        reader.withLock { held in
            try? held?.close()
            held = nil
        }
        writer.withLock { held in
            held?.removeRetired(slots, layout, disk)
            held?.close()
            held = nil
        }
        // SQLite's small files are gone, and their room is there again.
        owedBallast.withLock { $0.take() }?.takeBack(layout, options)
        telemetry.noteClosing(sequence: published.withLock { $0.seq })
    }

    deinit { if owner == .current { end() } }
}
