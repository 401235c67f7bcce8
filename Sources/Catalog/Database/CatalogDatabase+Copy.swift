// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import GRDB

extension CatalogDatabase {
    /// Copies the catalog as it is after one commit into a new file, page by page, synced; its name is not (the caller
    /// syncs the directory). A writer, here or in another process, goes on meanwhile. On failure nothing is left.
    package func copy(to copy: String) throws(CatalogError) {
        try files.createPrivate(copy)
        do {
            let address = CatalogVFS.address(copy, vfs: files.vfs, immutable: false)
            let isChecked = try access { try Self.requireChecks($0, path: path) } >= Self.checkedFormat
            let queue = try Self.openQueue(address, path: copy, readOnly: false) { database in
                // A catalog of the first format stays one.
                if !isChecked { database.upgradePages(CSQ_UPGRADE_NEVER) }
                // A file that is not finished is thrown away, so nothing has to be rolled back.
                try database.scan("PRAGMA journal_mode=MEMORY", path: copy) { _ in }
                try database.scan("PRAGMA page_size=\(CatalogSchema.pageSize)", path: copy) { _ in }
                unsafe _ = csq_sqlite_reserve_bytes(database.sqliteConnection, CatalogSchema.reservedBytes)
            }
            // All pages in one step, which is one read transaction.
            try access { source in
                try queue.writeWithoutTransaction { target in
                    target.markPages(as: source)
                    try source.backup(to: target)
                }
            }
            try queue.close()
        } catch {
            files.removeAll(copy)
            throw CatalogError(anything: Self.named(error), path: path)
        }
    }

    /// SQLite leaves the error of a backup with the backup, and the connection then says that there is none.
    private static func named(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError, error.message ?? "not an error" == "not an error" else {
            return error
        }
        return DatabaseError(resultCode: error.extendedResultCode, message: "copying failed")
    }

    /// Opens a copy that nobody writes, and makes no file beside it.
    package static func openCopy(at path: String, vfs: String? = nil) throws(CatalogError) -> CatalogDatabase {
        let files = CatalogFile(vfs: try CatalogVFS.named(vfs))
        try files.requireFile(path)
        return try openImmutable(path, files)
    }
}

extension CatalogDatabase {
    /// Puts everything that an image holds into a new, empty catalog, in one transaction, so that it knows the image's
    /// last commit. `extra` runs last inside it.
    package func restore(
        _ image: CatalogImage, extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(CatalogError) {
        guard image.seq > 0 || !image.history.isEmpty else { return }
        try commit(CatalogCommit(seq: 1, series: image.series, segments: image.segments)) { transaction in
            for row in image.tail {
                try transaction.run("INSERT INTO tail(seq,body)VALUES(?,?)", [row.seq, Data(row.body)])
            }
            try self.restore(image.deletions, transaction)
            try self.restore(image.history, transaction)
            try extra?(transaction)
            try transaction.run("UPDATE meta SET commit_seq=? WHERE id=1", [image.seq])
            // What the log begins with next follows this one.
            transaction.database.setPageSequence(max(1, image.seq))
        }
    }
}
