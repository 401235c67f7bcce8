// SPDX-License-Identifier: Apache-2.0

import FileSystem

extension TimeSeriesStore {
    /// Closes the store and removes its directory if nothing was ever committed to it; otherwise only closes it.
    ///
    /// For a program that made a store for something that was then refused.
    /// - Returns: whether the directory is gone.
    @discardableResult
    package func closeAndRemoveIfUnused() -> Bool {
        let isUnused = mode == .readWrite && snapshot().sequence == 0
        close()
        guard isUnused else { return false }
        let catalog = layout.catalog
        for path in [
            catalog, catalog + "-wal", catalog + "-shm", catalog + "-wal-copy", layout.witness, layout.doubt,
            layout.ballast, layout.segments,
            layout.lock,
        ] {
            try? disk.remove(path)
        }
        return (try? disk.remove(path)) != nil
    }
}
