// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import SQLiteConnection

extension CatalogDatabase {
    /// Copies the catalog as of one commit into a new file, page by page, and syncs the file. Writers in this and other
    /// processes continue meanwhile. On failure no file is left.
    ///
    /// - Requires: the caller syncs the directory afterwards.
    package func copy(to copy: String) throws(CatalogError) {
        try files.createPrivate(copy)
        do {
            let address = files.address(copy, immutable: false)
            let isChecked = try access { try Self.requireChecks($0, path: path) } >= Self.checkedFormat
            let queue = try Self.openQueue(address, path: copy, readOnly: false) { database in
                // A catalog of format 1 keeps its format.
                if !isChecked { database.upgradePages(CSQ_UPGRADE_NEVER) }
                // An unfinished file is deleted, so no journal is needed to roll it back.
                try database.scan("PRAGMA journal_mode=MEMORY", path: copy) { _ in }
                try database.scan("PRAGMA page_size=\(CatalogSchema.pageSize)", path: copy) { _ in }
                unsafe _ = csq_sqlite_reserve_bytes(database.handle, files.reservedBytes)
            }
            // All pages in one step, which is one read transaction.
            try access { source in
                try queue.access { target in
                    target.markPages(as: source)
                    try source.backup(to: target)
                }
            }
            try queue.close()
        } catch {
            files.removeAll(copy)
            throw CatalogError(anything: error, path: path)
        }
    }

    /// Opens a copy without creating files beside it.
    ///
    /// - Requires: no process writes to the copy.
    package static func openCopy(
        at path: String, vfs: String? = nil, keys: PageKeys? = nil
    ) throws(CatalogError) -> CatalogDatabase {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs), keys: keys)
        try files.requireFile(path)
        return try openImmutable(path, files)
    }

    /// Stores an image in a new, empty catalog, in one transaction. The catalog's last commit is then the image's.
    ///
    /// - Parameter extra: runs last inside the transaction.
    package func restore(
        _ image: CatalogImage, extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(CatalogError) {
        guard image.seq > 0 || !image.history.isEmpty else { return }
        try commit(CatalogCommit(seq: 1, series: image.series, segments: image.segments)) { transaction in
            for row in image.tail {
                try transaction.run("INSERT INTO tail(seq,body)VALUES(?,?)", [row.seq, row.body])
            }
            try self.restore(image.deletions, transaction)
            try self.restore(image.history, transaction)
            try extra?(transaction)
            try transaction.run("UPDATE meta SET commit_seq=? WHERE id=1", [image.seq])
            // The next log starts with the commit after this one.
            transaction.database.setPageSequence(max(1, image.seq))
        }
    }
}
