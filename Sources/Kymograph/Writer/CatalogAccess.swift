// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// The connections of one opening to its catalog: the single writer, which takes turns if the store is shared, or a
/// reader.
final class CatalogAccess: Sendable {
    let context: StoreContext
    /// The single writer; nil when closed, when opened for reading, and while another process has the turn.
    let writer: Mutex<Writer?>
    /// The thread that holds the writer.
    let writerOwner = ThreadOwner()
    /// The turn of a shared opening.
    let turn = Mutex(WriterTurn())
    /// The catalog of an opening for reading; nil when closed.
    let reader: Mutex<CatalogDatabase?>
    /// SQLite's number of the last change that `refresh` loaded.
    let seen = Mutex<Int64?>(nil)
    /// The ballast that this opening used, to be restored when it closes.
    let owedBallast = Mutex<Ballast.Owed?>(nil)

    init(_ context: StoreContext, writer: consuming sending Writer?, reader: CatalogDatabase?) {
        self.context = context
        self.writer = Mutex(writer)
        self.reader = Mutex(reader)
    }

    /// True if the calling thread holds the writer.
    var isWriterHeldByThisThread: Bool { writerOwner.isMine }

    /// True if this opening is the writer now.
    @inline(__always)
    var isWriter: Bool {
        context.mode == .readWrite || context.mode == .shared && turn.withLock { $0.isOn }
    }

    /// Refuses a call from a closure that runs while this thread holds the writer.
    ///
    /// - Throws: `invalidArgument`.
    func requireOutside() throws(StoreError) { try writerOwner.refuse(StoreError.calledWhileWriting) }

    /// Runs `body` with the writer, which no other thread uses meanwhile. A shared opening takes its turn first.
    ///
    /// - Throws: `invalidArgument` if this thread holds the writer, `readOnly`, `closed`, and errors of `body`.
    func withWriter<R: Sendable>(_ body: (inout Writer) throws(StoreError) -> R) throws(StoreError) -> R {
        try context.requireOwnProcess()
        try requireOutside()
        let isShared = context.mode == .shared
        return try writer.withLock { held throws(StoreError) -> R in
            if isShared {
                dropFailed(&held)
                if held == nil { held = try takeTurn() }
            }
            if held == nil {
                try context.requireWritable()
                throw .closedStore
            }
            writerOwner.enter()
            defer {
                writerOwner.leave()
                if isShared { noteUse(&held) }
            }
            return try body(&held!)
        }
    }

    /// Reads tables of the catalog in one transaction.
    func read<R: Sendable>(_ body: (CatalogTransaction) throws -> R) throws(StoreError) -> R {
        try withCatalog { catalog throws(CatalogError) in try catalog.read(body) }
    }

    /// Runs `body` with the reader's connection, or the writer's.
    func withCatalog<R: Sendable>(
        _ body: (CatalogDatabase) throws(CatalogError) -> R
    ) throws(StoreError) -> R {
        if let catalog = reader.withLock({ $0 }) {
            return try context.options.keys.retrying { () throws(StoreError) in
                try inCatalog { () throws(CatalogError) in try body(catalog) }
            }
        }
        return try withWriter { writer throws(StoreError) in
            let catalog = writer.catalog
            return try inCatalog { () throws(CatalogError) in try body(catalog) }
        }
    }

    /// Closes both connections, releases the lock, and restores the ballast.
    func close() {
        // First, so that this opening begins no further turn.
        reader.withLock { held in
            try? held?.close()
            held = nil
        }
        let (slots, layout, disk) = (context.slots, context.layout, context.disk)
        writer.withLock { held in
            held?.removeRetired(slots, layout, disk)
            held = nil
        }
        // SQLite's small files are removed now, and no longer need the ballast's space.
        owedBallast.withLock { $0.take() }?.takeBack(layout, context.options)
    }

    // Commits of other processes.

    /// Returns whether `refresh` may find a new commit.
    ///
    /// - Throws: `closed`, `inputOutput`.
    func hasNews() throws(StoreError) -> Bool {
        try context.requireOwnProcess()
        if isWriter { return false }
        let change = try change()
        return seen.withLock { $0 != change }
    }

    /// Returns SQLite's number of the last change to the catalog, by any process.
    private func change() throws(StoreError) -> Int64 {
        guard let catalog = reader.withLock({ $0 }) else { throw .closedStore }
        return try context.options.keys.retrying { () throws(StoreError) in
            try inCatalog { () throws(CatalogError) in try catalog.dataVersion() }
        }
    }

    /// Loads and publishes the commits of other processes; does nothing while this opening is the writer.
    ///
    /// - Returns: whether there were new commits.
    /// - Throws: `closed`, `rolledBack` (acknowledged commits are missing), `corrupt`, `inputOutput`.
    @inline(__always)
    func refresh() throws(StoreError) -> Bool {
        try context.requireOpen()
        return isWriter ? false : try loadCommits()
    }

    private func loadCommits() throws(StoreError) -> Bool {
        guard let catalog = reader.withLock({ $0 }) else { throw .closedStore }
        // Ordering: before the catalog is loaded, so that a commit between the two is seen next time.
        let change = try change()
        if seen.withLock({ $0 == change }) { return false }
        let old = context.version
        let loader = VersionLoader(context.layout, context.options, context.cache)
        let witnessed = try Witness.statement(context.layout, context.options)
        let image = try context.options.keys.retrying { () throws(StoreError) in
            try inCatalog { () throws(CatalogError) in try catalog.load() }
        }
        try witnessed.requireAcknowledged(by: image, context.layout, context.options)
        if image.seq == old.seq {
            seen.withLock { $0 = change }
            return false
        }
        try publish(try loader.version(of: image, known: old))
        seen.withLock { $0 = change }
        context.requestUpkeep()
        return true
    }

    /// Holds and publishes a version that was loaded, unless a later one is published.
    func publish(_ loaded: Version) throws(StoreError) {
        var version = loaded
        // The hold of the published version protected the new one's files until here.
        version.hold = try context.slots.hold(version.seq)
        let slots = context.slots
        // In one step: of two callers that loaded the same commit, one publishes its segments, and only the segments
        // of the version before may expire.
        context.published.withLock { current in
            guard version.seq > current.seq else { return }
            slots.retire(
                current.segments.values.filter { version.segments[$0.row.id] !== $0 }, died: version.seq)
            current = version
        }
    }
}
