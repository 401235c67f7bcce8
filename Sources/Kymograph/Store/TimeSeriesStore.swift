// SPDX-License-Identifier: Apache-2.0

import Catalog
package import FileSystem
import Synchronization

/// A directory with any number of time series: open it, append to it, take snapshots, and query them.
///
/// ```swift
/// let store = try TimeSeriesStore.openOrCreate(at: path)
/// let pulse = try store.series("pulse", labels: ["subject": "7"], kind: .discrete)
/// try store.append(to: pulse.id, [Sample(start: now, end: now, value: 71)])  // durable when it returns
/// let mean = try store.snapshot().aggregate(of: pulse.id).average
/// store.close()
/// ```
///
/// One process at a time opens a store for writing, any number for reading; `OpenMode.shared` lets processes take
/// turns. All methods may be called from any thread. When an append returns, its samples are on the disk: see
/// `Docs/Operations/Durability.md`.
///
/// An append costs one commit of the catalog (a synced write), shared by the callers that append at the same time; a
/// bulk load costs one commit however large it is. A snapshot costs less than a microsecond.
public final class TimeSeriesStore: Sendable {
    /// The directory.
    public let path: String
    /// The access mode of this opening.
    public let mode: OpenMode

    /// The state that the parts share.
    let context: StoreContext
    /// The connections to the catalog: the writer, or a reader.
    let access: CatalogAccess
    /// Makes the commits of callers.
    let committer: GroupCommitter
    /// Moves the tail into segments.
    let sealer: TailSealer
    /// Merges segments.
    let compactor: Compactor
    /// Removes the bytes of deleted samples and replaced segments within bounded time.
    let eraser: Eraser
    /// Relaxed appenders that the program still holds.
    let appenders = Mutex([WeakAppender]())
    /// True if a closure called `close` while its own call held the writer.
    private let isToBeClosed = Atomic(false)

    init(_ context: StoreContext, writer: consuming sending Writer?, reader: CatalogDatabase?) {
        path = context.path
        mode = context.mode
        self.context = context
        access = CatalogAccess(context, writer: writer, reader: reader)
        sealer = TailSealer(context, access)
        compactor = Compactor(context, access, sealer)
        committer = GroupCommitter(context, access, sealer, compactor)
        eraser = Eraser(context, access, sealer, compactor)
    }

    /// The catalog's file, for errors.
    package var catalogPath: String { context.layout.catalog }
    package var disk: any Disk { context.disk }

    /// Returns the store as it is now: everything acknowledged before this call, in this process. Takes less than a
    /// microsecond.
    ///
    /// While a copy of the snapshot exists, no process removes a file that it needs, for at most
    /// `StoreOptions.snapshotAge` after the next commit. In a forked child its queries throw `forked`; its list of
    /// series is from the time of the fork, or empty.
    public func snapshot() -> Snapshot { context.snapshot() }

    /// Loads the commits of other processes; does nothing while this opening is the writer.
    ///
    /// - Returns: whether there were new commits.
    /// - Throws: `closed`, `rolledBack` (acknowledged commits are missing), `corrupt`, `inputOutput`.
    @discardableResult
    public func refresh() throws(StoreError) -> Bool { try access.refresh() }

    /// Whether `refresh` may find a new commit.
    ///
    /// - Throws: `closed`, `inputOutput`.
    package func hasNews() throws(StoreError) -> Bool { try access.hasNews() }

    /// Closes the store: commits the samples of relaxed appenders, and releases the lock and the catalog.
    ///
    /// Snapshots stay valid. A second call does nothing. A call from a closure whose enclosing call holds the writer
    /// returns at once; the store is closed when the enclosing call returns.
    ///
    /// If bytes of deleted samples are overdue (`StoreOptions.erasureAge`), one merge runs first, so that a store that
    /// is only open for short times erases within bounded time, too.
    public func close() {
        // A forked child has neither the threads nor the locks of the process that opened the store.
        guard context.isInOwnProcess else { return }
        if access.isWriterHeldByThisThread { return isToBeClosed.store(true, ordering: .relaxed) }
        eraser.eraseBeforeClosing()
        end()
    }

    /// Closes the store if a closure called `close` while its own call held the writer. Every call with such a closure
    /// ends with this call.
    ///
    /// - Requires: the calling thread neither holds the writer nor leads the queue.
    func closeIfAsked() {
        if isToBeClosed.load(ordering: .relaxed) { close() }
    }

    /// - Throws: `forked`.
    package func requireOwnProcess() throws(StoreError) { try context.requireOwnProcess() }

    /// - Throws: `closed`, `forked`.
    func requireOpen() throws(StoreError) { try context.requireOpen() }

    private func end() {
        for appender in appenders.withLock({ $0 }) { appender.value?.close() }
        context.markClosed()
        compactor.waitUntilIdle()
        // The next writer must see the holds of snapshots that outlive the store.
        let files = context.published.withLock { version in
            version.hold = nil
            return Array(version.segments.values)
        }
        try? context.slots.publish()
        eraser.keepExpiring(files)
        context.notifier.end(forGood: true)
        access.close()
        if let keys = context.options.keys {
            keys.blocks.removeAll()
            QueryScratch.forgetKeys()
        }
        context.telemetry.noteClosing(sequence: context.published.withLock { $0.seq })
    }

    deinit { if context.isInOwnProcess { end() } }

    /// Closes the store, and removes its directory if the store has no commit and no other opening.
    ///
    /// For a program that created a store for an input that it then refused.
    /// - Returns: whether the directory was removed.
    @discardableResult
    package func closeAndRemoveIfUnused() -> Bool {
        let mayBeUnused = mode != .readOnly && snapshot().sequence == 0
        close()
        // Another process that writes waits for this lock, and then finds no store.
        guard mayBeUnused, let lock = try? context.disk.lock(context.layout.lock, exclusive: true, byte: 0) else {
            return false
        }
        defer { lock.release() }
        guard isUnused else { return false }
        let catalog = context.layout.catalog
        for path in [
            catalog, catalog + "-wal", catalog + "-shm", catalog + "-index", catalog + "-wal-copy",
            catalog + "-wal-copy2", context.layout.witness, context.layout.keys, context.layout.keysCopy,
            context.layout.outcomeMark, context.layout.ballast, context.layout.segments, context.layout.lock,
        ] {
            try? context.disk.remove(path)
        }
        return (try? context.disk.remove(path)) != nil
    }

    /// True if the catalog has no commit, and no other opening holds one.
    private var isUnused: Bool {
        guard (try? context.slots.isAnyLocked()) == false,
            let catalog = try? CatalogDatabase.open(
                at: context.layout.catalog, readOnly: true, vfs: context.options.catalogVFS, settling: false,
                keys: context.options.keys?.pages)
        else { return false }
        let seq = try? catalog.load().seq
        try? catalog.close()
        return seq == 0
    }
}
