// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem

/// What the one writer of a store holds: the lock, the catalog and the numbers that come next.
struct Writer {
    let catalog: CatalogDatabase
    let lock: any DiskLock
    let witness: Witness
    var tail: TailCodec
    /// The last commit.
    var seq: Int64
    var nextSegment: Int64
    var nextSeries: Int64
    /// Why nothing may be written any more, once a commit has failed.
    var failure: StoreError?

    /// Makes one commit: the only place where anything becomes visible or durable.
    ///
    /// An error whose outcome is unknown ends this writer; after any other nothing has happened.
    mutating func commit(
        _ commit: CatalogCommit, _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) {
        if let failure {
            throw StoreError(
                .writerFailed,
                "the writer stopped after an earlier failure; close and reopen the store: \(failure.message)")
        }
        do throws(CatalogError) {
            try catalog.commit(commit, extra: extra)
        } catch {
            let mine = StoreError(error)
            if mine.kind == .outcomeUnknown || mine.kind == .writerFailed { failure = mine }
            throw mine
        }
        seq = commit.seq
        // A witness that cannot be written costs a later warning, never data.
        try? witness.note(seq)
    }

    func close() {
        try? witness.close()
        try? catalog.close()
        lock.release()
    }
}
