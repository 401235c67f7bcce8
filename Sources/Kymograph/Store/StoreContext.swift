// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import CivilTime
import FileSystem
import Synchronization
import TimeIndex

/// The state that all parts of one opening share: its paths, options, published version and counters.
///
/// `TimeSeriesStore` creates the context and passes it to the parts that write, merge, erase and back up.
final class StoreContext: Sendable {
    let layout: StoreLayout
    let mode: OpenMode
    let options: StoreOptions
    let storeID: [UInt8]
    let zone: CivilZone
    let disk: any Disk
    /// Index pages in memory.
    let cache: IndexCache
    /// The commits that this opening holds.
    let slots: ReaderSlots
    /// Counters and events since opening.
    let telemetry: Telemetry
    /// The version that new snapshots show.
    let published: Mutex<Version>
    /// Notifies subscribers of commits.
    let notifier = CommitNotifier()
    /// Generates the identities of new samples.
    let mint: Mutex<IdentityMint>
    /// The identities in the store, read at first use.
    let identities = IdentityIndex()
    let encoders = TailEncoders()
    /// The process that opened the store.
    private let owner = ProcessMark.current
    private let closed = Atomic(false)
    /// Starts the removal of deleted and replaced bytes.
    private let upkeep = Mutex<(@Sendable (Upkeep) -> Void)?>(nil)

    /// A reason to check for bytes to remove.
    enum Upkeep {
        /// Samples were deleted.
        case deleted
        /// Segments were replaced; snapshots that need them must expire in time.
        case replaced
        /// The store was opened; earlier openings may have left bytes to remove.
        case opened
    }

    /// - Parameters:
    ///   - version: the version to publish first.
    ///   - random: eight random bytes, from which identities begin.
    init(
        _ layout: StoreLayout, _ mode: OpenMode, _ options: StoreOptions, _ opened: OpenedCatalog, random: [UInt8]
    ) {
        self.layout = layout
        self.mode = mode
        self.options = options
        storeID = opened.storeID
        zone = opened.zone
        disk = options.disk
        cache = opened.cache
        slots = opened.slots
        telemetry = options.telemetry ?? Telemetry(layout.root, options.observer)
        published = Mutex(opened.version)
        mint = Mutex(IdentityMint(random: random))
    }

    /// The access to the store's files.
    var access: FileAccess {
        var access = FileAccess(options)
        access.telemetry = telemetry
        return access
    }

    /// The directory of the store.
    var path: String { layout.root }

    /// The version that new snapshots show.
    ///
    /// A held version makes the next commit copy the parts that it changes. On the hot path read `published` in place.
    var version: Version { published.withLock { $0 } }

    /// See `TimeSeriesStore.snapshot()`.
    @inline(__always)
    func snapshot() -> Snapshot {
        if owner == .current { return Snapshot(version: published.withLock { $0 }, owner: owner) }
        // In a forked child, a thread that does not exist there may hold the lock.
        return Snapshot(version: published.withLockIfAvailable { $0 } ?? Version(), owner: owner)
    }

    /// Shows a version to new snapshots.
    func publish(_ version: Version) { publish { $0 = version } }

    /// Changes the version that new snapshots show, in place, and notifies the subscribers.
    func publish(_ change: (inout Version) -> Void) {
        let seq = published.withLock { version in
            change(&version)
            version.hold = slots.holdNewest(version.seq)
            return version.seq
        }
        notifier.notify(seq)
    }

    /// Sets the closure that `requestUpkeep` calls.
    func onUpkeep(_ body: @escaping @Sendable (Upkeep) -> Void) { upkeep.withLock { $0 = body } }

    /// Starts the periodic removal of deleted and replaced bytes, unless it runs or there is nothing to remove.
    func requestUpkeep(_ reason: Upkeep = .deleted) { upkeep.withLock { $0 }?(reason) }

    // MARK: States in which calls are refused

    /// Whether the store was closed.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    func markClosed() { closed.store(true, ordering: .relaxed) }

    /// True if this process opened the store; false in a forked child.
    var isInOwnProcess: Bool { owner == .current }

    /// - Throws: `forked`.
    func requireOwnProcess() throws(StoreError) {
        if !isInOwnProcess { throw .forkedStore }
    }

    /// - Throws: `closed`, `forked`.
    func requireOpen() throws(StoreError) {
        try requireOwnProcess()
        if isClosed { throw .closedStore }
    }

    /// - Throws: `readOnly`.
    func requireWritable() throws(StoreError) {
        if mode == .readOnly {
            throw StoreError(.readOnly, "the store was opened for reading; open it for writing", path: path)
        }
    }
}

/// The state of an opened catalog from which a `StoreContext` begins.
struct OpenedCatalog {
    let storeID: [UInt8]
    let zone: CivilZone
    /// The version of the catalog, with its hold.
    let version: Version
    let slots: ReaderSlots
    let cache: IndexCache
}
