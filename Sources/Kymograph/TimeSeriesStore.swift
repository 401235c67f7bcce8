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
    let options: StoreOptions
    let storeID: [UInt8]
    let zone: CivilZone
    package let disk: any Disk
    /// Index pages in memory.
    let cache: IndexCache
    /// The version that new snapshots show.
    let published: Mutex<Version>
    /// Commits acknowledged since opening.
    let commits = Atomic(0)
    /// Bytes of segments written since opening.
    let segmentBytes = Atomic(0)
    /// Appends that wait to be committed.
    let queue = CommitQueue()
    let encoders = TailEncoders()
    let compaction = CompactionState()
    /// Those that commit in the background, as long as somebody has them.
    let appenders = Mutex([WeakAppender]())
    /// Gives new samples their identities.
    let mint: Mutex<IdentityMint>
    /// The single writer; gone when closed or opened for reading.
    let writer: Mutex<Writer?>
    /// The catalog of an opening for reading; gone when closed.
    let reader: Mutex<CatalogDatabase?>
    /// SQLite's number of the last change that `refresh` took in.
    private let seen = Mutex<Int64?>(nil)

    init(
        layout: StoreLayout, mode: OpenMode, options: StoreOptions, storeID: [UInt8], zone: CivilZone,
        version: Version, cache: IndexCache, random: [UInt8], writer: consuming sending Writer?,
        reader: CatalogDatabase?
    ) {
        path = layout.root
        self.layout = layout
        self.mode = mode
        self.options = options
        self.storeID = storeID
        self.zone = zone
        disk = options.disk
        self.cache = cache
        published = Mutex(version)
        mint = Mutex(IdentityMint(random: random))
        self.writer = Mutex(writer)
        self.reader = Mutex(reader)
    }

    /// The store as it is now: everything acknowledged before this call, in this process. Under a microsecond.
    public func snapshot() -> Snapshot { Snapshot(version: published.withLock { $0 }) }

    /// Sees what other processes committed since; does nothing in the process that writes.
    ///
    /// - Returns: whether anything is new.
    /// - Throws: `closed`, `rolledBack` (acknowledged commits are missing), `corrupt`, `inputOutput`.
    @discardableResult
    public func refresh() throws(StoreError) -> Bool {
        if mode == .readWrite { return false }
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
        let version = try Self.version(of: image, layout: layout, options: options, cache: cache, known: old)
        published.withLock { if version.seq > $0.seq { $0 = version } }
        seen.withLock { $0 = change }
        return true
    }

    /// Ends the use of the store: commits what relaxed appenders have taken, releases the lock and the catalog.
    /// Snapshots stay valid. A second call does nothing.
    public func close() {
        for appender in appenders.withLock({ $0 }) { appender.value?.close() }
        compaction.stop()
        writer.withLock { held in
            held?.removeRetired(layout, disk)
            held?.mapRetired()
            held?.close()
            held = nil
        }
        reader.withLock { held in
            try? held?.close()
            held = nil
        }
    }

    deinit { close() }
}
