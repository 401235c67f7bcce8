// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

// Commits of other processes.
extension CatalogAccess {
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
        return try inCatalog { () throws(CatalogError) in try catalog.dataVersion() }
    }

    /// Loads and publishes the commits of other processes; does nothing while this opening is the writer.
    ///
    /// - Returns: whether there were new commits.
    /// - Throws: `closed`, `rolledBack` (acknowledged commits are missing), `corrupt`, `inputOutput`.
    func refresh() throws(StoreError) -> Bool {
        try context.requireOpen()
        if isWriter { return false }
        guard let catalog = reader.withLock({ $0 }) else { throw .closedStore }
        // Ordering: before the catalog is loaded, so that a commit between the two is seen next time.
        let change = try change()
        if seen.withLock({ $0 == change }) { return false }
        let old = context.version
        let loader = VersionLoader(context.layout, context.options, context.cache)
        let witnessed = try Witness.statement(context.layout, context.options)
        let image = try inCatalog { () throws(CatalogError) in try catalog.load() }
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
            slots.leave(
                current.segments.values.filter { version.segments[$0.row.id] !== $0 }, died: version.seq)
            current = version
        }
    }
}
