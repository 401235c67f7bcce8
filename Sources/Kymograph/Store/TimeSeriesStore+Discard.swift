// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

extension TimeSeriesStore {
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
            catalog, catalog + "-wal", catalog + "-shm", catalog + "-wal-copy", catalog + "-wal-copy2",
            context.layout.witness,
            context.layout.outcomeMark, context.layout.ballast, context.layout.segments, context.layout.lock,
        ] {
            try? context.disk.remove(path)
        }
        return (try? context.disk.remove(path)) != nil
    }

    /// True if the catalog has no commit, and no other opening holds one.
    private var isUnused: Bool {
        guard (try? context.slots.isAnyTold()) == false,
            let catalog = try? CatalogDatabase.open(
                at: context.layout.catalog, readOnly: true, vfs: context.options.catalogVFS, settling: false)
        else { return false }
        let seq = try? catalog.load().seq
        try? catalog.close()
        return seq == 0
    }
}
