// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization
import TimeIndex

/// Opens the store of a directory, in one of three modes.
struct StoreOpening {
    private let layout: StoreLayout
    private let options: StoreOptions
    /// Whether the caller holds the writer lock and keeps it.
    private let isLocked: Bool
    private var disk: any Disk { options.disk }

    init(_ layout: StoreLayout, _ options: StoreOptions, isLocked: Bool = false) {
        self.layout = layout
        self.options = options
        self.isLocked = isLocked
    }

    /// Opens the store. If the disk is full, the opening uses the ballast's space.
    func open(_ mode: OpenMode) throws(StoreError) -> TimeSeriesStore {
        var owed: Ballast.Owed?
        let store = try Ballast.withRoom(layout, options, &owed) { () throws(StoreError) in
            switch mode {
            case .readWrite: try openToWrite()
            case .readOnly: try openToRead(.readOnly)
            case .shared: try openToShare()
            }
        }
        store.access.owedBallast.withLock { $0 = owed }
        if mode == .readWrite {
            try store.access.withWriter { writer throws(StoreError) in
                // A former writer may have been unable to checkpoint.
                if writer.catalog.takeCallForRoom() { writer.checkpointOnFullDisk() }
                writer.fitBallast(store.context)
            }
        }
        if mode == .shared { try settleUnknownOutcome(of: store) }
        store.context.requestUpkeep(.opened)
        if mode != .readWrite { store.eraser.watchSnapshots() }
        return store
    }

    private func openToWrite() throws(StoreError) -> TimeSeriesStore {
        let lock = isLocked ? LockOfCaller() : try takeLock()
        let slots = ReaderSlots(layout, disk, isPublic: false)
        let cache = IndexCache(bytes: options.indexCacheBytes)
        let opened: OpenedWriter
        do throws(StoreError) {
            opened = try WriterOpening(layout, options, slots, cache).open(lock, known: nil)
        } catch {
            lock.release()
            throw error
        }
        // From here on the writer owns the lock.
        let zone = try VersionLoader(layout, options, cache).homeZone(named: opened.homeZone)
        var version = opened.version
        version.hold = slots.holdNewest(version.seq)
        let catalog = OpenedCatalog(
            storeID: opened.storeID, zone: zone, version: version, slots: slots, cache: cache)
        let context = StoreContext(layout, .readWrite, options, catalog, random: try Self.random())
        return TimeSeriesStore(context, writer: opened.takeWriter(), reader: nil)
    }

    /// Takes the writer lock.
    ///
    /// - Throws: `locked`, `inputOutput`.
    func takeLock() throws(StoreError) -> any DiskLock {
        let held: (any DiskLock)?
        do throws(DiskError) {
            held = try disk.lock(layout.lock, exclusive: true, byte: 0)
        } catch {
            guard error.isMissing else { throw StoreError(error) }
            throw StoreError(
                .inputOutput,
                "the store's empty file LOCK is missing; a copy may have left it out. While no program writes the "
                    + "store, create an empty file of that name", path: layout.lock)
        }
        guard let held else {
            throw StoreError(
                .locked, "another process is writing this store; try again when it is done", path: layout.root)
        }
        return held
    }

    /// Opens the store in shared mode. Settles the log first if only a writer can.
    private func openToShare() throws(StoreError) -> TimeSeriesStore {
        do throws(StoreError) {
            return try openToRead(.shared)
        } catch {
            guard error.kind == .readOnly else { throw error }
        }
        try settleLog()
        return try openToRead(.shared)
    }

    /// Makes the log durable if a sync of it has failed: a power cut must not undo a commit that this opening shows.
    private func settleUnknownOutcome(of store: TimeSeriesStore) throws(StoreError) {
        let mark = UnknownOutcomeMark(layout, store: store.context.storeID, disk: disk)
        guard try onDisk({ () throws(DiskError) in try mark.isNoted() }) else { return }
        try store.settle()
        store.giveWay()
    }

    /// Settles the log by opening the store for writing and closing it. Waits while another process writes, as it may
    /// settle the log.
    private func settleLog() throws(StoreError) {
        let end = ContinuousClock.now + options.writerWait
        while true {
            do throws(StoreError) {
                return try openToWrite().close()
            } catch {
                guard error.kind == .locked, ContinuousClock.now < end else { throw error }
                SystemClock.sleep(milliseconds: 1)
            }
        }
    }

    /// Opens the store for reading. A log that a power loss interrupted during a rewrite is no damage: the next writer
    /// settles it.
    private func openToRead(_ mode: OpenMode) throws(StoreError) -> TimeSeriesStore {
        let (path, vfs) = (layout.catalog, options.catalogVFS)
        let isTorn = try inCatalog { () throws(CatalogError) in try CatalogDatabase.lacksOfLog(at: path, vfs: vfs) }
        if isTorn { throw interruptedRewrite }
        do throws(StoreError) {
            return try read(mode)
        } catch {
            guard [.corrupt, .rolledBack].contains(error.kind),
                try inCatalog({ () throws(CatalogError) in try CatalogDatabase.isRewritingLog(at: path, vfs: vfs) })
            else { throw error }
            throw interruptedRewrite
        }
    }

    private var interruptedRewrite: StoreError {
        StoreError(
            .readOnly,
            "the power failed while a writer rewrote the log; open the store for writing once, which restores it",
            path: layout.catalog + "-wal")
    }

    private func read(_ mode: OpenMode) throws(StoreError) -> TimeSeriesStore {
        let slots = ReaderSlots(layout, disk, isPublic: true)
        // No file is removed before this opening holds its commit.
        let all = try slots.hold(0)
        defer { withExtendedLifetime(all) {} }
        let cache = IndexCache(bytes: options.indexCacheBytes)
        let loader = VersionLoader(layout, options, cache)
        let witnessed = try Witness.statement(layout, options)
        let (catalog, image) = try loader.catalog(readOnly: true)
        try witnessed.requireAcknowledged(by: image, layout, options)
        let zone = try loader.homeZone(of: image)
        var version = try loader.version(of: image, known: nil)
        version.hold = try slots.hold(version.seq)
        let opened = OpenedCatalog(storeID: image.storeID, zone: zone, version: version, slots: slots, cache: cache)
        let context = StoreContext(layout, mode, options, opened, random: try Self.random())
        return TimeSeriesStore(context, writer: nil, reader: catalog)
    }

    /// Opens a copy of a store that no program writes, such as a backup, for reading; creates no file beside it.
    func openCopy(_ catalog: CatalogDatabase, _ image: CatalogImage) throws(StoreError) -> TimeSeriesStore {
        let slots = ReaderSlots(layout, disk, isPublic: false)
        let cache = IndexCache(bytes: options.indexCacheBytes)
        let loader = VersionLoader(layout, options, cache)
        var version = try loader.version(of: image, known: nil)
        version.hold = slots.holdNewest(version.seq)
        let opened = OpenedCatalog(
            storeID: image.storeID, zone: try loader.homeZone(of: image), version: version, slots: slots, cache: cache)
        let context = StoreContext(layout, .readOnly, options, opened, random: try Self.random())
        return TimeSeriesStore(context, writer: nil, reader: catalog)
    }

    private static func random() throws(StoreError) -> [UInt8] {
        try onDisk { () throws(DiskError) in try SystemRandom.bytes(8) }
    }
}

/// Stands for a lock that the caller of an opening holds and releases.
private final class LockOfCaller: DiskLock {
    func release() {}
}
